import type { Micros } from '@dwell/contracts/instant'
import type { SweepSummary } from '@dwell/contracts/jobs'
import { type Page, type Paged, pageArguments, paged } from './page'
import { fromDate } from './stored-instant'
import type { DatabaseOrTransaction } from './transaction'

/** What a sweep did, as it was kept. */
export interface StoredSweep extends SweepSummary {
  readonly id: number
  readonly startedAt: Micros
  readonly trigger: 'schedule' | 'wake' | 'boot' | 'request'
}

export async function listSweeps(db: DatabaseOrTransaction, page: Page): Promise<Paged<StoredSweep>> {
  const rows = await db.sweep.findMany(pageArguments(page))
  const sweeps = rows.map((row) => ({
    id: Number(row.id),
    startedAt: fromDate(row.startedAt),
    trigger: row.trigger as StoredSweep['trigger'],
    event: row.event as SweepSummary['event'],
    due: row.due,
    enqueued: row.enqueued,
    capped: row.capped,
    remaining: row.remaining,
    expired: row.expired,
    reclaimed: row.reclaimed,
    flag_disabled: row.flagDisabled,
    steps: row.steps,
    lateness_p50_ms: row.latenessP50Ms,
    lateness_max_ms: row.latenessMaxMs,
    duration_ms: row.durationMs,
  }))
  return paged(sweeps, page)
}
