import type { SweepSummary } from '@dwell/contracts/jobs'
import { useStores } from '@dwell/testing/stores'
import { at } from '../testing/conversations'
import { insertRows, type RowToInsert } from '../testing/rows'
import { sweeper } from '../testing/sweeper'
import { useWorkerParts } from '../testing/worker-parts'

const worker = useWorkerParts(useStores())
const sweep = sweeper(worker)

const NOTHING = {
  due: 0,
  enqueued: 0,
  capped: false,
  remaining: 0,
  expired: 0,
  reclaimed: 0,
  flag_disabled: 0,
  steps: 0,
}
type Row = Omit<RowToInsert, 'account' | 'conversation'> & { readonly of?: 'featureless' }

interface Case {
  readonly name: string
  readonly configs?: Readonly<Record<string, unknown>>
  /** Row n is that of conversation n, from 1. */
  readonly rows: readonly Row[]
  readonly now: string
  /** States afterwards, in the order of the rows. */
  readonly after: readonly string[]
  /** Conversations of the jobs, in their order. */
  readonly jobs: readonly number[]
  readonly summary: Partial<SweepSummary>
}

const KILLED = { DISABLE_DELAYED_AUTOMATIONS: true }
const PAUSE = { DELAYED_AUTOMATIONS_WHEN_DISABLED: 'pause' }
const limit = (rows: number) => ({ AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: rows })

const CASES: Case[] = [
  {
    name: 'takes what is due, exactly due included, and nothing that is due a microsecond later',
    rows: [{ due: '2026-09-01T11:00:00.000001Z' }, { due: at('11:00') }, { due: at('10:59') }],
    now: at('11:00'),
    after: ['pending', 'processing', 'processing'],
    jobs: [3, 2],
    summary: { due: 2, enqueued: 2 },
  },
  {
    name: 'takes the oldest first up to the limit and says how many it left',
    configs: limit(2),
    rows: [{ due: at('10:05') }, { due: at('10:00') }, { due: at('10:02') }],
    now: at('11:00'),
    after: ['pending', 'processing', 'processing'],
    jobs: [2, 3],
    summary: { due: 3, enqueued: 2, capped: true, remaining: 1 },
  },
  {
    name: 'is not capped where the limit is just enough',
    configs: limit(2),
    rows: [{ due: at('10:05') }, { due: at('10:00') }],
    now: at('11:00'),
    after: ['processing', 'processing'],
    jobs: [2, 1],
    summary: { due: 2, enqueued: 2 },
  },
  {
    // CS-05
    name: 'takes a row back whose worker has been silent for sixteen minutes, claims it anew, and leaves one of fourteen',
    rows: [
      { due: at('10:00'), state: 'processing', claimedAt: at('10:44') },
      { due: at('10:00'), state: 'processing', claimedAt: at('10:46') },
      { due: at('10:00'), state: 'processing', claimedAt: at('10:45') },
    ],
    now: at('11:00'),
    after: ['processing', 'processing', 'processing'],
    jobs: [1],
    summary: { due: 1, enqueued: 1, reclaimed: 1 },
  },
  {
    name: 'expires what has been due for more than three days, outside the limit, and runs what has been for just three',
    configs: limit(1),
    rows: [{ due: '2026-08-29T10:59:59.999999Z' }, { due: '2026-08-29T10:00:00Z' }, { due: '2026-08-29T11:00:00Z' }],
    now: at('11:00'),
    after: ['skipped:expired', 'skipped:expired', 'processing'],
    jobs: [3],
    summary: { due: 1, enqueued: 1, expired: 2 },
  },
  {
    name: 'expires a row that was reclaimed too late',
    rows: [{ due: '2026-08-29T10:00:00Z', state: 'processing', claimedAt: '2026-08-29T10:00:00Z' }],
    now: at('11:00'),
    after: ['skipped:expired'],
    jobs: [],
    summary: { reclaimed: 1, expired: 1 },
  },
  {
    name: 'skips the rows of accounts whose feature is off, due or not, outside the limit',
    configs: limit(1),
    rows: [
      { due: at('10:00'), of: 'featureless' },
      { due: at('10:01'), of: 'featureless' },
      { due: at('12:00'), of: 'featureless' },
      { due: at('10:30') },
    ],
    now: at('11:00'),
    after: ['skipped:flag_disabled', 'skipped:flag_disabled', 'skipped:flag_disabled', 'processing'],
    jobs: [4],
    summary: { due: 1, enqueued: 1, flag_disabled: 3 },
  },
  {
    name: 'expires before it skips: the older reason stands',
    rows: [{ due: '2026-08-29T10:59:59.999999Z', of: 'featureless' }],
    now: at('11:00'),
    after: ['skipped:expired'],
    jobs: [],
    summary: { expired: 1 },
  },
  {
    name: 'under `pause` keeps the rows of such accounts, however old, out of the limit and out of the count',
    configs: { ...PAUSE, ...limit(1) },
    rows: [
      { due: '2026-08-01T10:00:00Z', of: 'featureless' },
      { due: at('10:01'), of: 'featureless' },
      { due: at('10:30') },
      { due: at('10:31') },
    ],
    now: at('11:00'),
    after: ['pending', 'pending', 'processing', 'pending'],
    jobs: [3],
    summary: { due: 2, enqueued: 1, capped: true, remaining: 1 },
  },
  {
    name: 'under the kill switch touches no delayed row and says so',
    configs: KILLED,
    rows: [
      { due: at('10:00') },
      { due: '2026-08-01T10:00:00Z' },
      { due: at('10:00'), of: 'featureless' },
      { due: at('10:00'), state: 'processing', claimedAt: at('10:00') },
    ],
    now: at('11:00'),
    after: ['pending', 'pending', 'pending', 'processing'],
    jobs: [],
    summary: { event: 'disabled' },
  },
  {
    name: 'under the kill switch goes on with immediate rows that were left behind',
    configs: KILLED,
    rows: [
      { due: at('10:00') },
      { due: at('10:30'), key: 'event:evt_1' },
      { due: at('10:10'), key: 'event:evt_2', state: 'processing', claimedAt: at('10:10') },
    ],
    now: at('11:00'),
    after: ['pending', 'processing', 'processing'],
    jobs: [3, 2],
    summary: { event: 'disabled', due: 2, enqueued: 2, reclaimed: 1 },
  },
  {
    name: 'goes on with immediate rows of an account without the feature, and expires none',
    rows: [
      { due: at('10:00'), key: 'event:evt_1', of: 'featureless' },
      { due: '2026-08-01T10:00:00Z', key: 'event:evt_2' },
    ],
    now: at('11:00'),
    after: ['processing', 'processing'],
    jobs: [2, 1],
    summary: { due: 2, enqueued: 2 },
  },
  {
    name: 'leaves alone what has ended',
    rows: [
      { due: at('10:00'), state: 'executed' },
      { due: at('10:00'), state: 'skipped:conditions_changed' },
      { due: '2026-08-01T10:00:00Z', state: 'skipped:expired' },
    ],
    now: at('11:00'),
    after: ['executed', 'skipped:conditions_changed', 'skipped:expired'],
    jobs: [],
    summary: {},
  },
  {
    name: 'finds nothing where nothing is due',
    rows: [{ due: at('12:00') }],
    now: at('11:00'),
    after: ['pending'],
    jobs: [],
    summary: {},
  },
]

describe('a sweep', () => {
  test.each(CASES)('$name', async ({ configs, rows, now, after, jobs, summary }) => {
    for (const [name, value] of Object.entries(configs ?? {})) await worker.setConfig(name, value)
    const featureless = await worker.otherAccount({ features: [] })
    await insertRows(
      worker.pool,
      rows.map(({ of, ...row }, i) => ({
        ...row,
        account: of === 'featureless' ? featureless : worker.account,
        conversation: i + 1,
      })),
    )
    worker.clock.set(now)
    const swept = await sweep()

    const seen = [...(await worker.rows()), ...(await worker.rows(featureless))]
    expect(seen.sort((a, b) => a.conversation - b.conversation).map(({ state }) => state)).toEqual(after)
    const conversations = await worker.column<number>(
      `SELECT e.conversation_id FROM unnest($1::bigint[]) WITH ORDINALITY AS job(id, place)
       JOIN automation_rule_pending_executions e USING (id) ORDER BY place`,
      [swept.jobs.map(({ id }) => id)],
    )
    expect(conversations).toEqual(jobs)
    expect(swept.summary).toEqual({
      event: 'completed',
      ...NOTHING,
      ...summary,
      // Has a test of its own.
      lateness_p50_ms: swept.summary.lateness_p50_ms,
      lateness_max_ms: swept.summary.lateness_max_ms,
      duration_ms: expect.any(Number),
    })
  })

  test('keeps its summary and logs it as one line', async () => {
    await insertRows(worker.pool, [{ account: worker.account, conversation: 1, due: at('10:00') }])
    worker.clock.set(at('11:00'))
    const { summary } = await sweep()
    const { rows } = await worker.pool.query('SELECT * FROM sweeps')
    expect(rows).toEqual([
      expect.objectContaining({ trigger: 'schedule', started_at: '2026-09-01 11:00:00+00', ...summary }),
    ])
    const lines = worker.lines.filter(({ event }) => event === 'sweep.completed')
    expect(JSON.stringify(lines)).toContain('"enqueued":1')
    expect(lines).toHaveLength(1)
  })

  test('says how late the delayed rows were that it took, and keeps it', async () => {
    const due = ['10:00', '10:58', '10:59'].map((time, i) => ({
      account: worker.account,
      conversation: i + 1,
      due: at(time),
    }))
    await insertRows(worker.pool, [
      ...due,
      { account: worker.account, conversation: 9, due: at('08:00'), key: 'event:e' },
    ])
    worker.clock.set(at('11:00'))
    expect((await sweep()).summary).toMatchObject({ enqueued: 4, lateness_p50_ms: 120_000, lateness_max_ms: 3_600_000 })
    expect((await sweep()).summary).toMatchObject({ enqueued: 0, lateness_p50_ms: null, lateness_max_ms: null })
    const kept = 'SELECT lateness_p50_ms, lateness_max_ms FROM sweeps ORDER BY id LIMIT 1'
    expect((await worker.pool.query(kept)).rows).toEqual([{ lateness_p50_ms: 120_000, lateness_max_ms: 3_600_000 }])
  })

  test('of a wake that found nothing is not kept: there may be many', async () => {
    await sweep({}, 'wake')
    expect(await worker.column('SELECT trigger FROM sweeps')).toEqual([])
  })

  test('counts the steps of automations it sent off, and a wake for steps alone is kept like any other', async () => {
    const sweepSteps = async () => [
      { id: 'a', accountId: worker.account, lockToken: 'b', readyAt: await worker.clock.now() },
    ]
    const { summary, steps } = await sweep({ sweepSteps }, 'wake')
    expect([summary.steps, steps.length]).toEqual([1, 1])
    expect(await worker.column(`SELECT trigger || ' ' || steps FROM sweeps`)).toEqual(['wake 1'])
    expect(await worker.counted('dwell_swept_steps_total')).toBe(1)
    const lines = worker.lines.filter(({ event }) => event === 'sweep.completed')
    expect(JSON.stringify(lines)).toContain('"steps":1')
  })

  test('gives every job the token under which its row is held', async () => {
    await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00') },
      { account: worker.account, conversation: 2, due: at('10:00') },
    ])
    worker.clock.set(at('11:00'))
    const { jobs } = await sweep()
    expect(await worker.column('SELECT claim_token FROM automation_rule_pending_executions ORDER BY id')).toEqual(
      jobs.map(({ claimToken }) => claimToken),
    )
  })

  test('takes more than one batch in due order, with the turns of the accounts running on', async () => {
    await worker.setConfig('AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', 2_500)
    await worker.pool.query(
      `INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, due_at, episode_key,
         armed_at, created_at, updated_at)
       SELECT $1, 1, n, timestamptz '2026-09-01T10:00:00Z' + n * interval '1 millisecond', 'status:1', now(), now(), now()
       FROM generate_series(1, 2600) AS n ORDER BY random()`,
      [worker.account],
    )
    worker.clock.set(at('11:00'))
    const turns = new Set<unknown>()
    const batches: number[] = []
    const { summary, claims } = await sweep({
      enqueue: async (claims, ofSweep) => {
        turns.add(ofSweep)
        batches.push(claims.length)
      },
    })
    expect(batches).toEqual([1_000, 1_000, 500])
    expect(turns.size).toBe(1)
    expect(summary).toMatchObject({ due: 2_600, enqueued: 2_500, capped: true, remaining: 100 })
    const dues = claims.map(({ dueAt }) => dueAt)
    expect(dues).toEqual([...dues].sort((a, b) => a - b))
    expect(new Set(claims.map(({ claimToken }) => claimToken)).size).toBe(3)
  })
})

describe('two sweeps at once', () => {
  test('share the rows: none is claimed twice, none is left', async () => {
    await insertRows(
      worker.pool,
      Array.from({ length: 60 }, (_, i) => ({ account: worker.account, conversation: i + 1, due: at('10:00') })),
    )
    worker.clock.set(at('11:00'))
    const sweeps = await Promise.all([sweep(), sweep(), sweep()])
    const claimed = sweeps.flatMap(({ jobs }) => jobs.map(({ id }) => id))
    expect(claimed).toHaveLength(60)
    expect(new Set(claimed).size).toBe(60)
  })

  test('pass over a row that somebody else holds instead of waiting for it', async () => {
    const [held] = await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00') },
      { account: worker.account, conversation: 2, due: at('10:01') },
      { account: worker.account, conversation: 3, due: '2026-08-01T10:00:00Z' },
      { account: worker.account, conversation: 4, due: at('10:00'), state: 'processing', claimedAt: at('10:00') },
    ])
    worker.clock.set(at('11:00'))
    const client = await worker.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM automation_rule_pending_executions WHERE id <> $1 + 1 FOR UPDATE', [held])
      const { summary, jobs } = await sweep()
      expect(jobs.map(({ id }) => id)).toEqual([Number(held) + 1])
      expect(summary).toMatchObject({ enqueued: 1, reclaimed: 0, expired: 0 })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect((await sweep()).summary).toMatchObject({ enqueued: 2, reclaimed: 1, expired: 1 })
  })
})
