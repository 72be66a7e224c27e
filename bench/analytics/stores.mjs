// The stores of one measurement: a Postgres as in production, filled once, and a console on it.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hermeticEnvironment, migrate, randomToken, startApplication } from '../../scripts/product.mjs'
import { loadLargeData } from '../../scripts/seed-large/load.mjs'
import { startPostgres } from '../../scripts/services/postgres.mjs'
import { startRedis } from '../../scripts/services/redis.mjs'

/**
 * Durable commits, and memory as a server of this size would be given. Every wait for a lock that is longer than
 * `deadlock_timeout` is written down, with how long it was.
 */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  max_wal_size: '8GB',
  log_lock_waits: 'on',
  deadlock_timeout: '10ms',
  log_line_prefix: '%a: ',
}

/**
 * @param {ReturnType<typeof import('../../scripts/processes.mjs').createProcesses>} processes
 * @param {ReturnType<typeof import('../../scripts/progress.mjs').createProgress>} progress
 * @param {{scale: number, data?: string, onDatabaseLine: (line: string) => void}} options with `data`, a database that was
 *   filled before is used again
 */
export async function startStores(processes, { step, log }, { scale, data, onDatabaseLine }) {
  const directory = data === undefined ? undefined : join(data, `scale-${scale}`)
  const filled = directory !== undefined && existsSync(join(directory, 'filled'))
  if (directory !== undefined) mkdirSync(directory, { recursive: true })
  const place = directory === undefined ? {} : { directory: join(directory, 'postgres') }
  const postgres = await startPostgres(processes, { ...place, settings: SETTINGS, onLine: onDatabaseLine })
  await migrate(postgres.url)
  const until = new Date(new Date().setUTCHours(0, 0, 0, 0))
  if (!filled)
    await step(`Filling the database, scale ${scale}`, () => loadLargeData(postgres.url, { scale, until, step }))
  if (directory !== undefined) mkdirSync(join(directory, 'filled'), { recursive: true })
  const redis = await startRedis(processes, { log })
  const token = randomToken()
  const key = randomToken()
  const environment = hermeticEnvironment({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    DWELL_ADMIN_TOKEN: token,
    DWELL_SIGNING_KEY: key,
    DWELL_LOG_LEVEL: 'error',
  })
  const console = await step('Starting the console', () =>
    startApplication(processes, {
      application: 'console',
      environment,
      onLine: (name, line) => log(`${name}: ${line}`),
    }),
  )
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    url: console.url,
    token,
    key: Buffer.from(key),
    /** The console's and the Postgres server's. */
    pids: () => [console.process().pid, postgres.process().pid],
    async stop() {
      await console.process().stop()
      await redis.process().stop()
      await postgres.process().stop()
    },
  }
}
