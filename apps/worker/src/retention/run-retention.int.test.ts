import { ACTION_FIELD, ACTIONS_STREAM } from '@dwell/contracts/action'
import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import { systemClock } from '@dwell/runtime/clock'
import { useStores } from '@dwell/testing/stores'
import { at, outgoing } from '../testing/conversations'
import { insertDelivery, insertRows, type RowToInsert } from '../testing/rows'
import { useWorkerParts } from '../testing/worker-parts'
import { runRetention } from './run-retention'

const worker = useWorkerParts(useStores())
const NOW = '2026-10-01T12:00:00Z'
const THIRTY_DAYS_AGO = '2026-09-01T12:00:00Z'
const LONGER_AGO = '2026-09-01T11:59:59.999999Z'
const never = new AbortController().signal

const retain = (actionsMaxEntries = 1_000, signal = never) =>
  runRetention(
    {
      pool: worker.pool,
      redis: worker.redis,
      clock: worker.clock,
      logger: worker.logger,
      metrics: worker.metrics,
      actionsMaxEntries,
      deadEventsMaxAgeMs: 86_400_000,
      deadEventsMaxEntries: 3,
    },
    signal,
  )

beforeEach(async () => {
  worker.clock.set(NOW)
  await worker.pool.query('TRUNCATE messages, taken_events')
})

const insert = (row: Partial<RowToInsert>) =>
  insertRows(worker.pool, [{ account: worker.account, conversation: 1, due: LONGER_AGO, ...row }]).then(([id]) =>
    Number(id),
  )
const rowsLeft = () => worker.column<number>('SELECT id FROM automation_rule_pending_executions ORDER BY id')
const deliveriesLeft = () => worker.column<string>('SELECT id FROM action_deliveries ORDER BY id')

describe('retention of rows', () => {
  test.each([
    ['executed', 'executed'],
    ['skipped', 'skipped:episode_moved'],
  ] as const)(
    'deletes what was %s more than thirty days ago, with its deliveries, and keeps the rest',
    async (_what, state) => {
      const old = await insert({ state, finishedAt: LONGER_AGO })
      const young = await insert({ state, finishedAt: THIRTY_DAYS_AGO, conversation: 2 })
      await insertDelivery(worker.pool, { account: worker.account, execution: old, status: 'delivered' })
      await insertDelivery(worker.pool, { account: worker.account, execution: old, position: 1, status: 'failed' })
      const kept = await insertDelivery(worker.pool, { account: worker.account, execution: young, status: 'delivered' })
      expect(await retain()).toMatchObject({ pending_executions: 1, action_deliveries: 2 })
      expect(await rowsLeft()).toEqual([young])
      expect(await deliveriesLeft()).toEqual([kept])
    },
  )

  test('counts from the end of a row, not from when it was due or armed', async () => {
    const late = await insert({ state: 'executed', due: '2026-07-01T00:00:00Z', finishedAt: THIRTY_DAYS_AGO })
    await retain()
    expect(await rowsLeft()).toEqual([late])
  })

  test('never deletes a row that waits or is in a worker’s hands, however old', async () => {
    const live = [
      await insert({ due: '2026-01-01T00:00:00Z' }),
      await insert({ due: '2026-01-01T00:00:00Z', state: 'processing', conversation: 2 }),
    ]
    expect(await retain()).toMatchObject({ pending_executions: 0 })
    expect(await rowsLeft()).toEqual(live)
  })

  test.each(['pending', 'unknown'] as const)(
    'keeps a row of which a delivery is %s: somebody has yet to act on it',
    async (status) => {
      const id = await insert({ state: 'executed', finishedAt: LONGER_AGO })
      await insertDelivery(worker.pool, { account: worker.account, execution: id, status: 'delivered' })
      await insertDelivery(worker.pool, { account: worker.account, execution: id, position: 1, status, target: 'smtp' })
      await retain()
      expect(await rowsLeft()).toEqual([id])
      expect(await deliveriesLeft()).toHaveLength(2)
    },
  )

  test.each(['failed', 'dismissed'] as const)('lets a row go whose deliveries are %s', async (status) => {
    const id = await insert({ state: 'executed', finishedAt: LONGER_AGO })
    await insertDelivery(worker.pool, { account: worker.account, execution: id, status, target: 'smtp' })
    await retain()
    expect(await rowsLeft()).toEqual([])
  })

  test('deletes a great many in batches', async () => {
    await worker.pool.query(
      `INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, due_at, episode_key,
         status, armed_at, created_at, updated_at, executed_at, finished_at)
       SELECT $1, 1, n, $2::timestamptz, 'status:1', 'executed', now(), now(), now(), $2, $2 FROM generate_series(1, 12000) AS n`,
      [worker.account, LONGER_AGO],
    )
    expect(await retain()).toMatchObject({ pending_executions: 12_000 })
    expect(await rowsLeft()).toEqual([])
  })

  test('ends between two batches when the process is to end', async () => {
    await worker.pool.query(
      `INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, due_at, episode_key,
         status, armed_at, created_at, updated_at, executed_at, finished_at)
       SELECT $1, 1, n, $2::timestamptz, 'status:1', 'executed', now(), now(), now(), $2, $2 FROM generate_series(1, 6000) AS n`,
      [worker.account, LONGER_AGO],
    )
    const ending = new AbortController()
    ending.abort()
    await retain(1_000, ending.signal)
    expect(await rowsLeft()).toHaveLength(6_000)
  })
})

describe('retention of what rows were judged by', () => {
  const messagesLeft = () => worker.column<number>('SELECT id FROM messages ORDER BY id')

  test('keeps a message for as long as a row is anchored on it', async () => {
    await worker.rule({
      event_name: 'message_created',
      conditions: [
        { attribute_key: 'message_type', filter_operator: 'equal_to', values: ['outgoing'], query_operator: null },
      ],
    })
    worker.clock.set(at('10:00'))
    await worker.take(outgoing(501, '10:00'))
    worker.clock.set(NOW)
    await retain()
    expect(await messagesLeft()).toEqual([501])
    await worker.pool.query('TRUNCATE automation_rule_pending_executions')
    await retain()
    expect(await messagesLeft()).toEqual([])
  })

  test('keeps an unanchored message for three days: its row may still be on its way', async () => {
    for (const [id, stored] of [
      [1, '2026-09-28T12:00:00Z'],
      [2, '2026-09-28T11:59:59.999999Z'],
    ] as const) {
      await worker.pool.query(
        `INSERT INTO messages (account_id, conversation_id, id, stored_at) VALUES ($1, 101, $2, $3)`,
        [worker.account, id, stored],
      )
    }
    expect(await retain()).toMatchObject({ messages: 1 })
    expect(await messagesLeft()).toEqual([1])
  })

  test('forgets events after thirty days, and summaries of sweeps; those of wakes after two', async () => {
    await worker.pool.query(
      `INSERT INTO taken_events (account_id, event_id, taken_at) VALUES (1, 'old', $1), (1, 'young', $2)`,
      [LONGER_AGO, THIRTY_DAYS_AGO],
    )
    for (const [trigger, started] of [
      ['schedule', LONGER_AGO],
      ['schedule', THIRTY_DAYS_AGO],
      ['wake', '2026-09-29T12:00:00Z'],
      ['wake', '2026-09-29T11:59:59.999999Z'],
    ]) {
      await worker.pool.query(
        `INSERT INTO sweeps (started_at, trigger, event, due, enqueued, capped, remaining, expired, reclaimed, flag_disabled, duration_ms)
         VALUES ($2, $1, 'completed', 0, 0, false, 0, 0, 0, 0, 1)`,
        [trigger, started],
      )
    }
    expect(await retain()).toMatchObject({ taken_events: 1, sweeps: 2 })
    expect(await worker.column('SELECT event_id FROM taken_events')).toEqual(['young'])
    expect(await worker.column('SELECT trigger FROM sweeps ORDER BY trigger')).toEqual(['schedule', 'wake'])
  })
})

describe('trimming of the outbound stream', () => {
  const GROUPS = ['first', 'second'] as const

  async function fill(count: number): Promise<string[]> {
    const ids: string[] = []
    for (let n = 0; n < count; n++)
      ids.push(String(await worker.redis.xadd(ACTIONS_STREAM, '*', ACTION_FIELD, `{"n":${n}}`)))
    return ids
  }
  const entries = async () => (await worker.redis.xrange(ACTIONS_STREAM, '-', '+')).map(([id]) => id)
  const read = (group: string, count: number) =>
    worker.redis.xreadgroup('GROUP', group, 'c', 'COUNT', count, 'STREAMS', ACTIONS_STREAM, '>')

  test('goes no further than what every group has acknowledged', async () => {
    const ids = await fill(1_000)
    for (const group of GROUPS) await worker.redis.xgroup('CREATE', ACTIONS_STREAM, group, '0')
    await read('first', 900)
    await worker.redis.xack(ACTIONS_STREAM, 'first', ...ids.slice(0, 900))
    await read('second', 600)
    // One entry in the middle was read and never acknowledged.
    await worker.redis.xack(ACTIONS_STREAM, 'second', ...ids.slice(0, 450), ...ids.slice(451, 600))
    await retain()
    const left = await entries()
    expect(left).toEqual(ids.slice(-left.length))
    expect(left).toContain(ids[450])
    // Redis trims whole blocks of a hundred entries.
    expect(left.length).toBeLessThanOrEqual(650)
  })

  test('keeps everything while one group has read nothing', async () => {
    const ids = await fill(300)
    for (const group of GROUPS) await worker.redis.xgroup('CREATE', ACTIONS_STREAM, group, '0')
    await read('first', 300)
    await worker.redis.xack(ACTIONS_STREAM, 'first', ...ids)
    await retain()
    expect(await entries()).toEqual(ids)
  })

  test('without any group keeps the youngest', async () => {
    const ids = await fill(500)
    await retain(200)
    const left = await entries()
    expect(left).toEqual(ids.slice(-left.length))
    expect(left.length).toBeGreaterThanOrEqual(200)
    expect(left.length).toBeLessThanOrEqual(300)
  })

  test('of a stream that is not there makes none', async () => {
    await retain()
    expect(await worker.redis.exists(ACTIONS_STREAM)).toBe(0)
  })
})

describe('dead events', () => {
  const left = async () => (await worker.redis.xrange(DEAD_EVENTS_STREAM, '-', '+')).map(([, [, event]]) => event)
  const add = (event: string, id: string | number = '*') =>
    worker.redis.xadd(DEAD_EVENTS_STREAM, typeof id === 'number' ? `${id}-1` : id, 'event', event)

  test('that are too old or too many are given up, the oldest first, and it is said how many', async () => {
    const now = Math.floor((await systemClock.now()) / 1_000)
    await add('too old', now - 86_400_000 - 60_000)
    await add('old', now - 86_400_000 + 60_000)
    for (const event of ['a', 'b', 'c']) await add(event)
    await retain()
    expect(await left()).toEqual(['a', 'b', 'c'])
    expect(worker.lines.filter(({ event }) => event === 'dead_events.trimmed')).toMatchObject([
      { level: 'warn', reason: 'age', entries: 1 },
      { level: 'warn', reason: 'length', entries: 1 },
    ])
    expect(await worker.counted('dwell_dead_events_trimmed_total', { reason: 'age' })).toBe(1)
    expect(await worker.counted('dwell_dead_events_trimmed_total', { reason: 'length' })).toBe(1)
  })

  test('within the limits stay, and nothing is said', async () => {
    for (const event of ['a', 'b', 'c']) await add(event)
    await retain()
    expect(await left()).toEqual(['a', 'b', 'c'])
    expect(worker.lines.filter(({ event }) => event === 'dead_events.trimmed')).toEqual([])
  })
})
