import { randomUUID } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import { retryDeadlock } from '../deadlock'
import type { Queryable } from '../pool'
import { type DueScope, scopeCondition } from './due-scope'

/** A row in a worker's hands. Whoever changes it must show the token. */
export interface ClaimedExecution {
  readonly id: number
  readonly accountId: number
  /** UUID; another claim of the same row has another one. */
  readonly claimToken: string
  /** A row of an immediate rule (`event:…`). */
  readonly immediate: boolean
  readonly dueAt: Micros
}

interface ClaimedRow {
  readonly id: number
  readonly account_id: number
  readonly immediate: boolean
  readonly due_at: Micros
}

/** µs a claim lives without a sign of its worker: 15 minutes, three sweeps. Seed phase 2. */
export const STALE_CLAIM = 15 * 60_000_000

const CLAIMED = `e.id, e.account_id, e.episode_key LIKE 'event:%' AS immediate, dwell_micros(e.due_at) AS due_at`

// The LIMIT stands in a materialised CTE: a bare IN (SELECT … LIMIT) may be run more than once. The partial index
// (due_at, id) WHERE finished_at IS NULL gives due order without a sort and touches only what it takes. The rows are locked,
// so they can be found again by their place. Measured beside 1,000,000 waiting rows: docs/adr/0002-claim-in-due-order.md.
const claimDueSql = (condition: string) => `
  WITH due AS MATERIALIZED (
    SELECT e.ctid AS place FROM automation_rule_pending_executions e
    WHERE e.finished_at IS NULL AND e.due_at <= dwell_instant($1) AND (e.due_at, e.id) > (dwell_instant($4), $5)
      AND e.status = 'pending' ${condition}
    ORDER BY e.due_at, e.id LIMIT $2
    FOR UPDATE OF e SKIP LOCKED
  )
  UPDATE automation_rule_pending_executions e
  SET status = 'processing', claim_token = $3, claimed_at = dwell_instant($1), updated_at = dwell_instant($1)
  FROM due WHERE e.ctid = due.place
  RETURNING ${CLAIMED}`

/** Where in due order a claim begins: behind this row. */
export type DuePlace = Pick<ClaimedExecution, 'dueAt' | 'id'>

const BEGINNING: DuePlace = { dueAt: 0 as Micros, id: 0 }

/**
 * Takes what is due at the scope's `now` (exactly due counts), oldest first, at most `limit` rows. Rows that another sweep
 * or a batch of ingest holds are passed over. What is claimed stays in the index until it ends, so a sweep that claims
 * batch after batch lets each begin behind the last row of the one before.
 */
export async function claimDue(
  db: Queryable,
  scope: DueScope,
  limit: number,
  after: DuePlace = BEGINNING,
): Promise<ClaimedExecution[]> {
  const token = randomUUID()
  const condition = scopeCondition(scope)
  const { rows } = await db.query<ClaimedRow>({
    name: `claim-due-${condition.name}`,
    text: claimDueSql(condition.sql),
    values: [scope.now, limit, token, after.dueAt, after.id],
  })
  return rows.map((row) => claimed(row, token)).sort(inDueOrder)
}

const CLAIM_BY_IDS = `
  WITH wanted AS MATERIALIZED (
    SELECT id FROM automation_rule_pending_executions
    WHERE id = ANY ($1::bigint[])
      AND (status = 'pending' OR status = 'processing' AND claimed_at < dwell_instant($4))
    FOR UPDATE SKIP LOCKED
  )
  UPDATE automation_rule_pending_executions e
  SET status = 'processing', claim_token = $3, claimed_at = dwell_instant($2), updated_at = dwell_instant($2)
  FROM wanted WHERE e.id = wanted.id
  RETURNING ${CLAIMED}`

/**
 * Takes exactly these rows: what waits, and what a worker has held longer than a claim lives (`STALE_CLAIM`). Used for
 * immediate rows right after they were armed, and for replays. Whether they are due is the caller's business.
 * `fromHolders` takes them out of a worker's hands however young its claim is: should it still be at work it loses.
 */
export async function claimByIds(
  db: Queryable,
  options: { readonly ids: readonly number[]; readonly now: Micros; readonly fromHolders?: boolean },
): Promise<ClaimedExecution[]> {
  if (options.ids.length === 0) return []
  const token = randomUUID()
  const { rows } = await db.query<ClaimedRow>({
    name: 'claim-by-ids',
    text: CLAIM_BY_IDS,
    values: [
      options.ids,
      options.now,
      token,
      options.fromHolders ? Number.MAX_SAFE_INTEGER : options.now - STALE_CLAIM,
    ],
  })
  return rows.map((row) => claimed(row, token)).sort(inDueOrder)
}

// Rows are locked in the order in which ingest locks them, so the two cannot deadlock. Why no state is named: take-over.ts.
const RELEASE = `
  WITH held AS MATERIALIZED (
    SELECT e.id FROM unnest($1::bigint[], $2::uuid[]) AS c(id, token)
    JOIN automation_rule_pending_executions e ON e.id = c.id
    WHERE e.claim_token = c.token
    ORDER BY e.automation_rule_id, e.conversation_id, e.episode_key FOR UPDATE OF e
  )
  UPDATE automation_rule_pending_executions e
  SET status = 'pending', claim_token = NULL, claimed_at = NULL, updated_at = dwell_instant($3)
  FROM held WHERE e.id = held.id
  RETURNING e.id`

/** Gives claims back: the rows wait again. Answers the ids that were still held under these tokens. */
export async function releaseClaims(
  db: Queryable,
  claims: readonly Pick<ClaimedExecution, 'id' | 'claimToken'>[],
  now: Micros,
): Promise<number[]> {
  if (claims.length === 0) return []
  const { rows } = await retryDeadlock(() =>
    db.query<{ id: number }>({
      name: 'release-claims',
      text: RELEASE,
      values: [claims.map(({ id }) => id), claims.map(({ claimToken }) => claimToken), now],
    }),
  )
  return rows.map(({ id }) => id)
}

function inDueOrder(a: ClaimedExecution, b: ClaimedExecution): number {
  return a.dueAt - b.dueAt || a.id - b.id
}

function claimed(row: ClaimedRow, claimToken: string): ClaimedExecution {
  return { id: row.id, accountId: row.account_id, claimToken, immediate: row.immediate, dueAt: row.due_at }
}
