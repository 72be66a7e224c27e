import { randomUUID } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import { LOCK_DURATION } from '@dwell/domain/automations/step'
import type { Queryable } from '../pool'

/** A step in a worker's hands. Whoever changes it must show the token. */
export interface ClaimedStep {
  /** UUID. */
  readonly id: string
  readonly accountId: number
  /** UUID; another claim of the same step has another one. */
  readonly lockToken: string
  readonly readyAt: Micros
}

/** Steps that one statement claims at most. */
export const STEP_BATCH = 100

// $1 now, $2 locks taken before this instant are over, $3 limit, $4 token. The partial index (ready_at, created_at, id)
// WHERE status = 'pending' gives the order without a sort; those in somebody's hands are few and are passed over.
const CLAIM = `
  WITH ready AS MATERIALIZED (
    SELECT s.id FROM automation_steps s
    WHERE s.status = 'pending' AND s.ready_at <= dwell_instant($1)
      AND (s.lock_token IS NULL OR s.locked_at < dwell_instant($2))
    ORDER BY s.ready_at, s.created_at, s.id LIMIT $3
    FOR UPDATE OF s SKIP LOCKED
  )
  UPDATE automation_steps s
  SET lock_token = $4, locked_at = dwell_instant($1), updated_at = dwell_instant($1)
  FROM ready WHERE s.id = ready.id
  RETURNING s.id, s.account_id, dwell_micros(s.ready_at) AS ready_at, dwell_micros(s.created_at) AS created_at`

/**
 * Claims what is ready (exactly at its time counts), and what a worker has held for more than half an hour: token and time in
 * one statement, the longest ready first, at most `STEP_BATCH`. It is no attempt yet: a claim may wait in a queue that is
 * paused, or be lost with it, and nobody has tried anything then.
 */
export async function claimReadySteps(db: Queryable, now: Micros, limit = STEP_BATCH): Promise<ClaimedStep[]> {
  const lockToken = randomUUID()
  const { rows } = await db.query<{ id: string; account_id: number; ready_at: Micros; created_at: Micros }>({
    name: 'claim-ready-steps',
    text: CLAIM,
    values: [now, now - LOCK_DURATION, Math.min(limit, STEP_BATCH), lockToken],
  })
  return rows
    .sort((a, b) => a.ready_at - b.ready_at || a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
    .map((row) => ({ id: row.id, accountId: row.account_id, lockToken, readyAt: row.ready_at }))
}

const TAKE_OVER = `
  UPDATE automation_steps
  SET lock_token = $3, locked_at = dwell_instant($4), attempts = attempts + 1, updated_at = dwell_instant($4),
    started_at = coalesce(started_at, dwell_instant($4))
  WHERE id = $1 AND lock_token = $2`

/**
 * An attempt begins: token, time and attempt in one statement. The token is a fresh one, so that a second copy of the job
 * loses, and so is the time, so that what waited long in the queue is not taken away while it is carried out. False: another
 * has the step, or it has ended.
 */
export async function takeOverStep(
  db: Queryable,
  claim: { readonly id: string; readonly lockToken: string },
  newToken: string,
  now: Micros,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'take-over-step',
    text: TAKE_OVER,
    values: [claim.id, claim.lockToken, newToken, now],
  })
  return rowCount === 1
}

const RELEASE = `
  UPDATE automation_steps s
  SET lock_token = NULL, locked_at = NULL, updated_at = dwell_instant($3)
  FROM unnest($1::uuid[], $2::uuid[]) AS c(id, token)
  WHERE s.id = c.id AND s.lock_token = c.token`

/** Gives claims back that nothing was done with: the steps wait again. */
export async function releaseSteps(
  db: Queryable,
  claims: readonly { readonly id: string; readonly lockToken: string }[],
  now: Micros,
): Promise<void> {
  await db.query({
    name: 'release-steps',
    text: RELEASE,
    values: [claims.map(({ id }) => id), claims.map(({ lockToken }) => lockToken), now],
  })
}

const TAKE_BACK = `
  WITH step AS (
    UPDATE automation_steps
    SET lock_token = NULL, locked_at = NULL, attempts = greatest(attempts - 1, 0), updated_at = dwell_instant($3)
    WHERE id = $1 AND lock_token = $2
    RETURNING id
  )
  UPDATE automation_emails e SET status = 'deferred', error = $4, updated_at = dwell_instant($3)
  FROM step WHERE e.id = step.id AND e.status = 'sending'`

/** Gives back a step whose attempt was broken off before anything left this process: it does not count. */
export async function takeBackAttempt(
  db: Queryable,
  claim: { readonly id: string; readonly lockToken: string },
  reason: string,
  now: Micros,
): Promise<void> {
  await db.query({ name: 'take-back-attempt', text: TAKE_BACK, values: [claim.id, claim.lockToken, now, reason] })
}

const HELD = `SELECT id FROM automation_steps WHERE id = ANY ($1::uuid[]) AND lock_token IS NOT NULL`

/** Which of these steps are in somebody's hands. */
export async function heldSteps(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({ name: 'held-steps', text: HELD, values: [ids] })
  return new Set(rows.map(({ id }) => id))
}

// The first free one by the index of ready times, the first lock that ends by the index of locked ones. $1 the length of a
// lock in µs; a lock is over when it is older than that.
const NEXT = `
  SELECT least(
    (SELECT dwell_micros(ready_at) FROM automation_steps
     WHERE status = 'pending' AND lock_token IS NULL ORDER BY ready_at LIMIT 1),
    (SELECT min(greatest(dwell_micros(ready_at), dwell_micros(locked_at) + $1::bigint + 1)) FROM automation_steps
     WHERE lock_token IS NOT NULL)) AS at`

/** When a step needs a worker next; may have passed. Null when none waits. */
export async function nextStepAt(db: Queryable): Promise<Micros | null> {
  const { rows } = await db.query<{ at: Micros | null }>({ name: 'next-step-at', text: NEXT, values: [LOCK_DURATION] })
  return rows[0]?.at ?? null
}

// Counting stops at 10,000: it is asked at every scrape.
const BACKLOG = `
  SELECT count(*) AS ready, min(ready_at) AS oldest FROM (
    SELECT dwell_micros(ready_at) AS ready_at FROM automation_steps
    WHERE status = 'pending' AND ready_at <= dwell_instant($1) ORDER BY ready_at LIMIT 10000) backlog`

/** How many steps are ready and not done, and since when the first of them is. */
export async function stepBacklog(
  db: Queryable,
  now: Micros,
): Promise<{ readonly ready: number; readonly oldestReadyAt: Micros | null }> {
  const { rows } = await db.query<{ ready: number; oldest: Micros | null }>({
    name: 'step-backlog',
    text: BACKLOG,
    values: [now],
  })
  return { ready: rows[0]?.ready ?? 0, oldestReadyAt: rows[0]?.oldest ?? null }
}
