import type { Micros } from '@dwell/contracts/instant'
import type { Queryable } from '../pool'

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

const MARK = `
  UPDATE action_deliveries
  SET status = 'delivered', delivered_at = dwell_instant($2), updated_at = dwell_instant($2), next_attempt_at = NULL,
    relayed_at = clock_timestamp(), error = NULL,
    attempts = attempts || jsonb_build_array(jsonb_build_object('at', $3::text, 'outcome', 'delivered'))
  WHERE id = ANY ($1::text[]) AND status = 'pending'`

/** Keeps that these stand on the stream. `at` is `now` as ISO text. Answers how many were still pending. */
export async function markRelayed(db: Queryable, ids: readonly string[], now: Micros, at: string): Promise<number> {
  const { rowCount } = await db.query({ name: 'stream-mark', text: MARK, values: [ids, now, at] })
  return rowCount ?? 0
}

const RECENT = `
  SELECT id, payload FROM action_deliveries
  WHERE relayed_at >= clock_timestamp() - make_interval(secs => $1) AND id > $2
  ORDER BY id LIMIT $3`

/** What was relayed in the last seconds of real time, page by page in order of ids: Redis may have lost it in a crash. */
export async function recentlyRelayed(
  db: Queryable,
  options: { readonly seconds: number; readonly afterId: string; readonly limit: number },
): Promise<StreamDelivery[]> {
  const { rows } = await db.query<StreamDelivery>({
    name: 'stream-recent',
    text: RECENT,
    values: [options.seconds, options.afterId, options.limit],
  })
  return rows
}
