import { createTestDatabase, type TestDatabase } from './database'
import { type TestRedis, takeTestRedis } from './redis-database'

export interface Stores {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Connections of the test itself: closed, last one first, before the stores go. */
  closeBefore(close: () => unknown): void
}

/**
 * For the top of a test file or `describe`: a migrated, empty Postgres database and an empty Redis database for all of
 * its tests, gone afterwards. The URLs can be read inside hooks and tests.
 */
export function useStores(): Stores {
  let database: TestDatabase | undefined
  let redis: TestRedis | undefined
  const closers: (() => unknown)[] = []
  beforeAll(async () => {
    ;[database, redis] = await Promise.all([createTestDatabase(), takeTestRedis()])
  }, 60_000)
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close()
    await Promise.all([database?.drop(), redis?.release()])
  })
  const read = (store: { url: string } | undefined): string => {
    if (!store) throw new Error('The stores are there inside hooks and tests, not before')
    return store.url
  }
  return {
    get databaseUrl() {
      return read(database)
    },
    get redisUrl() {
      return read(redis)
    },
    closeBefore: (close) => closers.push(close),
  }
}
