import type { Micros } from '@dwell/contracts/instant'
import type { Queryable } from '../pool'

// Counting stops at 10,000: it is asked at every scrape, and beyond that the age says more than the number.
const BACKLOG = `
  SELECT count(*) AS due, min(due_at) AS oldest FROM (
    SELECT dwell_micros(e.due_at) AS due_at FROM automation_rule_pending_executions e
    WHERE e.finished_at IS NULL AND e.due_at <= dwell_instant($1) AND e.status = 'pending'
    ORDER BY e.due_at, e.id LIMIT 10000) backlog`

/** How much is due, and since when. */
export async function backlogOf(db: Queryable, now: Micros): Promise<{ due: number; oldestDueAt: Micros | null }> {
  const { rows } = await db.query<{ due: number; oldest: Micros | null }>({
    name: 'backlog',
    text: BACKLOG,
    values: [now],
  })
  return { due: rows[0]?.due ?? 0, oldestDueAt: rows[0]?.oldest ?? null }
}
