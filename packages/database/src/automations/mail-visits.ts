import { MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import type { MailTicket } from '@dwell/domain/automations/email/mail-links'
import type { Pool } from '../pool'
import { recordEmailEvents } from './email-events'

const OPENED = `
  SELECT FROM automation_emails WHERE account_id = $1 AND id = $2 AND opened_at <= dwell_instant($3)`

/** Somebody's mail program asked for the pixel of a mail. Only the first time tells something. */
export async function recordOpen(pool: Pool, { accountId, emailId }: MailTicket, now: Micros): Promise<void> {
  const known = await pool.query({ name: 'mail-is-opened', text: OPENED, values: [accountId, emailId, now] })
  if (known.rowCount === 0)
    await recordEmailEvents(pool, accountId, [{ mail: { id: emailId }, type: 'opened', at: now, url: '' }])
}

/** Somebody followed a link of a mail. Clicks on it within one second are one: nobody can fill the table. */
export async function recordClick(
  pool: Pool,
  { accountId, emailId }: MailTicket,
  url: string,
  now: Micros,
): Promise<void> {
  const at = (now - (now % MICROS_PER_SECOND)) as Micros
  await recordEmailEvents(pool, accountId, [{ mail: { id: emailId }, type: 'clicked', at, url }])
}
