import type { Micros } from '@dwell/contracts/instant'
import type { Queryable } from '../pool'
import { RELAXED_COMMIT } from '../relaxed-commit'

/** A delivery whose target is the outbound stream: its id and the entry as it will stand there. */
export interface StreamDelivery {
  readonly id: string
  readonly payload: unknown
}

const PENDING = `
  SELECT id, payload FROM action_deliveries
  WHERE status = 'pending' AND target = 'stream' AND next_attempt_at <= dwell_instant($1)
  ORDER BY pending_execution_id, position LIMIT $2`

/** What was decided but has not reached the stream, in the order of the rules: left behind by a crash or an outage. */
export async function pendingStreamDeliveries(db: Queryable, now: Micros, limit: number): Promise<StreamDelivery[]> {
  const { rows } = await db.query<StreamDelivery>({ name: 'stream-pending', text: PENDING, values: [now, limit] })
  return rows
}

// `next_attempt_at` is there exactly while a delivery is pending (a CHECK says so). Naming the state would lead the planner to
// the index of pending ones, which it takes for empty, instead of to the primary key. Undone by a crash, it is relayed again
// and finds its key.
const MARK = `
  UPDATE action_deliveries
  SET status = 'delivered', delivered_at = dwell_instant($2), updated_at = dwell_instant($2), next_attempt_at = NULL,
    relayed_at = statement_timestamp(), error = NULL,
    attempts = attempts || jsonb_build_array(jsonb_build_object('at', $3::text, 'outcome', 'delivered'))
  WHERE id = ANY ($1::text[]) AND next_attempt_at IS NOT NULL AND ${RELAXED_COMMIT}`

/** Keeps that these stand on the stream. `at` is `now` as ISO text. Answers how many were still pending. */
export async function markRelayed(db: Queryable, ids: readonly string[], now: Micros, at: string): Promise<number> {
  const { rowCount } = await db.query({ name: 'stream-mark', text: MARK, values: [ids, now, at] })
  return rowCount ?? 0
}

// BRIN on relayed_at, hence a lower bound: without one the whole table would be read.
const LAST = `
  SELECT dwell_micros(max(relayed_at)) AS at FROM action_deliveries
  WHERE relayed_at >= clock_timestamp() - make_interval(days => $1)`

/** When something was last known to stand on the stream, in real time; null when that is more than a week ago. */
export async function lastRelayedAt(db: Queryable): Promise<Micros | null> {
  for (const days of [1, 8]) {
    const { rows } = await db.query<{ at: Micros | null }>({ name: 'stream-last', text: LAST, values: [days] })
    if (rows[0]?.at != null) return rows[0].at
  }
  return null
}

// The order in which they were written, so that what was lost comes back in it.
const SINCE = `
  SELECT id FROM action_deliveries WHERE relayed_at >= dwell_instant($1)
  ORDER BY relayed_at, pending_execution_id, position`

/** Ids of what was relayed since then (real time): Redis may have lost it in a crash. */
export async function relayedSince(db: Queryable, since: Micros): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({ name: 'stream-since', text: SINCE, values: [since] })
  return rows.map(({ id }) => id)
}

const BY_IDS = `
  SELECT d.id, d.payload FROM unnest($1::text[]) WITH ORDINALITY AS wanted(id, place)
  JOIN action_deliveries d ON d.id = wanted.id ORDER BY wanted.place`

/** These deliveries, in this order; those that are gone are left out. */
export async function streamDeliveriesOf(db: Queryable, ids: readonly string[]): Promise<StreamDelivery[]> {
  const { rows } = await db.query<StreamDelivery>({ name: 'stream-by-ids', text: BY_IDS, values: [ids] })
  return rows
}
