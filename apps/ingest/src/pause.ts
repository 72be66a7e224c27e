import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@dwell/runtime/logger'
import type { IngestMetrics } from './ingest-metrics'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** Consumers that were cut off together do not all come back at the same moment. */
const JITTER = 0.3

export type PauseReason = 'database' | 'redis'

/** The process ends: what is under way stays unacknowledged and comes again. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * Repeats what fails while a store is away. Nothing else goes on meanwhile, so the order of the stream is kept; the stop
 * signal ends the waiting, not the attempt.
 */
export class Pause {
  constructor(
    private readonly logger: Logger,
    private readonly metrics: IngestMetrics,
    private readonly stop: AbortSignal,
  ) {}

  /** Throws `Stopped` when the process ends before an attempt succeeded, and whatever `isTransient` does not call so. */
  async until<T>(
    reason: PauseReason,
    attempt: () => Promise<T>,
    isTransient: (error: unknown) => boolean = () => true,
  ): Promise<T> {
    let waitMs = 0
    for (;;) {
      try {
        const result = await attempt()
        if (waitMs > 0) this.ended(reason)
        return result
      } catch (error) {
        if (error instanceof Stopped || !isTransient(error)) {
          if (waitMs > 0) this.ended(reason)
          throw error
        }
        if (waitMs === 0) this.began(reason, error)
        waitMs = Math.min(waitMs === 0 ? FIRST_WAIT_MS : waitMs * 2, LONGEST_WAIT_MS)
        await this.wait(waitMs)
      }
    }
  }

  private async wait(waitMs: number): Promise<void> {
    try {
      await sleep(waitMs * (1 + JITTER * Math.random()), undefined, { signal: this.stop })
    } catch {
      throw new Stopped('The process ends')
    }
  }

  private began(reason: PauseReason, error: unknown): void {
    this.metrics.paused(reason)
    this.logger.warn('ingest paused', { event: 'ingest.paused', reason, error })
  }

  private ended(reason: PauseReason): void {
    this.metrics.resumed(reason)
    this.logger.info('ingest resumed', { event: 'ingest.resumed', reason })
  }
}
