// Before the first integration or end-to-end test: one Postgres and one Redis for all of them, ended after the last.
// Where DWELL_TEST_POSTGRES_URL and DWELL_TEST_REDIS_URL are set, those servers are used and left alone.
import { createProcesses } from './processes.mjs'
import { startPostgres } from './services/postgres.mjs'
import { startRedis } from './services/redis.mjs'

/** Databases of the Redis server; every test file takes one. */
const REDIS_DATABASES = 1_024

export default async function setUp(_globalConfig, _projectConfig) {
  if (globalThis.dwellTestServers) return
  const log = (text) => process.stderr.write(`${text}\n`)
  const processes = createProcesses({
    log,
    onUnexpectedExit: (one, end) => log(`${one.name} ended in the middle of the tests: ${JSON.stringify(end)}`),
  })
  globalThis.dwellTestServers = processes
  try {
    process.env.DWELL_TEST_POSTGRES_URL ||= (await startPostgres(processes)).url
    process.env.DWELL_TEST_REDIS_URL ||= (await startRedis(processes, { log, databases: REDIS_DATABASES })).url
  } catch (error) {
    await processes.stopAll()
    throw error
  }
}
