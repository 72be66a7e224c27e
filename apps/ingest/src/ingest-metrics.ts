import type { DeadLetterError } from '@dwell/contracts/dead-letter'
import type { RowChangeKind } from '@dwell/domain/rules/fold-rows'
import type { Metrics } from '@dwell/runtime/metrics'

const BATCH_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]

/** What ingest counts. */
export interface IngestMetrics {
  /** Events whose fate is decided. */
  events(outcome: 'taken' | 'duplicate' | 'ignored', count: number): void
  deadEvent(reason: DeadLetterError): void
  rows(kind: RowChangeKind, count: number): void
  /** Runs of automations that began. */
  runs(count: number): void
  batch(seconds: number): void
  /** A batch that lost a race for locks is run again. */
  retried(): void
  paused(reason: string): void
  resumed(reason: string): void
  /** Immediate rows that were not enqueued at once, or a wake that was not set: the next sweep makes up for it. */
  followUpFailed(reason: 'enqueue' | 'wake'): void
  takenOver(entries: number): void
  trimmed(entries: number): void
}

export function createIngestMetrics(metrics: Metrics): IngestMetrics {
  const events = metrics.counter('dwell_ingest_events_total', 'Events by what became of them.', ['outcome', 'reason'])
  const rows = metrics.counter('dwell_ingest_rows_total', 'Pending executions changed by events.', ['outcome'])
  const runs = metrics.counter('dwell_automation_runs_total', 'Runs of automations that began.')
  const seconds = metrics.histogram('dwell_ingest_batch_seconds', 'From reading a batch to its acknowledgement.', {
    buckets: BATCH_SECONDS,
  })
  const retries = metrics.counter('dwell_ingest_retries_total', 'Batches run again after a deadlock or a lost race.')
  const pauses = metrics.counter('dwell_ingest_pauses_total', 'Times that ingest began to wait for a store.', [
    'reason',
  ])
  const paused = metrics.gauge('dwell_ingest_paused', '1 while ingest waits for a store.', ['reason'])
  const failed = metrics.counter(
    'dwell_ingest_follow_up_failures_total',
    'Work after a commit left to the next sweep.',
    ['reason'],
  )
  const takenOver = metrics.counter('dwell_ingest_taken_over_total', 'Entries taken over from other consumers.')
  const trimmed = metrics.counter('dwell_ingest_trimmed_total', 'Acknowledged entries trimmed from the streams.')
  return {
    events: (outcome, count) => {
      if (count > 0) events.add({ outcome, reason: 'none' }, count)
    },
    deadEvent: (reason) => events.add({ outcome: 'dead', reason }),
    rows: (outcome, count) => rows.add({ outcome }, count),
    runs: (count) => runs.add({}, count),
    batch: (value) => seconds.observe({}, value),
    retried: () => retries.add({}),
    paused: (reason) => {
      pauses.add({ reason })
      paused.set({ reason }, 1)
    },
    resumed: (reason) => paused.set({ reason }, 0),
    followUpFailed: (reason) => failed.add({ reason }),
    takenOver: (entries) => takenOver.add({}, entries),
    trimmed: (entries) => trimmed.add({}, entries),
  }
}
