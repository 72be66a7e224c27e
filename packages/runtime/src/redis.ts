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
  rememberDuplicates(connection)
  return connection
}

/** Libraries duplicate a connection in order to block on it, and may leave the duplicate behind while Redis is away. */
const duplicates = new WeakMap<RedisConnection, RedisConnection[]>()

function rememberDuplicates(connection: RedisConnection): void {
  const made: RedisConnection[] = []
  duplicates.set(connection, made)
  const duplicate = connection.duplicate.bind(connection) as (...options: unknown[]) => RedisConnection
  connection.duplicate = ((...options: unknown[]) => {
    const one = duplicate(...options)
    // Its outage is that of the connection, which tells it.
    one.on('error', () => undefined)
    made.push(one)
    return one
  }) as never
}

/** Ends the connection: politely where it stands, at once where it does not; and what was duplicated from it. */
export async function closeRedis(connection: RedisConnection): Promise<void> {
  for (const duplicate of duplicates.get(connection) ?? []) if (duplicate.status !== 'end') duplicate.disconnect()
  if (connection.status === 'ready') await connection.quit().catch(() => connection.disconnect())
  else connection.disconnect()
}

const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'NR_CLOSED',
])

/** That Redis is away, which the connection itself reports, rather than that it refused something. */
export function isConnectionError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return CONNECTION_CODES.has(code) || /^Connection is closed|^Stream isn't writeable/i.test(String(message))
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
