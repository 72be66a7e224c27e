import { randomUUID } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import { memberEvent, parsed } from '@dwell/testing/event-builder'
import { instant } from '@dwell/testing/fixed-clock'
import { misclassifiedRuns, miscountedSlots } from '@dwell/testing/run-invariants'
import { seedAccount } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { eraseAccount } from '../account-erasure'
import { takeBatch } from '../ingest/take-batch'
import { createPool } from '../pool'
import { createPrismaClient, type Database } from '../prisma-client'
import { RuleBooks } from '../rule-books'
import { endStep, failStep, finishStep } from './finish-step'
import { loadStep } from './load-step'
import { mergeRunCounts, runSummaries } from './run-counts'
import { createAutomation, updateAutomation } from './saves'
import { claimReadySteps } from './step-claims'

const HOUR = 3_600_000_000

const stores = useStores()
let pool: Pool
let database: Database
let account: number

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 12, applicationName: 'test' })
  database = createPrismaClient(pool)
  stores.closeBefore(async () => {
    await database.$disconnect()
    await pool.end()
  })
})

beforeEach(async () => {
  account = await seedAccount(pool)
})

/** The writers of runs and steps that the product has, on one automation of three waits. */
class Scene {
  private now = instant('2026-09-01T09:00:00Z')
  private readonly books = new RuleBooks()
  private members = 0

  private constructor(
    private readonly accountId: number,
    private readonly automationId: string,
    private readonly body: object,
  ) {}

  static async open(accountId: number): Promise<Scene> {
    const actions = Array.from({ length: 3 }, () => ({ id: randomUUID(), type: 'wait', data: { wait_hours: 1 } }))
    const edges = [0, 1].map((i) => ({ source_action_id: actions[i]?.id, target_action_id: actions[i + 1]?.id }))
    const body = { name: 'A', description: '', status: 'active', trigger_tier_scope: 'free', actions, edges }
    const change = { actor: 'admin', now: instant('2026-09-01T09:00:00Z') }
    const made = await createAutomation(database, accountId, { body, faults: [] }, change)
    if (made === null || !('automation' in made)) throw new Error('the automation was refused')
    return new Scene(accountId, made.automation.id, body)
  }

  later(hours: number): void {
    this.now = (this.now + hours * HOUR) as Micros
  }

  /** Members sign up, in one batch. */
  async signUp(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => {
      this.members += 1
      return parsed({
        ...memberEvent('member_signed_up', {
          at: new Date(this.now / 1_000).toISOString(),
          member: { id: `m${this.members}`, status: 'free' },
        }),
        account_id: this.accountId,
      })
    })
    await takeBatch(pool, this.books, events, this.now)
  }

  /** Steps that are ready go on, end early or fail. */
  async carryOut(ends: readonly End[]): Promise<void> {
    const claimed = await claimReadySteps(pool, this.now, ends.length)
    await Promise.all(
      claimed.map(async ({ id, lockToken }, i) => {
        const end = ends[i] ?? 'keep'
        const failure = { error: 'broken', refused: false }
        if (end === 'leave') await endStep(pool, { id, lockToken }, 'member_unsubscribed', null, this.now)
        if (end === 'fail') await failStep(pool, { id, lockToken }, { ...failure, kind: 'permanent' }, this.now)
        if (end === 'retry') await failStep(pool, { id, lockToken }, { ...failure, kind: 'transient' }, this.now)
        const held = end === 'finish' ? await loadStep(pool, id, lockToken) : null
        if (held !== null) await finishStep(pool, held, lockToken, this.now)
      }),
    )
  }

  async turn(status: 'active' | 'inactive'): Promise<void> {
    const body = status === 'active' ? { ...this.body } : { status }
    const sent = { body, faults: [], ifMatch: undefined }
    await updateAutomation(database, this.accountId, this.automationId, sent, { actor: 'admin', now: this.now })
  }
}

type End = 'finish' | 'leave' | 'fail' | 'retry' | 'keep'
type Happening =
  | { readonly do: 'sign up'; readonly count: number }
  | { readonly do: 'carry out'; readonly ends: readonly End[] }
  | { readonly do: 'turn'; readonly status: 'active' | 'inactive' }
  | { readonly do: 'merge' }

function play(scene: Scene, one: Happening): Promise<unknown> {
  if (one.do === 'sign up') return scene.signUp(one.count)
  if (one.do === 'carry out') return scene.carryOut(one.ends)
  if (one.do === 'turn') return scene.turn(one.status)
  return mergeRunCounts(pool, 1)
}

test('whatever happens to runs, at once or one after another, what is stored and counted is what their steps say', async () => {
  const end = fc.constantFrom<End>('finish', 'finish', 'finish', 'leave', 'fail', 'retry', 'keep')
  const happening = fc.oneof(
    fc.record({ do: fc.constant('sign up' as const), count: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ do: fc.constant('carry out' as const), ends: fc.array(end, { maxLength: 8 }) }),
    fc.record({ do: fc.constant('turn' as const), status: fc.constantFrom('active' as const, 'inactive' as const) }),
    fc.record({ do: fc.constant('merge' as const) }),
  )
  const round = fc.record({ hours: fc.integer({ min: 0, max: 3 }), atOnce: fc.array(happening, { maxLength: 4 }) })
  let ended = 0
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 8 }), async (rounds) => {
      const own = await seedAccount(pool)
      const scene = await Scene.open(own)
      for (const { hours, atOnce } of rounds) {
        scene.later(hours)
        await Promise.all(atOnce.map((one) => play(scene, one)))
        expect(await misclassifiedRuns(pool, own)).toEqual([])
        expect(await miscountedSlots(pool, own)).toEqual([])
      }
      ended +=
        (await pool.query('SELECT FROM automation_runs WHERE account_id = $1 AND ended_at IS NOT NULL', [own]))
          .rowCount ?? 0
    }),
    { numRuns: 40 },
  )
  expect(ended).toBeGreaterThan(0)
}, 120_000)

describe('the counts of runs', () => {
  let automation: string
  beforeEach(() => {
    automation = randomUUID()
  })
  const insert = (count: number) =>
    pool.query(
      `INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status)
       SELECT gen_random_uuid(), $1, $2, n::text, gen_random_uuid()::text, '2026-09-01'::timestamptz + n * interval '1 minute',
         CASE WHEN n % 7 = 0 THEN NULL ELSE 'in_progress' END
       FROM generate_series(1, $3::int) n`,
      [account, automation, count],
    )
  const changes = async () =>
    (await pool.query('SELECT FROM automation_run_count_changes WHERE account_id = $1', [account])).rowCount

  test('follow inserts, updates and deletions by whatever statement, merged or not', async () => {
    await insert(100)
    await mergeRunCounts(pool)
    expect(await changes()).toBe(0)
    await pool.query(
      `UPDATE automation_runs SET status = 'completed', end_reason = 'completed', ended_at = created_at
       WHERE account_id = $1 AND member_id::int % 2 = 0`,
      [account],
    )
    await pool.query(`DELETE FROM automation_runs WHERE account_id = $1 AND member_id::int % 3 = 0`, [account])
    expect(await miscountedSlots(pool, account)).toEqual([])
    await mergeRunCounts(pool)
    expect(await miscountedSlots(pool, account)).toEqual([])
  })

  test('are not touched by a change that leaves the status as it is', async () => {
    await insert(10)
    await mergeRunCounts(pool)
    await pool.query(`UPDATE automation_runs SET member_email = 'a@example.com' WHERE account_id = $1`, [account])
    expect(await changes()).toBe(0)
  })

  test('take one change per statement and quarter of an hour', async () => {
    await insert(60)
    expect(await changes()).toBe(5)
  })

  test('are merged by several at once, each change once', async () => {
    await mergeRunCounts(pool)
    for (let i = 0; i < 40; i += 1) await insert(50)
    const merged = await Promise.all(Array.from({ length: 6 }, () => mergeRunCounts(pool)))
    expect(merged.reduce((a, b) => a + b, 0)).toBe(160)
    expect(await miscountedSlots(pool, account)).toEqual([])
  })

  test('make no writer wait for another, nor for a merge', async () => {
    await insert(10)
    const writer = await pool.connect()
    const merger = await pool.connect()
    try {
      for (const client of [writer, merger]) await client.query('BEGIN')
      await mergeRunCounts(merger)
      await writer.query(
        `UPDATE automation_runs SET status = 'completed', end_reason = 'completed', ended_at = created_at
         WHERE account_id = $1 AND member_id = '1'`,
        [account],
      )
      await insert(10)
    } finally {
      for (const client of [merger, writer]) {
        await client.query('COMMIT')
        client.release()
      }
    }
    expect(await miscountedSlots(pool, account)).toEqual([])
  })

  test('go with their account', async () => {
    await insert(20)
    await mergeRunCounts(pool)
    await insert(20)
    await eraseAccount(pool, account, { actor: 'admin', now: instant('2026-09-01T09:00:00Z') })
    for (const table of ['automation_run_counts', 'automation_run_count_changes', 'automation_runs']) {
      expect((await pool.query(`SELECT FROM ${table} WHERE account_id = $1`, [account])).rowCount).toBe(0)
    }
  })

  test('of an account that is being erased are left to whoever erases it', async () => {
    await insert(20)
    const eraser = await pool.connect()
    try {
      await eraser.query('BEGIN')
      await eraser.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [account])
      await mergeRunCounts(pool)
      expect(await changes()).toBe(2)
    } finally {
      await eraser.query('ROLLBACK')
      eraser.release()
    }
  })

  test('say nothing of automations of other accounts', async () => {
    const scene = await Scene.open(account)
    await scene.signUp(2)
    const other = await seedAccount(pool)
    expect(await runSummaries({ pool }, other)).toEqual(new Map())
    const [summary] = [...(await runSummaries({ pool }, account)).values()]
    expect(summary).toEqual({ lastRunCreatedAt: instant('2026-09-01T09:00:00Z'), total: 2, inProgress: 2 })
  })
})
