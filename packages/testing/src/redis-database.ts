import { Redis } from 'ioredis'
import { testServers } from './services'

/** One key per taken database, in database 0, which no test gets. */
const leaseKey = (database: number) => `dwell:test:database:${database}`
/** A test run that was killed gives its databases back after this time. */
const LEASE_SECONDS = 3_600

export interface TestRedis {
  readonly url: string
  /** Empties the database and gives it back. */
  release(): Promise<void>
}

/**
 * A numbered database of the shared Redis server that is empty and nobody else's. Tests flush with FLUSHDB, never with
 * FLUSHALL; one that has to kill or pause the server starts a server of its own.
 */
export async function takeTestRedis(): Promise<TestRedis> {
  const server = new Redis(testServers().redisUrl)
  try {
    const [, databases] = (await server.config('GET', 'databases')) as [string, string]
    for (let database = 1; database < Number(databases); database++) {
      const taken = await server.set(leaseKey(database), process.pid, 'EX', LEASE_SECONDS, 'NX')
      if (taken !== 'OK') continue
      await flush(database)
      return { url: urlOf(database), release: () => release(database) }
    }
    throw new Error(`All ${databases} databases of the test server are taken`)
  } finally {
    server.disconnect()
  }
}

async function release(database: number): Promise<void> {
  await flush(database)
  const server = new Redis(testServers().redisUrl)
  await server.del(leaseKey(database))
  server.disconnect()
}

async function flush(database: number): Promise<void> {
  const client = new Redis(urlOf(database))
  await client.flushdb()
  client.disconnect()
}

function urlOf(database: number): string {
  const url = new URL(testServers().redisUrl)
  url.pathname = `/${database}`
  return url.href
}
