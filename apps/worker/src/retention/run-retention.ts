import { ACTIONS_STREAM } from '@dwell/contracts/action'
import type { Pool } from '@dwell/database/pool'
import { type Pruned, prune } from '@dwell/database/retention'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import { acknowledgedUntil } from './acknowledged'
import { type DeadEventsDependencies, trimDeadEvents } from './trim-dead-events'

export interface RetentionDependencies extends DeadEventsDependencies {
  readonly pool: Pool
  readonly redis: RedisConnection
  readonly clock: Clock
  readonly logger: Logger
  /** Entries that `dwell:actions` keeps while no consumer group reads it. */
  readonly actionsMaxEntries: number
}

/** Prunes Postgres and trims the outbound stream and that of dead events. */
export async function runRetention(deps: RetentionDependencies, signal: AbortSignal): Promise<Pruned> {
  const pruned = await prune(deps.pool, await deps.clock.now(), signal)
  await trimActions(deps)
  await trimDeadEvents(deps)
  deps.logger.info('retention ended', { event: 'retention.completed', ...pruned })
  return pruned
}

/** Behind what every consumer group has acknowledged; without any group nobody can tell, so the youngest are kept. */
async function trimActions({ redis, actionsMaxEntries }: RetentionDependencies): Promise<void> {
  const minId = await acknowledgedUntil(redis, ACTIONS_STREAM)
  if (minId === null) await redis.xtrim(ACTIONS_STREAM, 'MAXLEN', '~', actionsMaxEntries)
  else await redis.xtrim(ACTIONS_STREAM, 'MINID', '~', minId)
}
