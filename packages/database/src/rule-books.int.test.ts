import { seedAccount, seedRule } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import type { Pool } from 'pg'
import { createPool } from './pool'
import { RuleBooks } from './rule-books'

const stores = useStores()
let pool: Pool
let statements: string[]

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 1, applicationName: 'test' })
  stores.closeBefore(() => pool.end())
})

beforeEach(async () => {
  statements = []
  const query = pool.query.bind(pool)
  jest.spyOn(pool, 'query').mockImplementation((...args: Parameters<typeof query>) => {
    statements.push(JSON.stringify(args[0]))
    return query(...args)
  })
})
afterEach(() => jest.restoreAllMocks())

async function version(account: number): Promise<number> {
  const { rows } = await pool.query<{ rules_version: number }>(
    `SELECT rules_version FROM accounts WHERE id = ${account}`,
  )
  return rows[0]?.rules_version ?? 0
}

describe('rule books', () => {
  test('hold what an account is judged by, without deleted rules', async () => {
    const account = await seedAccount(pool, { settings: { timezone: 'Europe/Berlin' } })
    const kept = await seedRule(pool, account, { active: false, execution_delay: 60 })
    const gone = await seedRule(pool, account)
    await pool.query('UPDATE automation_rules SET deleted_at = now() WHERE id = $1', [gone])
    const current = await version(account)
    const book = (await new RuleBooks().at(pool, new Map([[account, current]]))).get(account)
    expect(book).toMatchObject({
      accountId: account,
      version: current,
      delayedAutomations: true,
      timeZone: 'Europe/Berlin',
      rules: [{ id: kept, active: false, delay: 3_600_000_000, eventName: 'conversation_updated' }],
    })
    expect(book?.rules[0]?.conditions.onlyStatusAndInbox).toBe(true)
  })

  test('are loaded once per version, all that is missing in one statement per kind', async () => {
    const books = new RuleBooks()
    const accounts = [await seedAccount(pool), await seedAccount(pool, { features: [] }), await seedAccount(pool)]
    const versions = new Map<number, number>()
    for (const account of accounts) versions.set(account, await version(account))
    statements = []
    const first = await books.at(pool, versions)
    expect([...first.keys()]).toEqual(accounts)
    expect(first.get(accounts[1] ?? 0)).toMatchObject({ delayedAutomations: false, timeZone: 'UTC' })
    expect(statements).toHaveLength(4)
    expect((await books.at(pool, versions)).get(accounts[0] ?? 0)).toBe(first.get(accounts[0] ?? 0))
    expect(statements).toHaveLength(4)
  })

  test('of an edited account are loaded anew, and only those', async () => {
    const books = new RuleBooks()
    const [edited, other] = [await seedAccount(pool), await seedAccount(pool)]
    const before = await books.at(
      pool,
      new Map([
        [edited, await version(edited)],
        [other, await version(other)],
      ]),
    )
    await seedRule(pool, edited)
    const after = await books.at(
      pool,
      new Map([
        [edited, await version(edited)],
        [other, await version(other)],
      ]),
    )
    expect(before.get(edited)?.rules).toHaveLength(0)
    expect(after.get(edited)?.rules).toHaveLength(1)
    expect(after.get(other)).toBe(before.get(other))
  })

  test('of an account that is gone are left out; one asked for late comes at its own version', async () => {
    const books = new RuleBooks()
    const account = await seedAccount(pool)
    const old = await version(account)
    await seedRule(pool, account)
    const found = await books.at(
      pool,
      new Map([
        [account, old],
        [987_654_321, 1],
      ]),
    )
    expect([...found.keys()]).toEqual([account])
    expect(found.get(account)?.version).toBe(await version(account))
  })

  test('do not grow without limit: the ones that nobody asked for longest go', async () => {
    const books = new RuleBooks(2)
    const accounts = [await seedAccount(pool), await seedAccount(pool), await seedAccount(pool)]
    const ask = async (account: number | undefined) => {
      const id = account ?? 0
      return (await books.at(pool, new Map([[id, await version(id)]]))).get(id)
    }
    const first = await ask(accounts[0])
    const second = await ask(accounts[1])
    expect(await ask(accounts[0])).toBe(first)
    await ask(accounts[2])
    expect(await ask(accounts[0])).toBe(first)
    expect(await ask(accounts[1])).not.toBe(second)
  })
})
