import type { InboundEventInput } from '@dwell/contracts/events'
import type { Pool } from '@dwell/database/pool'
import { createPool } from '@dwell/database/pool'
import { conversationEvent } from '@dwell/testing/event-builder'
import { type OwnRedis, startOwnRedis } from '@dwell/testing/own-redis'
import { seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import { type SeverableProxy, startSeverableProxy } from '@dwell/testing/severable-proxy'
import { useStores } from '@dwell/testing/stores'
import { Upstream } from '@dwell/testing/upstream'
import { waitFor } from '@dwell/testing/wait-for'
import { type RunningIngest, startIngest } from './testing/running-ingest'

const stores = useStores()
let pool: Pool
let account: number
let running: RunningIngest | undefined

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 4, applicationName: 'test' })
  stores.closeBefore(() => pool.end())
})
beforeEach(async () => {
  account = await seedAccount(pool)
  await seedRule(pool, account)
})
afterEach(async () => {
  await running?.stop()
  running = undefined
})

/** Each sets the priority of conversation 101 to another value, a second later; and makes a conversation of its own pending. */
function history(from: number, to: number): InboundEventInput[] {
  const events: InboundEventInput[] = []
  for (let i = from; i < to; i += 1) {
    const at = `2026-09-01T10:${String(Math.floor(i / 60)).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}Z`
    events.push(
      conversationEvent('conversation_updated', {
        account_id: account,
        at,
        conversation: { id: 101, labels: [`label ${i}`] },
      }),
      conversationEvent('conversation_updated', {
        account_id: account,
        at,
        conversation: { id: 1_000 + i, status: 'pending' },
      }),
    )
  }
  return events
}

async function expectAllTaken(events: number): Promise<void> {
  expect(await seenExecutions(pool, account)).toHaveLength(events)
  const { rows } = await pool.query('SELECT labels, revision FROM conversations WHERE account_id = $1 AND id = 101', [
    account,
  ])
  expect(rows).toEqual([{ labels: [`label ${events - 1}`], revision: events }])
}

const logged = (event: string, reason: string) =>
  running?.lines.some((line) => line.event === event && line.reason === reason)

describe('while the database is away', () => {
  let proxy: SeverableProxy
  let upstream: Upstream

  beforeEach(async () => {
    proxy = await startSeverableProxy(stores.databaseUrl)
    upstream = new Upstream(stores.redisUrl)
    await upstream.redis.flushdb()
  })
  afterEach(async () => {
    await running?.stop()
    await proxy.close()
    upstream.close()
  })

  test('ingest waits, acknowledges nothing, and goes on in order when it returns', async () => {
    running = await startIngest(
      { databaseUrl: proxy.url, redisUrl: stores.redisUrl },
      { DWELL_INGEST_BATCH_SIZE: '10' },
    )
    await upstream.publish(history(0, 20))
    await upstream.acknowledged()
    proxy.sever()
    await upstream.publish(history(20, 60))
    await waitFor('the pause', () => logged('ingest.paused', 'database'))
    expect(await upstream.pending()).toBeGreaterThan(0)
    await proxy.restore()
    await upstream.acknowledged()
    await expectAllTaken(60)
    expect(logged('ingest.resumed', 'database')).toBe(true)
    expect(await upstream.deadLetters()).toEqual([])
  })

  test('connections that are cut in the middle of a transaction lose and double nothing', async () => {
    running = await startIngest({ databaseUrl: proxy.url, redisUrl: stores.redisUrl }, { DWELL_INGEST_BATCH_SIZE: '5' })
    await upstream.publish(history(0, 150))
    for (let i = 1; i < 6; i += 1) {
      await waitFor('some more events', async () => (await seenExecutions(pool, account)).length >= i * 15)
      proxy.cut()
    }
    await upstream.acknowledged()
    await expectAllTaken(150)
    expect(await upstream.deadLetters()).toEqual([])
  })

  test('ingest that starts meanwhile waits as well, and can be ended', async () => {
    proxy.sever()
    await upstream.publish(history(0, 5))
    running = await startIngest({ databaseUrl: proxy.url, redisUrl: stores.redisUrl })
    await waitFor('the pause', () => logged('ingest.paused', 'database'))
    expect(await running.stop()).toBe(0)
    expect(await upstream.pending()).toBe(10)
    await proxy.restore()
    running = await startIngest(
      { databaseUrl: proxy.url, redisUrl: stores.redisUrl },
      { DWELL_INGEST_TAKEOVER_AFTER: '1s' },
    )
    await upstream.acknowledged()
    await expectAllTaken(5)
  })
})

describe('while Redis is away', () => {
  let redis: OwnRedis

  beforeEach(async () => {
    // What was published is on disk: only what ingest does in Redis may be lost, and Postgres knows better.
    redis = await startOwnRedis({ args: ['--appendfsync', 'always'] })
  })
  afterEach(async () => {
    await running?.stop()
    await redis.stop()
  })

  test('ingest waits and goes on when it returns; nothing is lost and nothing has a second effect', async () => {
    const upstream = new Upstream(redis.url)
    try {
      running = await startIngest(
        { databaseUrl: stores.databaseUrl, redisUrl: redis.url },
        { DWELL_INGEST_BATCH_SIZE: '5' },
      )
      await upstream.publish(history(0, 150))
      await waitFor('some events', async () => (await seenExecutions(pool, account)).length >= 20)
      await redis.kill()
      await waitFor(
        'the pause',
        () => logged('ingest.paused', 'redis') || running?.lines.some((line) => line.event === 'redis.lost'),
      )
      await redis.restart()
      await upstream.acknowledged()
      await expectAllTaken(150)
      expect(await upstream.deadLetters()).toEqual([])
    } finally {
      upstream.close()
    }
  })
})

test('a deadlock with somebody else costs one more attempt, not an event', async () => {
  const upstream = new Upstream(stores.redisUrl)
  await upstream.redis.flushdb()
  try {
    running = await startIngest(stores)
    await upstream.publish(history(0, 1))
    await upstream.acknowledged()
    // Takes what a batch locks last and first, the wrong way round; Postgres ends the one that waits longer.
    const rival = await pool.connect()
    await rival.query(`BEGIN; SET LOCAL deadlock_timeout = '10s'`)
    await rival.query(`SELECT FROM conversations WHERE account_id = ${account} AND id = 1000 FOR UPDATE`)
    await upstream.publish(history(0, 2))
    await waitFor('ingest to wait', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dwell-ingest' AND wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    })
    await rival.query(`SELECT FROM conversations WHERE account_id = ${account} AND id = 101 FOR UPDATE`)
    await rival.query('COMMIT')
    rival.release()
    await upstream.acknowledged()
    const metrics = await (await fetch(`http://127.0.0.1:${running.port}/metrics`)).text()
    expect(metrics).toContain('dwell_ingest_retries_total 1')
    const { rows } = await pool.query('SELECT count(*)::int AS taken FROM taken_events WHERE account_id = $1', [
      account,
    ])
    expect(rows).toEqual([{ taken: 6 }])
    expect(await upstream.deadLetters()).toEqual([])
  } finally {
    upstream.close()
  }
})

test('an ingest whose Redis is gone ends within seconds', async () => {
  const redis = await startOwnRedis()
  try {
    const ingest = await startIngest(
      { databaseUrl: stores.databaseUrl, redisUrl: redis.url },
      { DWELL_SHUTDOWN_DEADLINE: '25s' },
    )
    await redis.kill()
    await waitFor('the outage to be noticed', () => ingest.lines.find(({ event }) => event === 'ingest.paused'))
    const began = performance.now()
    expect(await ingest.stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(15_000)
  } finally {
    await redis.stop()
  }
}, 60_000)
