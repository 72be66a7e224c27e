import { EVENTS_GROUP, EVENTS_STREAM, type InboundEventInput } from '@dwell/contracts/events'
import type { Condition } from '@dwell/contracts/rule'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import type { Pool } from '@dwell/database/pool'
import { createPool } from '@dwell/database/pool'
import { RuleBooks } from '@dwell/database/rule-books'
import { openQueue } from '@dwell/queues/queue-connection'
import { conversationEvent, messageCreated, parsed } from '@dwell/testing/event-builder'
import { instant } from '@dwell/testing/fixed-clock'
import { seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import { Upstream } from '@dwell/testing/upstream'
import { waitFor } from '@dwell/testing/wait-for'
import { trimAcknowledged } from './stream/trim'
import { type RunningIngest, startIngest } from './testing/running-ingest'

const stores = useStores()
let pool: Pool
let upstream: Upstream
let account: number
const running: RunningIngest[] = []

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 4, applicationName: 'test' })
  upstream = new Upstream(stores.redisUrl)
  stores.closeBefore(() => pool.end())
  stores.closeBefore(() => upstream.close())
})

beforeEach(async () => {
  await upstream.redis.flushdb()
  account = await seedAccount(pool)
})
afterEach(async () => {
  for (const ingest of running.splice(0)) await ingest.stop()
})

async function start(environment: Record<string, string> = {}): Promise<RunningIngest> {
  const ingest = await startIngest(stores, environment)
  running.push(ingest)
  return ingest
}

const at = (time: string) => `2026-09-01T${time}:00.000000Z`
const is = (attribute_key: string, ...values: unknown[]): Condition => ({
  attribute_key,
  filter_operator: 'equal_to',
  values,
  query_operator: null,
})
const pending = (conversation: number, time = '10:00', rest: object = {}): InboundEventInput =>
  conversationEvent('conversation_updated', {
    account_id: account,
    at: at(time),
    conversation: { id: conversation, status: 'pending' },
    ...rest,
  })
const rows = () => seenExecutions(pool, account)

test('an event on the stream becomes a row, and is acknowledged', async () => {
  const rule = await seedRule(pool, account)
  await start()
  await upstream.publish([pending(101)])
  await upstream.acknowledged()
  expect(await rows()).toMatchObject([{ rule, conversation: 101, state: 'pending', due: at('11:00') }])
})

test('what stood on the stream before the group was made is taken too', async () => {
  await seedRule(pool, account)
  await upstream.publish([pending(101)])
  await start()
  await upstream.acknowledged()
  expect(await rows()).toHaveLength(1)
})

test('many streams are read by one consumer', async () => {
  await seedRule(pool, account)
  await start({ DWELL_EVENT_STREAMS: 'dwell:events,dwell:events:2,dwell:events:3' })
  for (const [i, stream] of ['dwell:events', 'dwell:events:2', 'dwell:events:3'].entries())
    await upstream.publish([pending(101 + i)], stream)
  for (const stream of ['dwell:events', 'dwell:events:2', 'dwell:events:3']) await upstream.acknowledged(stream)
  expect((await rows()).map(({ conversation }) => conversation)).toEqual([101, 102, 103])
})

test('two at once leave what one would', async () => {
  await seedRule(pool, account)
  await seedRule(pool, account, { event_name: 'message_created', conditions: [is('message_type', 'outgoing')] })
  await start({ DWELL_INGEST_CONSUMER: 'a', DWELL_INGEST_BATCH_SIZE: '20' })
  await start({ DWELL_INGEST_CONSUMER: 'b', DWELL_INGEST_BATCH_SIZE: '20' })
  const events: InboundEventInput[] = []
  for (let minute = 0; minute < 30; minute += 1)
    for (let conversation = 1; conversation <= 20; conversation += 1) {
      const time = `10:${String(minute).padStart(2, '0')}`
      const held = { id: conversation, status: 'pending', status_changed_at: at('10:00') } as const
      events.push(
        minute % 2 === 0
          ? pending(conversation, time, { conversation: held })
          : messageCreated({
              account_id: account,
              at: at(time),
              conversation: held,
              message: { id: conversation * 100 + minute, message_type: 'outgoing' },
            }),
      )
    }
  await upstream.publish(events)
  await upstream.acknowledged()
  const seen = await rows()
  expect(seen).toHaveLength(40)
  for (const row of seen)
    expect(row).toMatchObject(
      row.message === null
        ? { due: at('11:00'), state: 'pending' }
        : { due: at('11:29'), message: row.conversation * 100 + 29, key: 'reply_chase:0' },
    )
  const { rows: consumers } = await pool.query(
    'SELECT sum(revision)::int AS events FROM conversations WHERE account_id = $1',
    [account],
  )
  expect(consumers).toEqual([{ events: 600 }])
})

test('a rule that does not wait goes to the workers at once, with the highest priority and its claim', async () => {
  await seedRule(pool, account, { execution_delay: null })
  await start()
  await upstream.publish([pending(101)])
  await upstream.acknowledged()
  const { rows: executions } = await pool.query(
    `SELECT id, status, claim_token FROM automation_rule_pending_executions WHERE account_id = $1`,
    [account],
  )
  expect(executions).toMatchObject([{ status: 'processing' }])
  const jobs = await upstream.redis.keys('{dwell}:process:*-*')
  expect(jobs).toEqual([`{dwell}:process:${executions[0].id}-${executions[0].claim_token}`])
  expect(await upstream.redis.hget(String(jobs[0]), 'priority')).toBe('1')
})

test('what is armed brings the wake forward; under the test clock nothing does', async () => {
  await seedRule(pool, account)
  await upstream.publish([pending(101)])
  const still = await startIngest(stores, { DWELL_TEST_CLOCK: '1' })
  await upstream.acknowledged()
  expect(await upstream.redis.keys('{dwell}:*wake*')).toEqual([])
  await still.stop()
  await start()
  await upstream.publish([pending(102)])
  await upstream.acknowledged()
  expect(await upstream.redis.keys('{dwell}:*wake*')).not.toEqual([])
})

describe('dead letters', () => {
  test('carry what was received, why, and where it stood; the rest of the batch is taken', async () => {
    await seedRule(pool, account)
    await start()
    const foreign = { ...pending(101), account_id: 987_654_321 }
    const ids = await upstream.publish(['no json', foreign, pending(101)])
    await upstream.acknowledged()
    expect(await rows()).toHaveLength(1)
    expect(await upstream.deadLetters()).toEqual([
      {
        event: 'no json',
        error: 'invalid_json',
        detail: expect.any(String),
        entry_id: ids[0],
        failed_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      },
      expect.objectContaining({
        event: JSON.stringify(foreign),
        error: 'unknown_account',
        detail: expect.stringContaining('987654321'),
        entry_id: ids[1],
      }),
    ])
    const { rows: accounts } = await pool.query('SELECT FROM accounts WHERE id = 987654321')
    expect(accounts).toEqual([])
  })

  test('an event that the database refuses is found and alone becomes one; all others are taken', async () => {
    await seedRule(pool, account)
    await pool.query(`ALTER TABLE conversations ADD CONSTRAINT no_107 CHECK (account_id <> ${account} OR id <> 107)`)
    const events = Array.from({ length: 40 }, (_, i) => pending(101 + i))
    const ids = await upstream.publish(events)
    const ingest = await start()
    await upstream.acknowledged()
    expect((await rows()).map(({ conversation }) => conversation)).toEqual(
      Array.from({ length: 40 }, (_, i) => 101 + i).filter((id) => id !== 107),
    )
    expect(await upstream.deadLetters()).toMatchObject([
      { error: 'processing_failed', detail: expect.stringContaining('no_107'), entry_id: ids[6] },
    ])
    expect(ingest.lines.filter((line) => line.event === 'ingest.event_failed')).toMatchObject([{ entry_id: ids[6] }])
    await pool.query('ALTER TABLE conversations DROP CONSTRAINT no_107')
  })
})

describe('entries of consumers that died', () => {
  async function handOut(consumer: string, count: number): Promise<void> {
    await upstream.redis.xgroup('CREATE', EVENTS_STREAM, EVENTS_GROUP, '0', 'MKSTREAM').catch(() => undefined)
    await upstream.redis.xreadgroup('GROUP', EVENTS_GROUP, consumer, 'COUNT', count, 'STREAMS', EVENTS_STREAM, '>')
  }

  test('are taken over once they have been idle for long enough', async () => {
    await seedRule(pool, account)
    await upstream.publish([pending(101), pending(102), pending(103)])
    await handOut('dead', 2)
    const ingest = await start({ DWELL_INGEST_TAKEOVER_AFTER: '1s' })
    await upstream.acknowledged()
    expect((await rows()).map(({ conversation }) => conversation)).toEqual([101, 102, 103])
    expect(ingest.lines).toContainEqual(expect.objectContaining({ event: 'ingest.taken_over', entries: 2 }))
  })

  test('of our own name are finished at the start, at once', async () => {
    await seedRule(pool, account)
    await upstream.publish([pending(101), pending(102)])
    await handOut('same', 1)
    await start({ DWELL_INGEST_CONSUMER: 'same' })
    await upstream.acknowledged()
    expect(await rows()).toHaveLength(2)
  })

  test('that were trimmed while they were pending are acknowledged and forgotten', async () => {
    await seedRule(pool, account)
    const [first, second] = await upstream.publish([pending(101), pending(102), pending(103)])
    await handOut('same', 1)
    await handOut('dead', 1)
    await upstream.redis.xdel(EVENTS_STREAM, String(first), String(second))
    await start({ DWELL_INGEST_CONSUMER: 'same', DWELL_INGEST_TAKEOVER_AFTER: '1s' })
    await upstream.acknowledged()
    expect((await rows()).map(({ conversation }) => conversation)).toEqual([103])
    expect(await upstream.deadLetters()).toEqual([])
  })

  test('that were handed out too often become dead letters', async () => {
    await seedRule(pool, account)
    const [id] = await upstream.publish([pending(101), pending(102)])
    await handOut('same', 1)
    await upstream.redis.xclaim(EVENTS_STREAM, EVENTS_GROUP, 'same', 0, String(id), 'RETRYCOUNT', 10)
    await start({ DWELL_INGEST_CONSUMER: 'same' })
    await upstream.acknowledged()
    expect((await rows()).map(({ conversation }) => conversation)).toEqual([102])
    expect(await upstream.deadLetters()).toMatchObject([
      { error: 'processing_failed', entry_id: id, detail: expect.stringContaining('11 times') },
    ])
  })
})

test('a group that is lost with the data of Redis is made again', async () => {
  await seedRule(pool, account)
  const ingest = await start()
  await upstream.publish([pending(101)])
  await upstream.acknowledged()
  await upstream.redis.flushdb()
  await waitFor('the group', () => ingest.lines.some((line) => line.event === 'ingest.group_missing'))
  await upstream.publish([pending(102)])
  await upstream.acknowledged()
  expect(await rows()).toHaveLength(2)
})

describe('trimming', () => {
  async function length(): Promise<number> {
    return upstream.redis.xlen(EVENTS_STREAM)
  }

  test('goes behind what every group has acknowledged, and no further', async () => {
    await upstream.publish(Array.from({ length: 1_000 }, (_, i) => pending(101 + i)))
    await upstream.redis.xgroup('CREATE', EVENTS_STREAM, 'slow', '0')
    const reply = (await upstream.redis.xreadgroup(
      'GROUP',
      'slow',
      'c',
      'COUNT',
      400,
      'STREAMS',
      EVENTS_STREAM,
      '>',
    )) as [string, [string, string[]][]][]
    const slow = reply[0]?.[1].map(([id]) => id) ?? []
    await upstream.redis.xack(EVENTS_STREAM, 'slow', ...slow.slice(0, 250), ...slow.slice(260))
    await start({ DWELL_INGEST_TRIM_INTERVAL: '1s' })
    await upstream.acknowledged()
    await waitFor('the first entries to go', async () => (await length()) < 1_000)
    // The ten that the slow group has not acknowledged are the oldest that anybody needs.
    const [oldest] = await upstream.redis.xrange(EVENTS_STREAM, '-', '+', 'COUNT', 1)
    expect(slow.indexOf(String(oldest?.[0]))).toBeLessThanOrEqual(250)
    expect(slow.indexOf(String(oldest?.[0]))).toBeGreaterThan(0)
    await upstream.redis.xgroup('DESTROY', EVENTS_STREAM, 'slow')
    await waitFor('nearly all to go', async () => (await length()) <= 100)
  })

  test('takes all of it at once, however much it is', async () => {
    const stream = 'long'
    for (let i = 0; i < 25; i += 1) {
      const pipeline = upstream.redis.pipeline()
      for (let k = 0; k < 1_000; k += 1) pipeline.xadd(stream, '*', 'event', 'x')
      await pipeline.exec()
    }
    await upstream.redis.xgroup('CREATE', stream, EVENTS_GROUP, '$')
    expect(await trimAcknowledged(upstream.redis, stream)).toBeGreaterThan(24_800)
  })
})

describe('probes and metrics', () => {
  const get = async (port: number, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: response.status, text: await response.text() }
  }

  test('tell that it lives, is ready, and what became of the events', async () => {
    await seedRule(pool, account)
    const { port } = await start()
    const event = pending(101)
    await upstream.publish([event, event, 'no json', pending(102)])
    await upstream.acknowledged()
    expect((await get(port, '/livez')).status).toBe(200)
    expect((await get(port, '/readyz')).status).toBe(200)
    const { text } = await get(port, '/metrics')
    expect(text).toContain('dwell_ingest_events_total{outcome="taken",reason="none"} 2')
    expect(text).toContain('dwell_ingest_events_total{outcome="duplicate",reason="none"} 1')
    expect(text).toContain('dwell_ingest_events_total{outcome="dead",reason="invalid_json"} 1')
    expect(text).toContain('dwell_ingest_rows_total{outcome="armed"} 2')
    expect(text).toContain('dwell_ingest_backlog_events 0')
    expect(text).toMatch(/dwell_ingest_batch_seconds_count [1-9]/)
  })
})

test('ends at once while it waits for events, and leaves no connection behind', async () => {
  const before = await upstream.redis.client('LIST')
  const ingest = await startIngest(stores, { DWELL_INGEST_BLOCK: '60s' })
  await upstream.publish([pending(101)])
  await upstream.acknowledged()
  const began = performance.now()
  expect(await ingest.stop()).toBe(0)
  expect(performance.now() - began).toBeLessThan(2_000)
  await waitFor('its Redis connections to be gone', async () => {
    const after = await upstream.redis.client('LIST')
    return String(after).split('\n').length === String(before).split('\n').length
  })
})

test('what a consumer took and died over before anybody was told of it is swept as soon as its entries are handed out again', async () => {
  await seedRule(pool, account, { execution_delay: null })
  const entry = pending(101)
  await upstream.redis.xgroup('CREATE', EVENTS_STREAM, EVENTS_GROUP, '0', 'MKSTREAM')
  await upstream.publish([entry])
  await upstream.redis.xreadgroup('GROUP', EVENTS_GROUP, 'the-one', 'STREAMS', EVENTS_STREAM, '>')
  // Its transaction was committed; it came no further.
  await takeBatch(pool, new RuleBooks(), [parsed(entry)], instant(at('10:00')))
  expect(await rows()).toMatchObject([{ state: 'pending' }])
  await start({ DWELL_INGEST_CONSUMER: 'the-one' })
  await upstream.acknowledged()
  const queue = openQueue('sweep', upstream.redis)
  const wakes = (await queue.getJobs(['waiting', 'delayed', 'prioritized'])).filter(({ name }) => name === 'wake')
  await queue.close()
  expect(wakes).toHaveLength(1)
  expect(wakes[0]?.delay).toBeLessThan(100)
})
