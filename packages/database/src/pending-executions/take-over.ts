import { randomUUID } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import type { PendingExecutionStatus, SkipReason } from '@dwell/contracts/pending-execution'
import { retryDeadlock } from '../deadlock'
import type { Queryable } from '../pool'
import { RELAXED_COMMIT } from '../relaxed-commit'

export interface HeldClaim {
  readonly id: number
  readonly claimToken: string
}

// A row has a token exactly while it is processing (a CHECK says so), so the token alone is compared. Saying more, as that it
// has not finished, could lead the planner away from the primary key to the index of live rows, which it takes for empty: a
// batch of 100 took 500 ms beside 20,000 claimed rows instead of 5.
// Undone by a crash, the job comes again and finds the older token. Rows are locked in the order in which ingest locks them,
// so the two cannot deadlock.
const TAKE_OVER = `
  WITH held AS MATERIALIZED (
    SELECT e.id, c.token FROM unnest($1::bigint[], $2::uuid[]) AS c(id, token)
    JOIN automation_rule_pending_executions e ON e.id = c.id
    WHERE e.claim_token = c.token AND ${RELAXED_COMMIT}
    ORDER BY e.automation_rule_id, e.conversation_id, e.episode_key FOR UPDATE OF e
  )
  UPDATE automation_rule_pending_executions e
  SET claim_token = $3, claimed_at = dwell_instant($4), updated_at = dwell_instant($4)
  FROM held WHERE e.id = held.id
  RETURNING e.id, held.token`

/**
 * A job takes the sweep's claim over: a fresh token, so that a second copy of the job loses, and a fresh time, so that what
 * waited long in the queue is not reclaimed while it is judged. Touches no index. Answers the new claims by the `claimKey` of
 * the old; who is missing was superseded, reclaimed or is done.
 */
export async function takeOver(
  db: Queryable,
  claims: readonly HeldClaim[],
  now: Micros,
): Promise<Map<string, HeldClaim>> {
  const claimToken = randomUUID()
  const { rows } = await retryDeadlock(() =>
    db.query<{ id: number; token: string }>({
      name: 'take-over',
      text: TAKE_OVER,
      values: [claims.map(({ id }) => id), claims.map((claim) => claim.claimToken), claimToken, now],
    }),
  )
  return new Map(rows.map(({ id, token }) => [claimKey({ id, claimToken: token }), { id, claimToken }]))
}

/** Tells a claim from an earlier or later one of the same row. */
export function claimKey({ id, claimToken }: HeldClaim): string {
  return `${id}/${claimToken.toLowerCase()}`
}

export interface ExecutionState {
  readonly id: number
  readonly status: PendingExecutionStatus
  readonly skipReason: SkipReason | null
  readonly claimToken: string | null
  readonly claimedAt: Micros | null
  readonly dueAt: Micros
  /** A row of an immediate rule (`event:…`). */
  readonly immediate: boolean
}

const STATES = `
  SELECT id, status, skip_reason, claim_token, dwell_micros(claimed_at) AS claimed_at, dwell_micros(due_at) AS due_at,
    episode_key LIKE 'event:%' AS immediate
  FROM automation_rule_pending_executions WHERE id = ANY ($1::bigint[])`

/** Where these rows stand now; deleted ones are missing. */
export async function readStates(db: Queryable, ids: readonly number[]): Promise<Map<number, ExecutionState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{
    id: number
    status: PendingExecutionStatus
    skip_reason: SkipReason | null
    claim_token: string | null
    claimed_at: Micros | null
    due_at: Micros
    immediate: boolean
  }>({ name: 'execution-states', text: STATES, values: [ids] })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        status: row.status,
        skipReason: row.skip_reason,
        claimToken: row.claim_token,
        claimedAt: row.claimed_at,
        dueAt: row.due_at,
        immediate: row.immediate,
      },
    ]),
  )
}
