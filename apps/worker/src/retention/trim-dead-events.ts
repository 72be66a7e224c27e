import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import { MICROS_PER_MILLISECOND } from '@dwell/contracts/instant'
import { systemClock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { WorkerMetrics } from '../worker-metrics'

export interface DeadEventsDependencies {
  readonly redis: RedisConnection
  readonly logger: Logger
  readonly metrics: Pick<WorkerMetrics, 'deadEventsTrimmed'>
  readonly deadEventsMaxAgeMs: number
  readonly deadEventsMaxEntries: number
}

/**
 * Takes off the stream of dead events what is too old, then the oldest of what is too many. Nobody else does, so an upstream
 * that keeps sending nonsense fills Redis no further than this; never silently. The age is that of the entry, in real time.
 */
export async function trimDeadEvents(deps: DeadEventsDependencies): Promise<void> {
  const { redis, logger, metrics } = deps
  const now = Math.floor((await systemClock.now()) / MICROS_PER_MILLISECOND)
  const age = await redis.xtrim(DEAD_EVENTS_STREAM, 'MINID', '=', String(now - deps.deadEventsMaxAgeMs))
  const length = await redis.xtrim(DEAD_EVENTS_STREAM, 'MAXLEN', '=', deps.deadEventsMaxEntries)
  for (const [reason, entries] of Object.entries({ age, length })) {
    if (entries === 0) continue
    metrics.deadEventsTrimmed.add({ reason }, entries)
    logger.warn('dead events were given up', { event: 'dead_events.trimmed', reason, entries })
  }
}
