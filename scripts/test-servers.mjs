// One Postgres and one Redis for all integration and end-to-end tests; every test file takes databases of its own there.
import { startPostgres } from './services/postgres.mjs'
import { startRedis } from './services/redis.mjs'

/** Databases of the Redis server; every test file takes one. */
const REDIS_DATABASES = 1_024

/**
 * @param {ReturnType<typeof import('./processes.mjs').createProcesses>} processes
 * @param {(text: string) => void} log
 * @returns {Promise<{DWELL_TEST_POSTGRES_URL: string, DWELL_TEST_REDIS_URL: string}>} for the environment of the tests;
 *   servers that are named there already are used and left alone
 */
export async function startTestServers(processes, log) {
  const given = process.env
  const [postgres, redis] = await Promise.all([
    given.DWELL_TEST_POSTGRES_URL || startPostgres(processes).then(({ url }) => url),
    given.DWELL_TEST_REDIS_URL || startRedis(processes, { log, databases: REDIS_DATABASES }).then(({ url }) => url),
  ])
  return { DWELL_TEST_POSTGRES_URL: postgres, DWELL_TEST_REDIS_URL: redis }
}
