import type { Micros } from '@dwell/contracts/instant'
import type { PoolClient } from 'pg'

interface EventId {
  readonly account_id: number
  readonly id: string
}

const TAKE = `
  INSERT INTO taken_events (account_id, event_id, taken_at)
  SELECT account_id, event_id, dwell_instant($3) FROM unnest($1::bigint[], $2::text[]) AS event(account_id, event_id)
  ON CONFLICT DO NOTHING
  RETURNING account_id, event_id`

/**
 * Marks events as taken and answers those that had not been before, each id once: the first of its copies. A copy that
 * another consumer is taking at this moment is waited for.
 */
export async function takeEvents<E extends EventId>(
  client: PoolClient,
  events: readonly E[],
  now: Micros,
): Promise<Set<E>> {
  const firsts = new Map<string, E>()
  for (const event of events) {
    const key = eventKey(event.account_id, event.id)
    if (!firsts.has(key)) firsts.set(key, event)
  }
  // Every consumer inserts in this order, so that two of them with the same events cannot wait for each other in a circle.
  const sorted = [...firsts.values()].sort((a, b) => a.account_id - b.account_id || (a.id < b.id ? -1 : 1))
  const { rows } = await client.query<{ account_id: number; event_id: string }>({
    name: 'ingest-take-events',
    text: TAKE,
    values: [sorted.map((event) => event.account_id), sorted.map((event) => event.id), now],
  })
  const taken = new Set<E>()
  for (const row of rows) {
    const event = firsts.get(eventKey(row.account_id, row.event_id))
    if (event !== undefined) taken.add(event)
  }
  return taken
}

function eventKey(accountId: number, id: string): string {
  return `${accountId}/${id}`
}
