import type { Micros } from '@dwell/contracts/instant'
import type { DeliveryAttempt, DeliveryStatus, DeliveryTarget } from '@dwell/contracts/pending-execution'
import type { JsonObject } from '@dwell/domain/rules/planned-delivery'
import type { Queryable } from '../pool'

/** A delivery to a slow target (webhook, mail) whose next attempt is due. */
export interface DueDelivery {
  readonly id: string
  readonly accountId: number
  /** 1 for the first. */
  readonly attempt: number
  readonly dueAt: Micros
}

// Two columns of the index (next_attempt_at, id) WHERE status = 'pending' carry from page to page.
const DUE = `
  SELECT id, account_id, jsonb_array_length(attempts) + 1 AS attempt, dwell_micros(next_attempt_at) AS due_at
  FROM action_deliveries
  WHERE status = 'pending' AND target <> 'stream' AND next_attempt_at <= dwell_instant($1)
    AND (next_attempt_at, id) > (dwell_instant($2), $3)
  ORDER BY next_attempt_at, id LIMIT $4`

/** What is due at `now`, a page of it: what comes `after` another, in order of (dueAt, id). */
export async function dueDeliveries(
  db: Queryable,
  now: Micros,
  after: Pick<DueDelivery, 'dueAt' | 'id'>,
  limit: number,
): Promise<DueDelivery[]> {
  const { rows } = await db.query<{ id: string; account_id: number; attempt: number; due_at: Micros }>({
    name: 'deliveries-due',
    text: DUE,
    values: [now, after.dueAt, after.id, limit],
  })
  return rows.map(({ id, account_id: accountId, attempt, due_at: dueAt }) => ({ id, accountId, attempt, dueAt }))
}

// First attempts have their jobs already, and those of the stream need none: neither is worth a wake.
const NEXT = `
  SELECT dwell_micros(next_attempt_at) AS at FROM action_deliveries
  WHERE status = 'pending' AND next_attempt_at > dwell_instant($1) AND target <> 'stream' AND attempts <> '[]'
  ORDER BY next_attempt_at LIMIT 1`

/** When the next repetition after `now` is due; null when none waits. */
export async function nextAttemptDueAt(db: Queryable, now: Micros): Promise<Micros | null> {
  const { rows } = await db.query<{ at: Micros }>({ name: 'deliveries-next', text: NEXT, values: [now] })
  return rows[0]?.at ?? null
}

export interface DeliveryToAttempt {
  readonly id: string
  readonly accountId: number
  readonly target: DeliveryTarget
  readonly payload: JsonObject
  readonly settings: Readonly<Record<string, unknown>>
  /** Attempts made before. */
  readonly attempts: readonly DeliveryAttempt[]
}

// Pending is what has a next attempt (a CHECK says so); why the state is not named: stream-relay.ts.
const LOAD = `
  SELECT d.id, d.account_id, d.target, d.payload, d.attempts, a.settings
  FROM action_deliveries d JOIN accounts a ON a.id = d.account_id
  WHERE d.id = $1 AND d.target <> 'stream' AND d.next_attempt_at <= dwell_instant($2)`

/** The delivery, if an attempt of it is due; null where another one made it, or a person dismissed it. */
export async function loadForAttempt(db: Queryable, id: string, now: Micros): Promise<DeliveryToAttempt | null> {
  const { rows } = await db.query<{
    id: string
    account_id: number
    target: DeliveryTarget
    payload: JsonObject
    attempts: DeliveryAttempt[]
    settings: Record<string, unknown>
  }>({ name: 'delivery-load', text: LOAD, values: [id, now] })
  const row = rows[0]
  if (row === undefined) return null
  const { account_id: accountId, ...rest } = row
  return { ...rest, accountId }
}

/** Where a delivery stands; null when it is gone. */
export async function deliveryStatus(db: Queryable, id: string): Promise<DeliveryStatus | null> {
  const { rows } = await db.query<{ status: DeliveryStatus }>('SELECT status FROM action_deliveries WHERE id = $1', [
    id,
  ])
  return rows[0]?.status ?? null
}

/** What the row says while an attempt that must not be repeated is under way, and for ever if its worker dies. */
export const BEGUN = 'the attempt began and its end was never heard of'

const BEGIN = `
  UPDATE action_deliveries
  SET status = 'unknown', next_attempt_at = NULL, error = $3, updated_at = dwell_instant($2),
    attempts = attempts || $4::jsonb
  WHERE id = $1 AND next_attempt_at IS NOT NULL AND jsonb_array_length(attempts) = $5`

/**
 * Before a target that cannot deduplicate is asked: from here on the outcome is `unknown` until it is known. False when
 * somebody else was faster.
 */
export async function beginUnrepeatable(
  db: Queryable,
  delivery: DeliveryToAttempt,
  now: Micros,
  at: string,
): Promise<boolean> {
  const begun: DeliveryAttempt = { at, outcome: 'unknown', error: BEGUN }
  const { rowCount } = await db.query({
    name: 'delivery-begin',
    text: BEGIN,
    values: [delivery.id, now, BEGUN, JSON.stringify([begun]), delivery.attempts.length],
  })
  return rowCount === 1
}

const END = `
  UPDATE action_deliveries
  SET status = $3, error = $4, next_attempt_at = dwell_instant($5), updated_at = dwell_instant($2),
    delivered_at = CASE WHEN $3 = 'delivered' THEN dwell_instant($2) END, attempts = $6::jsonb
  WHERE id = $1 AND (next_attempt_at IS NULL) = $7 AND (next_attempt_at IS NOT NULL OR status = 'unknown')
    AND jsonb_array_length(attempts) = $8`

/** Keeps what an attempt came to. False when the row has moved on meanwhile. */
export async function endAttempt(
  db: Queryable,
  delivery: DeliveryToAttempt,
  end: {
    readonly status: DeliveryStatus
    readonly error: string | null
    readonly nextAttemptAt: Micros | null
    readonly attempt: DeliveryAttempt
    /** The attempt was kept by `beginUnrepeatable`. */
    readonly begun: boolean
  },
  now: Micros,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delivery-end',
    text: END,
    values: [
      delivery.id,
      now,
      end.status,
      end.error,
      end.nextAttemptAt,
      JSON.stringify([...delivery.attempts, end.attempt]),
      end.begun,
      delivery.attempts.length + (end.begun ? 1 : 0),
    ],
  })
  return rowCount === 1
}

const UNFINISHED = `
  SELECT count(*) AS open FROM action_deliveries
  WHERE (pending_execution_id = ANY ($1::bigint[]) OR id = ANY ($2::text[]))
    AND (status = 'pending' AND next_attempt_at <= dwell_instant($3)
      OR status = 'unknown' AND attempts -> -1 ->> 'error' = $4)`

/** How many of these deliveries have an attempt due or under way. */
export async function countUnfinished(
  db: Queryable,
  scope: { readonly executionIds: readonly number[]; readonly deliveryIds: readonly string[] },
  now: Micros,
): Promise<number> {
  const { rows } = await db.query<{ open: number }>({
    name: 'deliveries-unfinished',
    text: UNFINISHED,
    values: [scope.executionIds, scope.deliveryIds, now, BEGUN],
  })
  return rows[0]?.open ?? 0
}
