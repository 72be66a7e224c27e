import type { RunStatus } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import { answeredWindow, type EntryWindow, entriesOf } from '../calendar/entry-window'

/** Runs of one status that entered in one bucket, as the database counted them. */
export interface BucketCount {
  /** Place in `window.bucketStarts`. */
  readonly bucket: number
  readonly status: RunStatus
  readonly count: number
}

/**
 * The answer of `performance-stats`: chart and cards come from the same rows, so the three cards sum to the total and the
 * chart does too.
 */
export function performanceStats(automationId: string, window: EntryWindow, rows: readonly BucketCount[], now: Micros) {
  const entries = new Map<number, number>()
  const statuses: Record<RunStatus, number> = { in_progress: 0, completed: 0, exited_early: 0 }
  for (const { bucket, status, count } of rows) {
    entries.set(bucket, (entries.get(bucket) ?? 0) + count)
    statuses[status] += count
  }
  return {
    automation_id: automationId,
    total_run_count: statuses.in_progress + statuses.completed + statuses.exited_early,
    in_progress_run_count: statuses.in_progress,
    completed_run_count: statuses.completed,
    exited_early_run_count: statuses.exited_early,
    entries: entriesOf(window, entries, now),
    entry_window: answeredWindow(window),
  }
}
