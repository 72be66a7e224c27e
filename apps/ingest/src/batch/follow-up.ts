import type { Micros } from '@dwell/contracts/instant'
import type { TakenBatch } from '@dwell/database/ingest/take-batch'
import { type ClaimedExecution, claimByIds, releaseClaims } from '@dwell/database/pending-executions/claim'
import type { Queryable } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { IngestMetrics } from '../ingest-metrics'

export interface FollowUpDependencies {
  readonly db: Queryable
  readonly clock: Clock
  readonly enqueue: (claims: readonly ClaimedExecution[]) => Promise<void>
  /** Null where nothing happens by the passing of time. */
  readonly wake: { bringForward(dueAt: Micros, now: Micros): Promise<void> } | null
  readonly logger: Logger
  readonly metrics: IngestMetrics
}

/**
 * After a commit: rows of immediate rules go to the workers at once, and a row that comes due before the next sweep has
 * one come sooner. Neither may fail the batch, which is in effect already: what is left out here, the next sweep does.
 */
export class FollowUp {
  constructor(private readonly deps: FollowUpDependencies) {}

  async after(batch: TakenBatch): Promise<void> {
    const { clock, logger, metrics, wake } = this.deps
    if (batch.immediateIds.length > 0) {
      await this.enqueueNow(batch.immediateIds).catch((error: unknown) => {
        metrics.followUpFailed('enqueue')
        logger.error('immediate rows were left to the next sweep', {
          event: 'ingest.enqueue_failed',
          rows: batch.immediateIds.length,
          error,
        })
      })
    }
    if (batch.earliestDue === null || wake === null) return
    try {
      await wake.bringForward(batch.earliestDue, await clock.now())
    } catch (error) {
      metrics.followUpFailed('wake')
      logger.warn('wake was not set', { event: 'ingest.wake_failed', error })
    }
  }

  /**
   * Who was handed events before may have died between their commit and what follows it: then rows of immediate rules and
   * steps of automations wait, and nobody was told. One sweep finds all of them.
   */
  async catchUp(): Promise<void> {
    const { clock, logger, metrics, wake } = this.deps
    try {
      const now = await clock.now()
      await wake?.bringForward(now, now)
    } catch (error) {
      metrics.followUpFailed('wake')
      logger.warn('wake was not set', { event: 'ingest.wake_failed', error })
    }
  }

  private async enqueueNow(ids: readonly number[]): Promise<void> {
    const { clock, db, enqueue } = this.deps
    const now = await clock.now()
    const claims = await claimByIds(db, { ids, now })
    try {
      await enqueue(claims)
    } catch (error) {
      await releaseClaims(db, claims, now)
      throw error
    }
  }
}
