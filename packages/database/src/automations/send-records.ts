import type { Micros } from '@dwell/contracts/instant'
import { retryDeadlock } from '../deadlock'
import type { Queryable } from '../pool'
import type { HeldStep } from './load-step'

/** What a mail is about to be sent with. */
export interface Sending {
  /** With its brackets; the first attempt's stands. */
  readonly messageId: string
  /** As the mail goes out; kept with the record. */
  readonly email: string
  readonly name: string | null
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
}

// The record has the step's id: there is one per step, whatever happens. It is written only if the step is in our hands, the
// automation still active and the member as loaded; all three are held until it stands, the step last, as everybody locks
// them. So a deletion that drops the snapshots of names and addresses comes before it, or finds it; and of two workers that
// take themselves for the holder only one writes: both at once could meet at the other unique key, which no ON CONFLICT minds.
const BEGIN = `
  WITH allowed AS MATERIALIZED (
    SELECT s.id, s.account_id, s.automation_id, s.run_id, s.action_id, s.revision_id, m.id AS member_id
    FROM automation_steps s
    JOIN automations t ON t.id = s.automation_id
    JOIN members m ON m.account_id = s.account_id
    WHERE s.id = $1 AND s.lock_token = $2 AND t.status = 'active' AND m.id = $3 AND m.revision = $4
    FOR SHARE OF t, m
  ), held AS MATERIALIZED (
    SELECT allowed.* FROM allowed JOIN automation_steps s ON s.id = allowed.id
    WHERE s.lock_token = $2 FOR NO KEY UPDATE OF s
  )
  INSERT INTO automation_emails (id, account_id, message_id, automation_id, run_id, step_id, action_id, revision_id,
    member_id, recipient_email, recipient_name, status, tracks_opens, tracks_clicks, created_at, updated_at)
  SELECT id, account_id, $5, automation_id, run_id, id, action_id, revision_id, member_id, $6, $7, 'sending', $8, $9,
    dwell_instant($10), dwell_instant($10) FROM held
  ON CONFLICT (id) DO UPDATE SET recipient_email = excluded.recipient_email, recipient_name = excluded.recipient_name,
    status = 'sending', tracks_opens = excluded.tracks_opens, tracks_clicks = excluded.tracks_clicks, error = NULL,
    updated_at = excluded.updated_at
  WHERE automation_emails.status = 'deferred'
  RETURNING message_id`

/**
 * Writes down that a step's mail is about to be sent. Answers its Message-ID, the same in every attempt; null when something
 * the step was judged by has changed, or an earlier attempt may have sent it: then judge again.
 */
export async function beginSend(
  db: Queryable,
  step: HeldStep,
  lockToken: string,
  sending: Sending,
  now: Micros,
): Promise<string | null> {
  const { rows } = await retryDeadlock(() =>
    db.query<{ message_id: string }>({
      name: 'begin-send',
      text: BEGIN,
      values: [
        step.id,
        lockToken,
        step.memberId,
        step.member?.revision ?? 0,
        sending.messageId,
        sending.email,
        sending.name,
        sending.tracksOpens,
        sending.tracksClicks,
        now,
      ],
    }),
  )
  return rows[0]?.message_id ?? null
}

// Revisions before mails, everywhere: no circle of waiting transactions. From `unknown` too: whoever lost the step meanwhile
// knows better.
const SENT = `
  WITH revision AS MATERIALIZED (
    SELECT id FROM automation_action_revisions WHERE id = $2 FOR NO KEY UPDATE
  ), mail AS (
    UPDATE automation_emails e SET status = 'sent', sent_at = dwell_instant($3), error = NULL, updated_at = dwell_instant($3)
    FROM revision WHERE e.id = $1 AND e.status IN ('sending', 'unknown')
    RETURNING e.tracks_opens, e.tracks_clicks
  )
  UPDATE automation_action_revisions r
  SET sent_count = r.sent_count + 1, open_tracked_count = r.open_tracked_count + mail.tracks_opens::int,
    click_tracked_count = r.click_tracked_count + mail.tracks_clicks::int
  FROM mail WHERE r.id = $2`

/** The mail server has taken the mail: counted once. Whoever holds the step by now, this is a fact. */
export async function markSent(db: Queryable, step: Pick<HeldStep, 'id' | 'revisionId'>, now: Micros): Promise<void> {
  await retryDeadlock(() => db.query({ name: 'mark-sent', text: SENT, values: [step.id, step.revisionId, now] }))
}

const ENDED = `
  UPDATE automation_emails SET status = $2, error = $3, updated_at = dwell_instant($4) WHERE id = $1 AND status = 'sending'`

/** `deferred`: refused for now; `failed`: for good; `unknown`: nobody can tell. A record that is not `sending` stays. */
export async function endSend(
  db: Queryable,
  stepId: string,
  status: 'deferred' | 'failed' | 'unknown',
  error: string | null,
  now: Micros,
): Promise<void> {
  await db.query({ name: 'end-send', text: ENDED, values: [stepId, status, error, now] })
}
