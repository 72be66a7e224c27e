import { ACTIONS_STREAM } from '@dwell/contracts/action'
import type { Pool } from '@dwell/database/pool'
import { type Pruned, prune } from '@dwell/database/retention'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import { acknowledgedUntil } from './acknowledged'

export interface RetentionDependencies {
  readonly pool: Pool
  readonly redis: RedisConnection
  readonly clock: Clock
  readonly logger: Logger
}

/** Prunes Postgres and trims the outbound stream behind what every consumer group has acknowledged. */
export async function runRetention(deps: RetentionDependencies, signal: AbortSignal): Promise<Pruned> {
  const pruned = await prune(deps.pool, await deps.clock.now(), signal)
  const minId = await acknowledgedUntil(deps.redis, ACTIONS_STREAM)
  if (minId !== null) await deps.redis.xtrim(ACTIONS_STREAM, 'MINID', '~', minId)
  deps.logger.info('retention ended', { event: 'retention.completed', ...pruned })
  return pruned
}
