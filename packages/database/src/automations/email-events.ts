import type { EmailEventType } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { EmailEventOutcome } from '@dwell/contracts/rest/email-events'
import type { PoolClient } from 'pg'
import { retryDeadlock } from '../deadlock'
import { inTransaction, type Pool, type Queryable } from '../pool'
import { optOutMember } from './opt-out'

/** Something that happened to a mail. */
export interface EmailEvent {
  /** By the Message-ID with its brackets, or by the id of the send record. */
  readonly mail: { readonly messageId: string } | { readonly id: string }
  readonly type: EmailEventType
  readonly at: Micros
  /** Where a click led to; empty where that is not known, and of every other type. */
  readonly url: string
}

export type RecordedOutcome = Exclude<EmailEventOutcome, 'invalid'>

interface KnownMail {
  readonly id: string
  readonly message_id: string
  readonly revision_id: string
  readonly action_id: string
  readonly member_id: string
  readonly tracks_opens: boolean
  readonly tracks_clicks: boolean
}

type EventOfMail = EmailEvent & { readonly to: KnownMail; readonly key: string }

// The account is held, so that it is not erased while something is written for it.
const FIND = `
  SELECT e.id, e.message_id, e.revision_id, e.action_id, e.member_id, e.tracks_opens, e.tracks_clicks
  FROM accounts a JOIN automation_emails e ON e.account_id = a.id
  WHERE a.id = $1 AND (e.message_id = ANY($2) OR e.id = ANY($3::uuid[]))
  FOR KEY SHARE OF a`

/**
 * Keeps what happened to mails of an account: every event once, the earliest instant of each kind with the mail, and each
 * mail counted once per kind with its revision, so that order and repetition change nothing. A complaint takes the
 * member's consent back. Answers what became of each event, in their order. One transaction.
 */
export async function recordEmailEvents(
  pool: Pool,
  accountId: number,
  events: readonly EmailEvent[],
): Promise<RecordedOutcome[]> {
  return retryDeadlock(() =>
    inTransaction(pool, async (client) => {
      const mails = await findMails(client, accountId, events)
      const outcomes: RecordedOutcome[] = []
      const wanted = new Map<string, EventOfMail>()
      for (const event of events) {
        const to = mails(event)
        const told = to === undefined ? null : { ...event, to, key: keyOf(to.id, event) }
        if (told === null) outcomes.push('unknown_message')
        else if (!isTracked(told)) outcomes.push('not_tracked')
        else outcomes.push(wanted.has(told.key) ? 'duplicate' : 'recorded')
        if (told !== null && isTracked(told) && !wanted.has(told.key)) wanted.set(told.key, told)
      }
      if (wanted.size === 0) return outcomes
      await lockInOrder(client, accountId, [...wanted.values()])
      const recorded = await write(client, accountId, [...wanted.values()])
      for (const event of wanted.values()) {
        if (event.type === 'complained' && recorded.has(event.key))
          await optOutMember(client, accountId, event.to.member_id, event.at)
      }
      return events.map((event, index) => {
        const to = mails(event)
        const isNew = to !== undefined && recorded.has(keyOf(to.id, event))
        return outcomes[index] === 'recorded' && !isNew ? 'duplicate' : (outcomes[index] ?? 'unknown_message')
      })
    }),
  )
}

async function findMails(
  db: Queryable,
  accountId: number,
  events: readonly EmailEvent[],
): Promise<(event: EmailEvent) => KnownMail | undefined> {
  const messageIds = events.flatMap(({ mail }) => ('messageId' in mail ? [mail.messageId] : []))
  const ids = events.flatMap(({ mail }) => ('id' in mail ? [mail.id] : []))
  const { rows } = await db.query<KnownMail>({
    name: 'find-reported-mails',
    text: FIND,
    values: [accountId, [...new Set(messageIds)], [...new Set(ids)]],
  })
  const known = new Map(rows.flatMap((row) => [[row.message_id, row] as const, [row.id, row] as const]))
  return ({ mail }) => known.get('messageId' in mail ? mail.messageId : mail.id)
}

function isTracked({ type, to }: EventOfMail): boolean {
  return (type !== 'opened' || to.tracks_opens) && (type !== 'clicked' || to.tracks_clicks)
}

function keyOf(mailId: string, { type, at, url }: Pick<EmailEvent, 'type' | 'at' | 'url'>): string {
  return `${mailId} ${type} ${at} ${url}`
}

const LOCK_MEMBERS = `
  SELECT FROM members WHERE account_id = $1 AND id = ANY($2) ORDER BY id COLLATE "C" FOR UPDATE`
const LOCK_REVISIONS = `
  SELECT FROM automation_action_revisions WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`
const LOCK_MAILS = `
  SELECT FROM automation_emails WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`

/** Members as ingest locks them, then revisions, then mails; each in one order: no circle of waiting transactions. */
async function lockInOrder(client: PoolClient, accountId: number, events: readonly EventOfMail[]): Promise<void> {
  const complaining = events.filter(({ type }) => type === 'complained').map(({ to }) => to.member_id)
  if (complaining.length > 0)
    await client.query({ name: 'lock-complaining-members', text: LOCK_MEMBERS, values: [accountId, complaining] })
  const revisions = [...new Set(events.map(({ to }) => to.revision_id))]
  await client.query({ name: 'lock-reported-revisions', text: LOCK_REVISIONS, values: [revisions] })
  const mails = [...new Set(events.map(({ to }) => to.id))]
  await client.query({ name: 'lock-reported-mails', text: LOCK_MAILS, values: [mails] })
}

// All of it is locked, and `before` is how the mails were when the statement began. Whatever happened to a mail, it was
// sent: where nobody knew that until now (the worker died, or has not come to write it down) it is counted here. A bounce
// may also tell of a mail that the mail server refused.
const WRITE = `
  WITH reported AS MATERIALIZED (
    SELECT * FROM json_to_recordset($2::json) AS v(email_id uuid, action_id uuid, member_id text, type text, url text, at bigint)
  ), before AS MATERIALIZED (
    SELECT * FROM automation_emails WHERE id IN (SELECT email_id FROM reported)
  ), kept AS (
    INSERT INTO automation_email_events (account_id, email_id, action_id, member_id, type, url, occurred_at)
    SELECT $1, email_id, action_id, member_id, type, url, dwell_instant(at) FROM reported
    ON CONFLICT DO NOTHING
    RETURNING email_id, type, url, occurred_at
  ), news AS MATERIALIZED (
    SELECT email_id, min(occurred_at) AS first_at,
      min(occurred_at) FILTER (WHERE type = 'delivered') AS delivered_at,
      min(occurred_at) FILTER (WHERE type = 'opened') AS opened_at,
      min(occurred_at) FILTER (WHERE type = 'clicked') AS clicked_at,
      min(occurred_at) FILTER (WHERE type = 'bounced') AS bounced_at,
      min(occurred_at) FILTER (WHERE type = 'complained') AS complained_at,
      bool_or(type <> 'bounced') AS arrived
    FROM kept GROUP BY email_id
  ), changes AS MATERIALIZED (
    SELECT n.*, b.revision_id, b.tracks_opens, b.tracks_clicks,
      b.status <> 'sent' AND (n.arrived OR b.status IN ('sending', 'unknown')) AS found_sent,
      b.delivered_at IS NULL AND n.delivered_at IS NOT NULL AS newly_delivered,
      b.opened_at IS NULL AND n.opened_at IS NOT NULL AS newly_opened,
      b.clicked_at IS NULL AND n.clicked_at IS NOT NULL AS newly_clicked
    FROM news n JOIN before b ON b.id = n.email_id
  ), mails AS (
    UPDATE automation_emails e SET
      delivered_at = least(e.delivered_at, c.delivered_at), opened_at = least(e.opened_at, c.opened_at),
      clicked_at = least(e.clicked_at, c.clicked_at), bounced_at = least(e.bounced_at, c.bounced_at),
      complained_at = least(e.complained_at, c.complained_at),
      status = CASE WHEN c.found_sent THEN 'sent' ELSE e.status END,
      sent_at = CASE WHEN c.found_sent THEN c.first_at ELSE e.sent_at END,
      error = CASE WHEN c.found_sent THEN NULL ELSE e.error END
    FROM changes c WHERE e.id = c.email_id
  ), counted AS (
    UPDATE automation_action_revisions r SET
      sent_count = r.sent_count + n.sent, open_tracked_count = r.open_tracked_count + n.open_tracked,
      click_tracked_count = r.click_tracked_count + n.click_tracked, delivered_count = r.delivered_count + n.delivered,
      opened_count = r.opened_count + n.opened, clicked_count = r.clicked_count + n.clicked
    FROM (
      SELECT revision_id, count(*) FILTER (WHERE found_sent) AS sent,
        count(*) FILTER (WHERE found_sent AND tracks_opens) AS open_tracked,
        count(*) FILTER (WHERE found_sent AND tracks_clicks) AS click_tracked,
        count(*) FILTER (WHERE newly_delivered) AS delivered, count(*) FILTER (WHERE newly_opened) AS opened,
        count(*) FILTER (WHERE newly_clicked) AS clicked
      FROM changes GROUP BY revision_id
    ) n
    WHERE r.id = n.revision_id AND n.sent + n.delivered + n.opened + n.clicked > 0
  )
  SELECT email_id, type, url, dwell_micros(occurred_at) AS at FROM kept`

/** Answers the keys of the events that were new. */
async function write(client: PoolClient, accountId: number, events: readonly EventOfMail[]): Promise<Set<string>> {
  const reported = events.map(({ to, type, url, at }) => ({
    email_id: to.id,
    action_id: to.action_id,
    member_id: to.member_id,
    type,
    url,
    at,
  }))
  const { rows } = await client.query<{ email_id: string; type: EmailEventType; url: string; at: Micros }>({
    name: 'record-email-events',
    text: WRITE,
    values: [accountId, JSON.stringify(reported)],
  })
  return new Set(rows.map((row) => keyOf(row.email_id, row)))
}
