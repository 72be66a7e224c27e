import { RUN_STATUSES, type RunStatus } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import { type BucketCount, performanceStats } from '@dwell/domain/automations/performance-stats'
import type { DateRange } from '@dwell/domain/calendar/date-range'
import type { Span } from '@dwell/domain/calendar/day-window'
import { type EntryWindow, entryWindow, type History, rangeSpan } from '@dwell/domain/calendar/entry-window'
import type { PoolClient } from 'pg'
import { inSnapshot, type StatisticsSource } from './snapshot'
import { refuseUnknown, unknownSteps } from './unknown-steps'

/** As `dwell_slot` cuts it. */
const SLOT = 900_000_000

const UNKNOWN = `
  SELECT s.status FROM (${unknownSteps('$1')}) s CROSS JOIN LATERAL (
    SELECT created_at FROM automation_runs WHERE id = s.run_id OFFSET 0) run
  WHERE run.created_at >= coalesce(dwell_instant($2), '-infinity') AND run.created_at < coalesce(dwell_instant($3), 'infinity')
  LIMIT 1`

const HISTORY = `
  SELECT dwell_micros(first.created_at) AS first, dwell_micros(last.created_at) AS last
  FROM (SELECT created_at FROM automation_runs WHERE automation_id = $1 AND status IS NOT NULL
    ORDER BY created_at, id LIMIT 1) first,
    (SELECT created_at FROM automation_runs WHERE automation_id = $1 AND status IS NOT NULL
    ORDER BY created_at DESC, id DESC LIMIT 1) last`

const STARTS = `(SELECT ARRAY(SELECT dwell_instant(s.start) FROM unnest($2::bigint[]) WITH ORDINALITY AS s(start, n) ORDER BY s.n))`

// One stretch of the index per bucket, which is half the work of finding the bucket of every slot; of the changes, which are
// few, the other way round. A bucket that was skipped starts with the one after it: its stretch is empty, and width_bucket
// gives the later one.
const FROM_COUNTS = `
  SELECT b.bucket, counted.*
  FROM (
    SELECT s.n - 1 AS bucket, dwell_instant(s.start) AS start,
      dwell_instant(lead(s.start, 1, $4::bigint) OVER (ORDER BY s.n)) AS next
    FROM unnest($2::bigint[]) WITH ORDINALITY AS s(start, n)
  ) b
  CROSS JOIN LATERAL (
    SELECT sum(in_progress) AS in_progress, sum(completed) AS completed, sum(exited_early) AS exited_early
    FROM automation_run_counts WHERE automation_id = $1 AND slot >= b.start AND slot < b.next
  ) counted
  WHERE counted.in_progress IS NOT NULL
  UNION ALL
  SELECT width_bucket(slot, ${STARTS}) - 1, sum(in_progress), sum(completed), sum(exited_early)
  FROM automation_run_count_changes
  WHERE automation_id = $1 AND slot >= dwell_instant($3) AND slot < dwell_instant($4)
  GROUP BY 1`

const FROM_RUNS = `
  SELECT width_bucket(created_at, ${STARTS}) - 1 AS bucket, count(*) FILTER (WHERE status = 'in_progress') AS in_progress,
    count(*) FILTER (WHERE status = 'completed') AS completed,
    count(*) FILTER (WHERE status = 'exited_early') AS exited_early
  FROM automation_runs
  WHERE automation_id = $1 AND status IS NOT NULL AND created_at >= dwell_instant($3) AND created_at < dwell_instant($4)
  GROUP BY 1`

type CountRow = Readonly<Record<RunStatus | 'bucket', number>>

/**
 * How the runs that entered within a range stand now: the chart and the totals, of one moment. All of it or nothing.
 *
 * @throws UnknownStepStatusError where a step of these runs has a status nobody knows
 * @throws StatisticsTimeoutError
 */
export function readPerformance(source: StatisticsSource, automationId: string, range: DateRange, now: Micros) {
  return inSnapshot(source, async (client) => {
    const span = rangeSpan(range)
    await refuseUnknownSteps(client, automationId, span)
    const history = span === null ? await historyOf(client, automationId) : null
    const window = entryWindow(range, now, history)
    return performanceStats(automationId, window, await countsOf(client, automationId, window), now)
  })
}

async function refuseUnknownSteps(client: PoolClient, automationId: string, span: Span | null): Promise<void> {
  const { rows } = await client.query<{ status: string }>({
    name: 'performance-unknown-steps',
    text: UNKNOWN,
    values: [automationId, span?.start ?? null, span?.end ?? null],
  })
  refuseUnknown(rows[0]?.status ?? null)
}

async function historyOf(client: PoolClient, automationId: string): Promise<History | null> {
  const { rows } = await client.query<History>({ name: 'performance-history', text: HISTORY, values: [automationId] })
  return rows[0] ?? null
}

/**
 * From the counts by quarters of an hour where every bucket begins on one, as it does in every zone of our days; else from
 * the runs themselves.
 */
async function countsOf(client: PoolClient, automationId: string, window: EntryWindow): Promise<BucketCount[]> {
  const counted = [...window.bucketStarts, window.end].every((instant) => instant % SLOT === 0)
  const { rows } = await client.query<CountRow>({
    ...(counted
      ? { name: 'performance-from-counts', text: FROM_COUNTS }
      : { name: 'performance-from-runs', text: FROM_RUNS }),
    values: [automationId, window.bucketStarts, window.start, window.end],
  })
  // What is counted and what was changed since may both have rows of a bucket, and together come to nothing.
  const byBucket = new Map<number, Record<RunStatus, number>>()
  for (const { bucket, ...more } of rows) {
    const counts = byBucket.get(bucket) ?? { in_progress: 0, completed: 0, exited_early: 0 }
    for (const status of RUN_STATUSES) counts[status] += more[status]
    byBucket.set(bucket, counts)
  }
  return [...byBucket].flatMap(([bucket, counts]) =>
    RUN_STATUSES.filter((status) => counts[status] !== 0).map((status) => ({ bucket, status, count: counts[status] })),
  )
}
