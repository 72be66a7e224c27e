// Starts what serve:test and start start as services, says which, and waits to be ended by the test.
import { createProcesses } from '../../scripts/processes.mjs'
import { startPostgres } from '../../scripts/services/postgres.mjs'
import { startRedis } from '../../scripts/services/redis.mjs'

const directory = process.argv[2]
const processes = createProcesses({ log: console.error })
process.once('SIGTERM', () => processes.stopAll())
const [postgres, redis] = await Promise.all([
  startPostgres(processes, directory ? { directory: `${directory}/postgres` } : {}),
  startRedis(processes, { log: console.error, ...(directory ? { directory: `${directory}/redis` } : {}) }),
])
const pids = [postgres, redis].map((server) => server.process().pid)
const directories = [postgres.directory, redis.directory]
console.log(JSON.stringify({ pids, directories, databaseUrl: postgres.url, redisUrl: redis.url }))
