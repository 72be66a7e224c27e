import type { Micros } from '@dwell/contracts/instant'
import type { SkipReason } from '@dwell/contracts/pending-execution'
import type { PlannedDelivery } from '@dwell/domain/rules/planned-delivery'
import { retryDeadlock } from '../deadlock'
import type { Queryable } from '../pool'
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
}

// Rows are locked in the order in which ingest locks them (rule, conversation, key), so the two cannot deadlock. Should
// ingest have changed a row while we waited for it, its new version is compared again: token, key, clock and anchor. What
// changed only facts has raised a revision before our snapshot, or comes after us.
const FINISH = `
  WITH judged AS (
    SELECT * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::jsonb[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::text[], $10::bigint[], $11::bigint[])
      AS v(id, status, skip_reason, guard_outcome, rules_version, conversation_revision, contact_revision,
        episode_key, due_at, message_id)
  ), held AS MATERIALIZED (
    SELECT v.id, v.status, v.skip_reason, v.guard_outcome
    FROM judged v
    JOIN automation_rule_pending_executions e ON e.id = v.id
    JOIN accounts a ON a.id = e.account_id AND a.rules_version = v.rules_version
    LEFT JOIN conversations c ON c.account_id = e.account_id AND c.id = e.conversation_id
    LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
    WHERE e.status = 'processing' AND e.claim_token = $1
      AND e.episode_key = v.episode_key AND e.due_at = dwell_instant(v.due_at)
      AND e.message_id IS NOT DISTINCT FROM v.message_id
      AND coalesce(c.revision, 0) = v.conversation_revision AND coalesce(p.revision, 0) = v.contact_revision
    ORDER BY e.automation_rule_id, e.conversation_id, e.episode_key
    FOR UPDATE OF e
  ), finished AS (
    UPDATE automation_rule_pending_executions e
    SET status = held.status, skip_reason = held.skip_reason, guard_outcome = held.guard_outcome,
      claim_token = NULL, claimed_at = NULL, finished_at = dwell_instant($12), updated_at = dwell_instant($12),
      executed_at = CASE WHEN held.status = 'executed' THEN dwell_instant($12) END
    FROM held WHERE e.id = held.id
    RETURNING e.id, e.account_id
  ), outbox AS (
    INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
      error, next_attempt_at, created_at, updated_at)
    SELECT d.id, f.account_id, f.id, d.position, d.action_name, d.target, d.status, d.payload, d.error,
      CASE WHEN d.status = 'pending' THEN dwell_instant($12) END, dwell_instant($12), dwell_instant($12)
    FROM unnest($13::text[], $14::bigint[], $15::int[], $16::text[], $17::text[], $18::text[], $19::jsonb[], $20::text[])
      AS d(id, pending_execution_id, position, action_name, target, status, payload, error)
    JOIN finished f ON f.id = d.pending_execution_id
  )
  SELECT id FROM finished`

/**
 * Ends rows held under one token and writes what executed ones decided into the outbox: one statement, so there is no
 * state in which nobody knows whether the actions were decided. A row ends only if its claim is still ours and all it was
 * judged by is still so. Answers the ids that ended.
 */
export async function finishHeld(
  db: Queryable,
  claimToken: string,
  finishes: readonly Finish[],
  now: Micros,
): Promise<Set<number>> {
  const deliveries = finishes.flatMap(({ held, outcome }) =>
    outcome.status === 'executed'
      ? outcome.deliveries.map((delivery) => ({ ...delivery, executionId: held.row.id }))
      : [],
  )
  const statement = {
    name: 'finish-held',
    text: FINISH,
    values: [
      claimToken,
      finishes.map(({ held }) => held.row.id),
      finishes.map(({ outcome }) => outcome.status),
      finishes.map(({ outcome }) => (outcome.status === 'skipped' ? outcome.reason : null)),
      finishes.map(({ guards }) => JSON.stringify(guards)),
      finishes.map(({ rulesVersion }) => rulesVersion),
      finishes.map(({ held }) => held.conversation?.revision ?? 0),
      finishes.map(({ held }) => held.contact?.revision ?? 0),
      finishes.map(({ held }) => held.row.episodeKey),
      finishes.map(({ held }) => held.row.dueAt),
      finishes.map(({ held }) => held.row.anchor?.id ?? null),
      now,
      deliveries.map(({ id }) => id),
      deliveries.map(({ executionId }) => executionId),
      deliveries.map(({ position }) => position),
      deliveries.map(({ actionName }) => actionName),
      deliveries.map(({ target }) => target),
      deliveries.map(({ status }) => status),
      deliveries.map(({ payload }) => JSON.stringify(payload)),
      deliveries.map(({ error }) => error),
    ],
  }
  const { rows } = await retryDeadlock(() => db.query<{ id: number }>(statement))
  return new Set(rows.map(({ id }) => id))
}
