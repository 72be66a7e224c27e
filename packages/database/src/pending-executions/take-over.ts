import { randomUUID } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import type { PendingExecutionStatus, SkipReason } from '@dwell/contracts/pending-execution'
import type { Queryable } from '../pool'

export interface HeldClaim {
  readonly id: number
  readonly claimToken: string
}

const TAKE_OVER = `
  UPDATE automation_rule_pending_executions e
  SET claim_token = $3, claimed_at = dwell_instant($4), updated_at = dwell_instant($4)
  FROM unnest($1::bigint[], $2::uuid[]) AS c(id, token)
  WHERE e.id = c.id AND e.status = 'processing' AND e.claim_token = c.token
  RETURNING e.id`

/**
 * A job takes the sweep's claim over: a fresh token, so that a second copy of the job loses, and a fresh time, so that what
 * waited long in the queue is not reclaimed while it is judged. Touches no index. Answers the new claims; who is missing
 * was superseded, reclaimed or is done.
 */
export async function takeOver(
  db: Queryable,
  claims: readonly HeldClaim[],
  now: Micros,
): Promise<Map<number, HeldClaim>> {
  const claimToken = randomUUID()
  const { rows } = await db.query<{ id: number }>({
    name: 'take-over',
    text: TAKE_OVER,
    values: [claims.map(({ id }) => id), claims.map((claim) => claim.claimToken), claimToken, now],
  })
  return new Map(rows.map(({ id }) => [id, { id, claimToken }]))
}

export interface ExecutionState {
  readonly id: number
  readonly status: PendingExecutionStatus
  readonly skipReason: SkipReason | null
  readonly claimToken: string | null
  readonly claimedAt: Micros | null
  readonly dueAt: Micros
}

const STATES = `
  SELECT id, status, skip_reason, claim_token, dwell_micros(claimed_at) AS claimed_at, dwell_micros(due_at) AS due_at
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
      },
    ]),
  )
}
