import { useStores } from '@dwell/testing/stores'
import { createPool, inTransaction, type Pool } from './pool'
import { createPrismaClient } from './prisma-client'

const stores = useStores()
let pool: Pool

beforeAll(() => {
  pool = createPool({
    connectionString: stores.databaseUrl,
    max: 2,
    applicationName: 'pool-test',
    statementTimeoutMs: 2_000,
  })
})
afterAll(() => pool.end())

async function value(sql: string): Promise<unknown> {
  const { rows } = await pool.query<{ v: unknown }>(`SELECT ${sql} AS v`)
  return rows[0]?.v
}

describe('what the pool reads', () => {
  test('int8 is a number as long as a number holds it exactly, and an error beyond', async () => {
    expect(await value('9007199254740991::int8')).toBe(Number.MAX_SAFE_INTEGER)
    expect(await value('(-9007199254740991)::int8')).toBe(Number.MIN_SAFE_INTEGER)
    expect(await value('NULL::int8')).toBeNull()
    await expect(value('9007199254740992::int8')).rejects.toThrow(RangeError)
  })

  test('lists of int8 are lists of numbers', async () => {
    expect(await value(`'{1,-2,NULL,9007199254740991}'::int8[]`)).toEqual([1, -2, null, Number.MAX_SAFE_INTEGER])
    expect(await value(`'{}'::int8[]`)).toEqual([])
    await expect(value(`'{9007199254740993}'::int8[]`)).rejects.toThrow(RangeError)
  })

  test('an instant keeps its microseconds, as text in UTC and as number', async () => {
    expect(await value(`timestamptz '2026-09-01T12:00:00.123456+02:00'`)).toBe('2026-09-01 10:00:00.123456+00')
    expect(await value(`dwell_micros('2026-09-01T10:00:00.123456Z')`)).toBe(1788256800123456)
    expect(await value('dwell_micros(dwell_instant(1788256800123457))')).toBe(1788256800123457)
  })

  test('Prisma on the same pool reads and writes with its own parsers, in UTC', async () => {
    const prisma = createPrismaClient(pool)
    const created = await prisma.account.create({ data: { name: 'x', createdAt: '2026-09-01T10:00:00.123456Z' } })
    expect(typeof created.id).toBe('bigint')
    const read = await prisma.account.findUniqueOrThrow({ where: { id: created.id } })
    expect(read.createdAt.toISOString()).toBe('2026-09-01T10:00:00.123Z')
    await prisma.$disconnect()
    expect(await value('1')).toBe(1)
  })
})

describe('a transaction', () => {
  test('is committed with what it answers, and rolled back with what it throws', async () => {
    await pool.query('CREATE TABLE notes (text text)')
    expect(
      await inTransaction(pool, async (client) => {
        await client.query(`INSERT INTO notes VALUES ('kept')`)
        return 7
      }),
    ).toBe(7)
    await expect(
      inTransaction(pool, async (client) => {
        await client.query(`INSERT INTO notes VALUES ('lost')`)
        throw new Error('on purpose')
      }),
    ).rejects.toThrow('on purpose')
    expect((await pool.query('SELECT text FROM notes')).rows).toEqual([{ text: 'kept' }])
  })

  test('whose connection breaks gives the pool a new one', async () => {
    for (let i = 0; i < 3; i += 1) {
      await expect(
        inTransaction(pool, (client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())')),
      ).rejects.toThrow()
    }
    expect(await value('1')).toBe(1)
  })

  test('ends a statement that takes too long', async () => {
    await expect(value(`(SELECT 1 FROM pg_sleep(30))`)).rejects.toMatchObject({ code: '57014' })
  })
})

test('a caller does not wait for ever for a connection', async () => {
  const small = createPool({
    connectionString: stores.databaseUrl,
    max: 1,
    applicationName: 'small',
    connectTimeoutMs: 100,
  })
  const held = await small.connect()
  try {
    await expect(small.query('SELECT 1')).rejects.toThrow('timeout')
  } finally {
    held.release()
    await small.end()
  }
})
