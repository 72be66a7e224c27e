import type { Micros } from '@dwell/contracts/instant'
import type { SkipReason } from '@dwell/contracts/pending-execution'
import type { PlannedDelivery } from '@dwell/domain/rules/planned-delivery'
import type { RateClaim } from '@dwell/domain/rules/rate-guards'
import { retryDeadlock } from '../deadlock'
import type { Queryable } from '../pool'
import { tallyEnded } from '../rule-tallies'
import type { LoadedExecution } from './load'

/** How a row ends, and what it was judged by. */
export interface Finish {
  readonly held: LoadedExecution
  /** Version of the rules that judged it. */
  readonly rulesVersion: number
  readonly outcome:
    | { readonly status: 'executed'; readonly deliveries: readonly PlannedDelivery[] }
    | { readonly status: 'skipped'; readonly reason: SkipReason }
  /** Kept as `guard_outcome`. */
  readonly guards: unknown
  /** What of its deliveries counts against limits of the account; finish-limited.ts. */
  readonly rateClaims: readonly RateClaim[]
}

// Only the token is compared, not the state: take-over.ts says why.
// Rows are locked in the order in which ingest locks them (rule, conversation, key), so the two cannot deadlock. Should
// ingest have changed a row while we waited for it, its new version is compared again: token, key, clock and anchor. What
// changed only facts has raised a revision before our snapshot, or comes after us.
const FINISH = `
  WITH judged AS (
    SELECT * FROM json_to_recordset($2::json) AS v(id bigint, status text, skip_reason text, guard_outcome jsonb,
      rules_version bigint, conversation_revision bigint, contact_revision bigint, episode_key text, due_at bigint,
      message_id bigint)
  ), held AS MATERIALIZED (
    SELECT v.id, v.status, v.skip_reason, v.guard_outcome
    FROM judged v
    JOIN automation_rule_pending_executions e ON e.id = v.id
    JOIN accounts a ON a.id = e.account_id AND a.rules_version = v.rules_version
    LEFT JOIN conversations c ON c.account_id = e.account_id AND c.id = e.conversation_id
    LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
    WHERE e.claim_token = $1
      AND e.episode_key = v.episode_key AND e.due_at = dwell_instant(v.due_at)
      AND e.message_id IS NOT DISTINCT FROM v.message_id
      AND coalesce(c.revision, 0) = v.conversation_revision AND coalesce(p.revision, 0) = v.contact_revision
    ORDER BY e.automation_rule_id, e.conversation_id, e.episode_key
    FOR UPDATE OF e
  ), finished AS (
    UPDATE automation_rule_pending_executions e
    SET status = held.status, skip_reason = held.skip_reason, guard_outcome = held.guard_outcome,
      claim_token = NULL, claimed_at = NULL, finished_at = dwell_instant($3), updated_at = dwell_instant($3),
      executed_at = CASE WHEN held.status = 'executed' THEN dwell_instant($3) END
    FROM held WHERE e.id = held.id
    RETURNING e.id, e.account_id, e.automation_rule_id, e.created_at, e.skip_reason
  ), outbox AS (
    INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
      error, next_attempt_at, created_at, updated_at)
    SELECT d.id, f.account_id, f.id, d.position, d.action_name, d.target, d.status, d.payload, d.error,
      CASE WHEN d.status = 'pending' THEN dwell_instant($3) END, dwell_instant($3), dwell_instant($3)
    FROM json_to_recordset($4::json) AS d(id text, pending_execution_id bigint, position int, action_name text, target text,
      status text, payload jsonb, error text)
    JOIN finished f ON f.id = d.pending_execution_id
  ), tallied AS (${tallyEnded('finished')}
  )
  SELECT id FROM finished`

/**
 * Ends rows held under one token and writes what executed ones decided into the outbox: one statement, so there is no
 * state in which nobody knows whether the actions were decided. A row ends only if its claim is still ours and all it was
 * judged by is still so. Answers the ids that ended.
 */
export function finishHeld(
  db: Queryable,
  claimToken: string,
  finishes: readonly Finish[],
  now: Micros,
): Promise<Set<number>> {
  return retryDeadlock(() => finishHeldOnce(db, claimToken, finishes, now))
}

/** The same within a transaction, which a deadlock ends as a whole. */
export async function finishHeldOnce(
  db: Queryable,
  claimToken: string,
  finishes: readonly Finish[],
  now: Micros,
): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>({
    name: 'finish-held',
    text: FINISH,
    values: [claimToken, JSON.stringify(finishes.map(judgedRow)), now, JSON.stringify(finishes.flatMap(deliveryRows))],
  })
  return new Set(rows.map(({ id }) => id))
}

function judgedRow({ held, outcome, guards, rulesVersion }: Finish) {
  return {
    id: held.row.id,
    status: outcome.status,
    skip_reason: outcome.status === 'skipped' ? outcome.reason : null,
    guard_outcome: guards,
    rules_version: rulesVersion,
    conversation_revision: held.conversation?.revision ?? 0,
    contact_revision: held.contact?.revision ?? 0,
    episode_key: held.row.episodeKey,
    due_at: held.row.dueAt,
    message_id: held.row.anchor?.id ?? null,
  }
}

function deliveryRows({ held, outcome }: Finish) {
  if (outcome.status !== 'executed') return []
  return outcome.deliveries.map(({ actionName, ...delivery }) => ({
    ...delivery,
    action_name: actionName,
    pending_execution_id: held.row.id,
  }))
}
