import { RUN_ORDERS, RUN_STATUSES, type RunOrder, type RunStatus } from '@dwell/contracts/automations'
import { formatInstant, MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { type BrowseListing, readRunList } from '@dwell/domain/automations/run-list-query'
import { runsPage } from '@dwell/domain/automations/runs-page'
import { type SeededAutomation, seedAutomation } from '@dwell/testing/automation-seeds'
import { memberEvent, parsed } from '@dwell/testing/event-builder'
import { instant } from '@dwell/testing/fixed-clock'
import { seedAccount } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { takeBatch } from '../ingest/take-batch'
import { createPool } from '../pool'
import { RuleBooks } from '../rule-books'
import { endStep, finishStep } from './finish-step'
import { loadStep } from './load-step'
import { type ListedRun, readRuns } from './run-list'
import { claimReadySteps } from './step-claims'

const KEY = Buffer.from('key of the tests')
const START = instant('2026-09-01T09:00:00Z')
/** All steps are ready by then, and every day that runs enter on is over. */
const NOW = instant('2026-09-10T09:00:00Z')

const stores = useStores()
let pool: Pool

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 10, applicationName: 'test' })
  stores.closeBefore(() => pool.end())
})

/** An automation of one wait, its members and what is done to their runs by those who write them. */
class Site {
  private readonly books = new RuleBooks()
  private members = 0

  private constructor(readonly automation: SeededAutomation) {}

  static async open(): Promise<Site> {
    return new Site(await seedAutomation(pool, await seedAccount(pool)))
  }

  /** Members sign up so many microseconds after the start. */
  async enter(offsets: readonly number[]): Promise<void> {
    const events = offsets.map((offset) => {
      this.members += 1
      const member = { id: `m${this.members}`, status: 'free' as const }
      const at = formatInstant((START + offset) as Micros)
      return parsed({ ...memberEvent('member_signed_up', { at, member }), account_id: this.automation.accountId })
    })
    if (events.length > 0) await takeBatch(pool, this.books, events, NOW)
  }

  /** The runs that wait longest come to their end, each second one early. */
  async finish(count: number): Promise<void> {
    const claims = count === 0 ? [] : await claimReadySteps(pool, NOW, count)
    for (const [index, claim] of claims.entries()) {
      const step = index % 2 === 0 ? await loadStep(pool, claim.id, claim.lockToken) : null
      if (step === null) await endStep(pool, claim, 'member_unsubscribed', null, NOW)
      else await finishStep(pool, step, claim.lockToken, NOW)
    }
  }

  async statuses(): Promise<Map<string, RunStatus>> {
    const { rows } = await pool.query<{ id: string; status: RunStatus }>(
      'SELECT id, status FROM automation_runs WHERE automation_id = $1',
      [this.automation.id],
    )
    return new Map(rows.map(({ id, status }) => [id, status]))
  }

  /** Goes through all pages as a client would, by the cursors that it is given. */
  async walk(parameters: Record<string, string>, during: (page: number) => Promise<unknown>): Promise<ListedRun[]> {
    const { accountId, id: automationId } = this.automation
    const seen: ListedRun[] = []
    let cursor: string | null = null
    for (let page = 0; page === 0 || cursor !== null; page += 1) {
      const given: Record<string, string> = cursor === null ? parameters : { ...parameters, cursor }
      const read = readRunList({ parameters: given, accountId, automationId, now: NOW, key: KEY })
      if (!read.ok) throw new Error(JSON.stringify(read.faults))
      const listing = read.listing as BrowseListing
      const [fetched] = await Promise.all([readRuns({ pool }, accountId, automationId, listing), during(page)])
      const { rows, pagination } = runsPage(KEY, listing, fetched)
      seen.push(...rows)
      cursor = pagination.next_cursor
    }
    return seen
  }
}

/** Within two milliseconds or two days: many runs of one instant, and days of many. */
const offset = fc.oneof(
  fc.integer({ min: 0, max: 2 * MICROS_PER_MILLISECOND }),
  fc.integer({ min: 0, max: 172_800_000_000 }),
)
const meanwhile = fc.record({ enter: fc.array(offset, { maxLength: 8 }), finish: fc.integer({ min: 0, max: 12 }) })

const story = fc.record({
  before: fc.array(offset, { minLength: 40, maxLength: 260 }),
  finishedBefore: fc.integer({ min: 0, max: 90 }),
  order: fc.constantFrom<RunOrder>(...RUN_ORDERS),
  during: fc.array(meanwhile, { maxLength: 8 }),
})

async function tell(
  { before, finishedBefore, order, during }: typeof story extends fc.Arbitrary<infer T> ? T : never,
  filter: Record<string, string>,
) {
  const site = await Site.open()
  // What waits in another story is not to be finished in this one.
  await pool.query(`DELETE FROM automation_steps WHERE status = 'pending'`)
  await site.enter(before)
  await site.finish(finishedBefore)
  const atStart = await site.statuses()
  const seen = await site.walk({ order, ...filter }, async (page) => {
    const one = during[page]
    if (one !== undefined) await Promise.all([site.enter(one.enter), site.finish(one.finish)])
  })
  return { seen, atStart, atEnd: await site.statuses() }
}

/** A failure is reported before the test runs out of time, smaller or not. */
const LIMITS = { numRuns: 15, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true }

const numbered = (runs: readonly ListedRun[]) => runs.map(({ id, createdAt }) => `${createdAt} ${id}`)

test('walked to the end while runs begin and finish, every run that was there at the start appears exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { seen, atStart } = await tell(told, {})
      const ids = seen.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect([...atStart.keys()].filter((id) => !ids.includes(id))).toEqual([])
      const sorted = numbered(seen).sort()
      expect(numbered(seen)).toEqual(told.order === 'created_at asc' ? sorted : sorted.reverse())
    }),
    LIMITS,
  )
}, 120_000)

test('walked with a status, nothing appears twice, and what kept the status all the while appears', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.constantFrom<RunStatus>(...RUN_STATUSES), async (told, status) => {
      const { seen, atStart, atEnd } = await tell(told, { status })
      const ids = seen.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(seen.map((run) => run.status).filter((one) => one !== status)).toEqual([])
      const kept = [...atStart].filter(([id, one]) => one === status && atEnd.get(id) === status)
      expect(kept.map(([id]) => id).filter((id) => !ids.includes(id))).toEqual([])
    }),
    LIMITS,
  )
}, 120_000)
