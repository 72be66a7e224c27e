import { randomUUID } from 'node:crypto'
import type { Queryable } from '@dwell/database/pool'

const NOW = '2026-09-01T09:00:00Z'

/** An e-mail of an automation, as its action stands in the path. */
export interface SeededEmailAction {
  readonly accountId: number
  readonly automationId: string
  readonly actionId: string
  readonly revisionId: string
}

/** A new automation of one e-mail; links as they would have been found in its body. */
export async function seedEmailAction(
  db: Queryable,
  accountId: number,
  { links = [], body = 'Hello' }: { readonly links?: readonly string[]; readonly body?: string } = {},
): Promise<SeededEmailAction> {
  const [automationId, actionId, revisionId] = [randomUUID(), randomUUID(), randomUUID()]
  await db.query(
    `INSERT INTO automations (id, account_id, name, description, status, trigger_tier_scope, created_at, updated_at)
     VALUES ($1, $2, $3, '', 'active', 'free', $4, $4)`,
    [automationId, accountId, `Automation ${automationId}`, NOW],
  )
  await db.query(
    `INSERT INTO automation_actions (id, account_id, automation_id, type, position, created_at)
     VALUES ($1, $2, $3, 'send_email', 0, $4)`,
    [actionId, accountId, automationId, NOW],
  )
  const action = { accountId, automationId, actionId, revisionId }
  await insertRevision(db, action, body, NOW, links)
  return action
}

/** The same action after its content was edited. */
export async function seedRevision(
  db: Queryable,
  action: SeededEmailAction,
  { links = [], body = 'Hello again' }: { readonly links?: readonly string[]; readonly body?: string } = {},
): Promise<SeededEmailAction> {
  const next = { ...action, revisionId: randomUUID() }
  await insertRevision(db, next, body, '2026-09-01T09:30:00Z', links)
  return next
}

async function insertRevision(
  db: Queryable,
  { accountId, actionId, revisionId }: SeededEmailAction,
  body: string,
  at: string,
  links: readonly string[],
): Promise<void> {
  await db.query(
    `INSERT INTO automation_action_revisions (id, account_id, action_id, email_subject, email_body, email_format, created_at)
     VALUES ($1, $2, $3, 'Hi', $4, 'markdown', $5)`,
    [revisionId, accountId, actionId, body, at],
  )
  await db.query(
    `INSERT INTO automation_email_links (account_id, action_id, revision_id, url)
     SELECT $1, $2, $3, url FROM unnest($4::text[]) AS url`,
    [accountId, actionId, revisionId, links],
  )
}

/** The mail of one step, and who got it. */
export interface SeededMail {
  readonly id: string
  readonly messageId: string
  readonly memberId: string
  readonly runId: string
}

/** A run whose only step sent its mail, to a new member who accepts it; counted as the worker counts. */
export async function seedMail(
  db: Queryable,
  action: SeededEmailAction,
  options: {
    readonly memberId?: string
    readonly status?: 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown'
    readonly tracksOpens?: boolean
    readonly tracksClicks?: boolean
  } = {},
): Promise<SeededMail> {
  const { memberId = randomUUID(), status = 'sent', tracksOpens = true, tracksClicks = true } = options
  const [runId, id] = [randomUUID(), randomUUID()]
  const { accountId, automationId, actionId, revisionId } = action
  await db.query(
    `INSERT INTO members (account_id, id, name, email, status, enable_updates_and_announcements, newsletter_ids, signed_up_at, revision)
     VALUES ($1, $2, 'Ann Lee', 'ann@example.com', 'free', true, '{weekly}', $3, 1) ON CONFLICT DO NOTHING`,
    [accountId, memberId, NOW],
  )
  await db.query(
    `INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status, ended_at, end_reason)
     VALUES ($1::uuid, $2, $3, $4, $1::uuid::text, $5, 'completed', $5, 'completed')`,
    [runId, accountId, automationId, memberId, NOW],
  )
  await db.query(
    `INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, status, ready_at,
       attempts, created_at, updated_at, started_at, finished_at)
     VALUES ($1, $2, $3, $4, $5, $6, false, 'finished', $7, 1, $7, $7, $7, $7)`,
    [id, accountId, automationId, runId, actionId, revisionId, NOW],
  )
  const messageId = `<${id}@desk.example>`
  await db.query(
    `INSERT INTO automation_emails (id, account_id, message_id, automation_id, run_id, step_id, action_id, revision_id,
       member_id, recipient_email, recipient_name, status, tracks_opens, tracks_clicks, created_at, updated_at, sent_at)
     VALUES ($1, $2, $3, $4, $5, $1, $6, $7, $8, 'ann@example.com', 'Ann Lee', $9, $10, $11, $12, $12,
       CASE WHEN $9 = 'sent' THEN $12::timestamptz END)`,
    [
      id,
      accountId,
      messageId,
      automationId,
      runId,
      actionId,
      revisionId,
      memberId,
      status,
      tracksOpens,
      tracksClicks,
      NOW,
    ],
  )
  if (status === 'sent')
    await db.query(
      `UPDATE automation_action_revisions SET sent_count = sent_count + 1,
         open_tracked_count = open_tracked_count + $2::int, click_tracked_count = click_tracked_count + $3::int
       WHERE id = $1`,
      [revisionId, Number(tracksOpens), Number(tracksClicks)],
    )
  return { id, messageId, memberId, runId }
}
