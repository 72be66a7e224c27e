import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Logger } from './logger'
import type { RedisTarget } from './redis-url'

export type RedisConnection = Redis | Cluster

/**
 * What a connection is for:
 * - `blocking`: reads that wait (streams, queue workers). A command outlives any number of reconnections.
 * - `producing`: everything else. A command fails soon while Redis is away, so that its caller can say so and go on.
 */
export type RedisPurpose = 'blocking' | 'producing'

/** A hanging server must not hang a request: such a command's effect is unknown, as with any lost answer. */
const PRODUCING_COMMAND_LIMIT_MS = 10_000
const MAX_RECONNECT_DELAY_MS = 2_000

/**
 * Connects in the background and keeps reconnecting for ever. Commands given before the connection stands wait for it
 * (`producing`: through one failed attempt at most). Every connection has an error listener; an outage is logged once
 * when it begins and once when it ends.
 */
export function connectRedis(
  target: RedisTarget,
  options: { readonly purpose: RedisPurpose; readonly name: string; readonly logger: Logger },
): RedisConnection {
  const connection = open(target, options.purpose, `dwell:${options.name}`)
  reportOutages(connection, options.name, options.logger)
  return connection
}

/** Ends the connection: politely where it stands, at once where it does not. */
export async function closeRedis(connection: RedisConnection): Promise<void> {
  if (connection.status === 'ready') await connection.quit().catch(() => connection.disconnect())
  else connection.disconnect()
}

function open(target: RedisTarget, purpose: RedisPurpose, connectionName: string): RedisConnection {
  const common = {
    connectionName,
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls ? { tls: {} } : {}),
    connectTimeout: 10_000,
    // After a failover the old primary answers READONLY: go and find the new one, then send the command again.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
    ...(purpose === 'blocking'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 1, commandTimeout: PRODUCING_COMMAND_LIMIT_MS }),
  } satisfies RedisOptions
  switch (target.kind) {
    case 'single':
      return new Redis({
        ...common,
        host: target.host,
        port: target.port,
        db: target.db,
        retryStrategy: reconnectDelay,
      })
    case 'sentinel':
      return new Redis({
        ...common,
        sentinels: target.sentinels.map((node) => ({ ...node })),
        name: target.name,
        db: target.db,
        ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
        ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
        retryStrategy: reconnectDelay,
        sentinelRetryStrategy: reconnectDelay,
      })
    case 'cluster':
      return new Cluster(
        target.nodes.map((node) => ({ ...node })),
        { redisOptions: common, clusterRetryStrategy: reconnectDelay },
      )
  }
}

function reconnectDelay(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 10), MAX_RECONNECT_DELAY_MS)
}

function reportOutages(connection: RedisConnection, name: string, logger: Logger): void {
  let away = false
  connection.on('error', (error: unknown) => {
    if (away) return
    away = true
    logger.warn('redis connection lost', { event: 'redis.lost', connection: name, error })
  })
  connection.on('ready', () => {
    if (!away) return
    away = false
    logger.info('redis connection restored', { event: 'redis.restored', connection: name })
  })
}
