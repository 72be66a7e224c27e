import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { IngestMetrics } from './ingest-metrics'
import { trimAcknowledged } from './stream/trim'

export interface Trimming {
  /** Resolves when a turn under way has ended. */
  stop(): Promise<void>
}

/** Trims the streams again and again until it is stopped. A failure is reported and the next turn tries again. */
export function startTrimming(options: {
  readonly redis: RedisConnection
  readonly logger: Logger
  readonly metrics: IngestMetrics
  readonly streams: readonly string[]
  readonly everyMs: number
}): Trimming {
  const { redis, logger, metrics, streams, everyMs } = options
  let turn: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    turn = turn.then(trim)
  }, everyMs)

  async function trim(): Promise<void> {
    for (const stream of streams) {
      try {
        metrics.trimmed(await trimAcknowledged(redis, stream))
      } catch (error) {
        logger.warn('stream was not trimmed', { event: 'ingest.trim_failed', stream, error })
      }
    }
  }

  return {
    async stop() {
      clearInterval(timer)
      await turn
    },
  }
}
