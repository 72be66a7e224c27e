import { randomUUID } from 'node:crypto'
import type { SearchListing } from '@dwell/domain/automations/run-list-query'
import { runsPage } from '@dwell/domain/automations/runs-page'
import { memberSearchText } from '@dwell/domain/automations/search-key'
import { openRunCursor } from '@dwell/domain/cursors/run-cursor'
import { breakStep, type SeededAutomation, seedAutomation, seedMember, seedRun } from '@dwell/testing/automation-seeds'
import { seedAccount } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { createPool } from '../pool'
import { SEARCH_BUDGET, type SearchBudget, searchRuns } from './run-search'
import type { StatisticsSource } from './snapshot'

const KEY = Buffer.from('key of the tests')

const stores = useStores()
let pool: Pool
let source: StatisticsSource
let account: number
let automation: SeededAutomation

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 5, applicationName: 'test' })
  stores.closeBefore(() => pool.end())
  source = { pool }
})

beforeEach(async () => {
  account = await seedAccount(pool)
  automation = await seedAutomation(pool, account)
})

interface Walked {
  readonly ids: string[]
  readonly states: (string | undefined)[]
}

/** Goes through all pages, as a client would. */
async function walk(
  search: string,
  {
    order = 'created_at desc',
    budget = SEARCH_BUDGET,
    elapsed = () => 0,
  }: {
    readonly order?: SearchListing['order']
    readonly budget?: SearchBudget
    readonly elapsed?: () => number
  } = {},
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<Walked> {
  const scope = { kind: 'search', accountId: account, automationId: automation.id, order, search } as const
  const walked: Walked = { ids: [], states: [] }
  let after: SearchListing['after'] = null
  for (let page = 1; ; page += 1) {
    const listing: SearchListing = { kind: 'search', order, search, after, scope }
    const { runs, unfinished } = await searchRuns(source, account, automation.id, listing, elapsed, budget)
    const { rows, pagination } = runsPage(KEY, listing, runs, unfinished)
    walked.ids.push(...rows.map(({ id }) => id))
    walked.states.push(pagination.state)
    if (pagination.next_cursor === null) return walked
    after = openRunCursor(KEY, pagination.next_cursor)?.place ?? null
    await between(page)
  }
}

/** One statement, for many: every `nth` member is called as said, the others Bert. Runs in order of their numbers. */
async function seedMany(count: number, name: string, isNamed: (n: number) => boolean): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const members = numbers.map((n) => ({ id: `${n}`, name: isNamed(n) ? `${name} ${n}` : `Bert ${n}` }))
  await pool.query(
    `INSERT INTO members (account_id, id, name, email, search_text)
     SELECT $1, v.id, v.name, NULL, v.text FROM json_to_recordset($2::json) AS v(id text, name text, text text)`,
    [account, JSON.stringify(members.map((one) => ({ ...one, text: memberSearchText({ ...one, email: null }) })))],
  )
  const { rows } = await pool.query<{ id: string }>(
    `WITH runs AS (
       INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status)
       SELECT gen_random_uuid(), $1, $2, v.id, v.id, '2026-09-01'::timestamptz + v.id::int * interval '1 second', 'in_progress'
       FROM json_to_recordset($3::json) AS v(id text) RETURNING id, created_at)
     SELECT id FROM runs ORDER BY created_at`,
    [account, automation.id, JSON.stringify(members)],
  )
  return rows.map(({ id }) => id).filter((_, i) => isNamed(i + 1))
}

const anna = async (id: string, createdAt = '2026-09-01T10:00:00Z', name = 'Anna') => {
  await seedMember(pool, account, { id, name, email: `${id}@example.com` })
  return seedRun(pool, automation, { memberId: id, createdAt })
}

describe('a search', () => {
  test.each([
    ['50%', '50% off'],
    ['_b', 'a_b'],
    ['\\', 'back\\slash'],
    ['!', 'wow!'],
    ['renee', 'Renée'],
    ['NÉE', 'Renée'],
    ['lodz', 'Łódź'],
    ['中文', '李中文'],
    ["o'", "O'Hara"],
    ['y', 'Xy'],
  ])('for %s finds %s and nobody else', async (search, name) => {
    const found = await anna('m1', '2026-09-01T10:00:00Z', name)
    await anna('m2', '2026-09-01T11:00:00Z', 'Plain')
    expect((await walk(search)).ids).toEqual([found])
  })

  test('finds parts of the present address, none of an earlier one, and no text that spans name and address', async () => {
    await seedMember(pool, account, { id: 'm1', name: 'Ann', email: 'old@example.com' })
    const id = await seedRun(pool, automation, { memberId: 'm1', createdAt: '2026-09-01T10:00:00Z' })
    await pool.query(`UPDATE automation_runs SET member_email = 'old@example.com' WHERE id = $1`, [id])
    await seedMember(pool, account, { id: 'm1', name: 'Ann', email: 'new@example.com' })
    expect((await walk('NEW@')).ids).toEqual([id])
    expect((await walk('old@')).ids).toEqual([])
    expect((await walk('ann new')).ids).toEqual([])
    expect((await walk('ann\nnew')).ids).toEqual([])
  })

  test('finds every run of a member, of this automation alone, and none without steps', async () => {
    const other = await seedAutomation(pool, account)
    const first = await anna('m1')
    const second = await seedRun(pool, automation, { memberId: 'm1', createdAt: '2026-09-02T10:00:00Z' })
    await seedRun(pool, automation, { memberId: 'm1', createdAt: '2026-09-03T10:00:00Z', steps: [] })
    await seedRun(pool, other, { memberId: 'm1', createdAt: '2026-09-04T10:00:00Z' })
    expect((await walk('anna')).ids).toEqual([second, first])
    expect((await walk('anna', { order: 'created_at asc' })).ids).toEqual([first, second])
  })

  test('never finds who is gone, whatever is searched', async () => {
    await anna('m1')
    await pool.query(`UPDATE members SET gone = true, deleted_at = now(), signed_up_at = NULL WHERE account_id = $1`, [
      account,
    ])
    // A lone accent has an empty key, which everything contains.
    for (const search of ['anna', '\u0301']) expect((await walk(search)).ids).toEqual([])
  })

  test('of exactly fifty matches has one page, of one more has two', async () => {
    const ids = await seedMany(51, 'Anna', () => true)
    expect(await walk('anna', { order: 'created_at asc' })).toEqual({ ids, states: ['more', 'exhausted'] })
    await pool.query('DELETE FROM automation_runs WHERE id = $1', [ids[0]])
    expect(await walk('anna')).toEqual({ ids: ids.slice(1).toReversed(), states: ['exhausted'] })
  })

  test('keeps its place while members are renamed and deleted between pages', async () => {
    const ids = await seedMany(70, 'Anna', () => true)
    const { ids: found } = await walk('anna', { order: 'created_at asc' }, async () => {
      await seedMember(pool, account, { id: '60', name: 'Bert' })
      await pool.query(`UPDATE members SET gone = true, deleted_at = now() WHERE account_id = $1 AND id = '61'`, [
        account,
      ])
    })
    expect(found).toEqual(ids.filter((_, i) => i !== 59 && i !== 60))
  })
})

describe('the budget of a search', () => {
  const SMALL: SearchBudget = { firstWalk: 20, members: 5, walk: 30, walks: 2, softLimitMs: 1_500 }

  test('is used up on empty pages that lead on, until the match at the very end is found', async () => {
    const [id] = await seedMany(500, 'Xi', (n) => n === 1)
    const { ids, states } = await walk('xi', { budget: SMALL })
    expect(ids).toEqual([id])
    expect(states.slice(0, -1).every((state) => state === 'scanning')).toBe(true)
    expect(states.length).toBeGreaterThan(5)
    expect(states.at(-1)).toBe('exhausted')
  })

  test('is not needed for few matches that the index finds', async () => {
    const ids = await seedMany(500, 'Xaver', (n) => n === 1 || n === 499)
    expect(await walk('xaver', { budget: SMALL })).toEqual({ ids: ids.toReversed(), states: ['exhausted'] })
  })

  test('ends with the time as well', async () => {
    await seedMany(200, 'Xi', (n) => n === 1)
    const { states } = await walk('xi', { budget: { ...SMALL, walks: 1_000 }, elapsed: () => 2_000 })
    expect(states).toEqual([...Array(10).fill('scanning'), 'exhausted'])
  })

  test('whatever it is, every match is found once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          firstWalk: fc.integer({ min: 1, max: 60 }),
          members: fc.integer({ min: 1, max: 200 }),
          walk: fc.integer({ min: 1, max: 80 }),
          walks: fc.integer({ min: 0, max: 4 }),
          softLimitMs: fc.constant(1_500),
        }),
        fc.constantFrom('created_at desc' as const, 'created_at asc' as const),
        fc.constantFrom('anna', 'an', 'n'),
        async (budget, order, search) => {
          const { ids, states } = await walk(search, { budget, order })
          expect(ids).toEqual(order === 'created_at asc' ? named : named.toReversed())
          expect(states.at(-1)).toBe('exhausted')
          expect(states.slice(0, -1)).not.toContain('exhausted')
        },
      ),
      { numRuns: 25 },
    )
  }, 60_000)

  let named: string[]
  beforeEach(async () => {
    account = await seedAccount(pool)
    automation = await seedAutomation(pool, account)
    if (expect.getState().currentTestName?.includes('whatever it is'))
      named = await seedMany(230, 'Anna', (n) => n % 3 === 0 || (n > 100 && n < 160))
  })
})

describe('a step whose status nobody knows', () => {
  test('fails the search that reaches its run, and no other', async () => {
    const first = await anna('m1')
    await seedMember(pool, account, { id: 'm2', name: 'Bert' })
    const broken = await seedRun(pool, automation, { memberId: 'm2', createdAt: '2026-09-02T10:00:00Z' })
    await breakStep(pool, broken)
    expect((await walk('anna')).ids).toEqual([first])
    await expect(walk('bert')).rejects.toThrow('teleported')
  })

  test('fails the page that shows its run, not the one before', async () => {
    const ids = await seedMany(60, 'Anna', () => true)
    const last = ids.at(-1) ?? ''
    const [action] = automation.actions
    await pool.query(
      `INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at,
         created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, false, now(), now(), now())`,
      [randomUUID(), account, automation.id, last, action?.id, action?.revisionId],
    )
    await breakStep(pool, last)
    const pages: number[] = []
    const walking = walk('anna', { order: 'created_at asc' }, async (page) => pages.push(page))
    await expect(walking).rejects.toThrow('teleported')
    expect(pages).toEqual([1])
  })
})
