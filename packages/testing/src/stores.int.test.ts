import { Redis } from 'ioredis'
import { Client } from 'pg'
import { createTestDatabase } from './database'
import { takeTestRedis } from './redis-database'
import { testServers } from './services'
import { useStores } from './stores'

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function databaseNames(): Promise<unknown[]> {
  const url = new URL(testServers().postgresUrl)
  url.pathname = '/postgres'
  return (await query(url.href, 'SELECT datname FROM pg_database')).map((row) => row.datname)
}

describe('the premise of every integration test', () => {
  test('two databases share nothing: what one holds the other does not see', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()])
    try {
      await query(first.url, `INSERT INTO accounts (name) VALUES ('only here')`)
      expect(await query(first.url, 'SELECT name FROM accounts')).toEqual([{ name: 'only here' }])
      expect(await query(second.url, 'SELECT name FROM accounts')).toEqual([])
    } finally {
      await Promise.all([first.drop(), second.drop()])
    }
  })

  test('a database is migrated, and the migrations count as applied', async () => {
    const database = await createTestDatabase()
    try {
      const rows = await query(
        database.url,
        'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
      )
      expect(rows.length).toBeGreaterThan(0)
    } finally {
      await database.drop()
    }
  })

  test('a dropped database is gone, even while somebody is still connected', async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    const client = new Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    expect(await databaseNames()).toContain(name)
    await database.drop()
    expect(await databaseNames()).not.toContain(name)
    await client.end().catch(() => {})
  })

  test('two Redis databases share nothing, and flushing one leaves the other', async () => {
    const [first, second] = await Promise.all([takeTestRedis(), takeTestRedis()])
    const clients = [new Redis(first.url), new Redis(second.url)] as const
    try {
      await clients[0].set('key', 'first')
      expect(await clients[1].get('key')).toBeNull()
      await clients[1].set('key', 'second')
      await clients[0].flushdb()
      expect(await clients[1].get('key')).toBe('second')
    } finally {
      for (const client of clients) client.disconnect()
      await Promise.all([first.release(), second.release()])
    }
  })

  test('a released Redis database is empty for the next one', async () => {
    const first = await takeTestRedis()
    const writer = new Redis(first.url)
    await writer.set('left', 'behind')
    writer.disconnect()
    await first.release()
    const reader = new Redis(first.url)
    expect(await reader.dbsize()).toBe(0)
    reader.disconnect()
  })

  describe('useStores', () => {
    const stores = useStores()
    const closed: string[] = []
    afterAll(() => expect(closed).toEqual(['second', 'first']))

    test('closes what the test has opened before the stores go', () => {
      stores.closeBefore(() => closed.push('first'))
      stores.closeBefore(() => closed.push('second'))
    })

    test('hands both to the tests below it', async () => {
      expect(await query(stores.databaseUrl, 'SELECT count(*)::int AS n FROM accounts')).toEqual([{ n: 0 }])
      const redis = new Redis(stores.redisUrl)
      expect(await redis.ping()).toBe('PONG')
      redis.disconnect()
    })
  })
})
