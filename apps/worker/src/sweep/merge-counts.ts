import { mergeRunCounts } from '@dwell/database/automations/run-counts'
import type { Pool } from '@dwell/database/pool'
import type { SweepTrigger } from '@dwell/database/sweeps'
import type { Logger } from '@dwell/runtime/logger'

/** There may be dozens of wakes per second, and each waits for the one before. */
const PAUSE_MS = 1_000

/**
 * Tidies the counts of runs up after sweeps, so that reading them stays quick: a batch after a wake, at most once a second,
 * and all there is after any other. What is read is right without it, so that a failure is only reported.
 */
export function createCountsMerger({ pool, logger }: { readonly pool: Pool; readonly logger: Logger }) {
  let mergedAt = Number.NEGATIVE_INFINITY
  return async (trigger: SweepTrigger): Promise<void> => {
    const now = performance.now()
    if (trigger === 'wake' && now - mergedAt < PAUSE_MS) return
    mergedAt = now
    try {
      await mergeRunCounts(pool, trigger === 'wake' ? 1 : undefined)
    } catch (error) {
      logger.error('counts of runs could not be merged', { event: 'sweep.merge_counts_failed', error })
    }
  }
}
