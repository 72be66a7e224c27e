// One measurement: the parts first, then the product, on the same stores and the same machine.
import { hermeticEnvironment, migrate, randomToken, startProduct } from '../scripts/product.mjs'
import { startPostgres } from '../scripts/services/postgres.mjs'
import { startRedis } from '../scripts/services/redis.mjs'
import { describeMachine } from './machine.mjs'
import { openBench } from './product.mjs'
import { measureInsert, measureQueue, measureXadd, measureXreadgroup } from './raw.mjs'

/** As in production: a commit is on the disk when it is answered. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
const WARM_UP = 2_000
const LATENESS_RATE = 50

/**
 * @param {ReturnType<typeof import('../scripts/processes.mjs').createProcesses>} processes
 * @param {ReturnType<typeof import('../scripts/progress.mjs').createProgress>} progress
 * @param {{only?: string, events: number, rows: number, latenessSeconds: number}} options
 */
export async function runBench(processes, progress, options) {
  const { step, log } = progress
  const [postgres, redis] = await step('Starting Postgres and Redis, durable as in production', () =>
    Promise.all([startPostgres(processes, { settings: DURABLE }), startRedis(processes, { log })]),
  )
  // Makes the database itself, too.
  await migrate(postgres.url)
  const withIngest = options.only !== 'worker'
  const withWorker = options.only !== 'ingest'
  const adminToken = randomToken()
  const environment = hermeticEnvironment({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    DWELL_ADMIN_TOKEN: adminToken,
    DWELL_LOG_LEVEL: 'error',
  })

  const raw = await step('Measuring the parts', async () => ({
    ...(withIngest
      ? {
          xadd: await measureXadd(redis.url, options.events),
          xreadgroup: await measureXreadgroup(redis.url, options.events),
          insert: await measureInsert(postgres.url, options.events),
        }
      : {}),
    queue: await measureQueue(redis.url, options.rows),
  }))

  const { url, applications } = await step('Starting the product', () =>
    startProduct(processes, { environment, onLine: (name, line) => log(`${name}: ${line}`) }),
  )
  const ingest = applications.find(({ application }) => application === 'ingest').process()
  const bench = await openBench({ url, adminToken, redisUrl: redis.url, ingest })
  try {
    await step('Warming up', () => bench.measureFiring(WARM_UP))
    const product = {
      ...(withIngest
        ? {
            arming: await step(`Arming ${options.events} rows`, () => bench.measureArming(options.events)),
            projecting: await step(`Taking ${options.events} events that arm nothing`, () =>
              bench.measureProjecting(options.events),
            ),
          }
        : {}),
      ...(withWorker
        ? {
            firing: await step(`Firing ${options.rows} rows`, () => bench.measureFiring(options.rows)),
            lateness: await step(`${LATENESS_RATE} rows per second for ${options.latenessSeconds} s`, () =>
              bench.measureLateness(LATENESS_RATE, options.latenessSeconds),
            ),
          }
        : {}),
    }
    return { machine: await describeMachine(postgres.url, redis.url), raw, product }
  } finally {
    await bench.close()
  }
}
