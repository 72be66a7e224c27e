import { ACTIONS_STREAM } from '@dwell/contracts/action'
import type { InboundEventInput } from '@dwell/contracts/events'
import { formatInstant, MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import { RuleBooks } from '@dwell/database/rule-books'
import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import { nextTick } from '@dwell/queues/schedule'
import { reconcileSchedules } from '@dwell/queues/schedules'
import { Wake } from '@dwell/queues/wake'
import { systemClock } from '@dwell/runtime/clock'
import { conversationEvent, parsed } from '@dwell/testing/event-builder'
import { startSeverableProxy } from '@dwell/testing/severable-proxy'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { keepSchedules } from './runtime/schedule-keeper'
import { openQueues, type Queues, type RunningWorker, type StoreUrls, startWorker } from './testing/running-worker'
import { useWorkerParts } from './testing/worker-parts'

// Workers as they run in production: by the machine's clock, their schedule and the wake.

const stores = useStores()
const parts = useWorkerParts(stores)
let queues: Queues
const running: RunningWorker[] = []
const DELAY_MS = 3_600_000

beforeAll(() => {
  queues = openQueues(stores.redisUrl)
  stores.closeBefore(() => queues.close())
})

/** A tick of the real schedule in the middle of a test would be one more sweep than the test asked for. */
const FAR_FROM_TICK = 30 * MICROS_PER_SECOND
beforeEach(async () => {
  const isFar = async () => {
    const now = await systemClock.now()
    return nextTick(now) - now > FAR_FROM_TICK
  }
  await waitFor('the next tick to be far', isFar, { limitMs: 40_000 })
}, 45_000)

afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

async function worker(urls: StoreUrls = stores): Promise<RunningWorker> {
  const started = await startWorker(urls, { DWELL_TEST_CLOCK: '0' })
  running.push(started)
  return started
}

/** A conversation whose row of the rule `ruleDefinition()` comes due in `ms` from now (negative: it is overdue). */
const dueIn = (ms: number, conversation: number, now: Micros): InboundEventInput => {
  const at = formatInstant((now + (ms - DELAY_MS) * MICROS_PER_MILLISECOND) as Micros)
  return conversationEvent('conversation_updated', { at, conversation: { id: conversation, status: 'pending' } })
}

/** Takes events as ingest does, and brings the wake forward as it does. */
async function take(wake: Wake, ...waits: readonly [ms: number, conversation: number][]): Promise<void> {
  const now = await systemClock.now()
  const events = waits.map(([ms, conversation]) =>
    parsed({ ...dueIn(ms, conversation, now), account_id: parts.account }),
  )
  const { earliestDue } = await takeBatch(parts.pool, new RuleBooks(), events, now)
  if (earliestDue !== null) await wake.bringForward(earliestDue, await systemClock.now())
}

const aWake = () => new Wake(queues.sweep, parts.redis)
const executed = (count: number) =>
  waitFor(
    `${count} executed rows`,
    async () => (await parts.states()).filter((state) => state === 'executed').length === count,
  )
const sweepsBy = (trigger: string) =>
  parts.column<number>('SELECT id FROM sweeps WHERE trigger = $1 ORDER BY id', [trigger])
const delayedNamed = async (name: string) => (await queues.sweep.getDelayed()).filter((job) => job.name === name)

describe('a row', () => {
  test('is executed within a quarter of a second of coming due, and never before', async () => {
    await parts.rule()
    await worker()
    const wake = aWake()
    for (let n = 0; n < 5; n++) await take(wake, [400 + n * 150, n + 1])
    await executed(5)
    const lateness = (await parts.redis.xrange(ACTIONS_STREAM, '-', '+')).map(
      ([id, fields]) => Number(id.split('-')[0]) - Date.parse(JSON.parse(fields[1] ?? '').due_at),
    )
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(-1)
    // Of five the middle one: a machine that is busy with other things may hold one or two up.
    expect(lateness.sort((a, b) => a - b)[2]).toBeLessThanOrEqual(250)
  })

  test('that was overdue when its event came is executed at once', async () => {
    await parts.rule()
    await worker()
    await waitFor('the sweep of the boot', async () => (await sweepsBy('boot')).length === 1)
    await take(aWake(), [-60_000, 1])
    await executed(1)
    expect(await sweepsBy('schedule')).toEqual([])
  })

  test('that somebody held while the sweep passed is executed soon after, not at the next tick', async () => {
    await parts.rule()
    await worker()
    await waitFor('the sweep of the boot', async () => (await sweepsBy('boot')).length === 1)
    const wake = aWake()
    await take(wake, [300, 1])
    const client = await parts.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM automation_rule_pending_executions FOR UPDATE')
      await waitFor('a sweep to pass it over', async () => (await sweepsBy('wake')).length > 0)
      expect(await parts.states()).toEqual(['pending'])
    } finally {
      await client.query('COMMIT')
      client.release()
    }
    await executed(1)
    expect(await sweepsBy('schedule')).toEqual([])
  })
})

describe('the wake', () => {
  test('is one job, however many rows wait, and is set for the first of them', async () => {
    await parts.rule()
    await worker()
    await waitFor('the sweep of the boot', async () => (await sweepsBy('boot')).length === 1)
    const wakes = [aWake(), aWake(), aWake()]
    const before = await systemClock.now()
    await Promise.all(
      wakes.map((wake, i) =>
        take(wake, ...Array.from({ length: 50 }, (_, n): [number, number] => [20_000 + n * 100 + i, i * 50 + n + 1])),
      ),
    )
    const jobs = await delayedNamed('wake')
    expect(jobs).toHaveLength(1)
    expect(Number(jobs[0]?.timestamp) + Number(jobs[0]?.delay)).toBeLessThan(before / MICROS_PER_MILLISECOND + 21_500)
  })

  test('is set again by every sweep for what comes due next, also where only a sweep knows of it', async () => {
    await parts.rule()
    const now = await systemClock.now()
    const events = [300, 900].map((ms, i) => parsed({ ...dueIn(ms, i + 1, now), account_id: parts.account }))
    await takeBatch(parts.pool, new RuleBooks(), events, now)
    await worker()
    await executed(2)
    expect(await sweepsBy('schedule')).toEqual([])
  })
})

// CS-15. The tick's job is promoted instead of waiting five minutes for it: the same job, only sooner.
describe('three workers with the real schedule', () => {
  async function tick(): Promise<void> {
    const before = (await sweepsBy('schedule')).length
    const [next] = await delayedNamed('tick')
    await next?.promote()
    await waitFor('the sweep of the tick', async () => (await sweepsBy('schedule')).length > before)
    await waitFor('the next tick to be planned', async () => (await delayedNamed('tick')).length > 0)
  }

  test('sweep once per tick and once at boot; a restart neither loses nor doubles the schedule', async () => {
    await Promise.all([worker(), worker(), worker()])
    await waitFor('the sweep of the boot', async () => (await sweepsBy('boot')).length > 0)
    const planned = await delayedNamed('tick')
    expect(planned).toHaveLength(1)
    await tick()
    expect(await delayedNamed('tick')).toHaveLength(1)

    await running.shift()?.stop()
    await worker()
    expect(await queues.sweep.getJobSchedulersCount()).toBe(1)
    expect(await delayedNamed('tick')).toHaveLength(1)
    await tick()
    expect(await delayedNamed('tick')).toHaveLength(1)

    expect(await sweepsBy('schedule')).toHaveLength(2)
    expect(await sweepsBy('boot')).toHaveLength(1)
    expect(await queues.retention.getJobSchedulersCount()).toBe(1)
    // Five minutes apart, in UTC: the second is not the first one moved.
    const [first, second] = [planned[0], (await delayedNamed('tick'))[0]].map((job) => Number(job?.opts.prevMillis))
    expect(((second ?? 0) - (first ?? 0)) / 60_000).toBe(10)
    expect(((first ?? 0) / 60_000) % 5).toBe(0)
  })

  test('one sweep at a time across all of them, whatever asks for it', async () => {
    await Promise.all([worker(), worker(), worker()])
    await parts.rule()
    let most = 0
    const requests = Promise.all(Array.from({ length: 8 }, () => queues.sweepNow()))
    let done = false
    void requests.finally(() => {
      done = true
    })
    await waitFor('all sweeps', async () => {
      most = Math.max(most, await queues.sweep.getActiveCount())
      return done
    })
    expect(most).toBe(1)
  })
})

describe('schedules', () => {
  test('that an emptied Redis has lost are set up again, and what came due meanwhile is caught up on', async () => {
    const keeper = await keepSchedules(queues, parts.logger, 30)
    try {
      await parts.redis.flushdb()
      await waitFor('the schedules', async () => (await queues.sweep.getJobSchedulersCount()) === 1)
      await waitFor('the other one', async () => (await queues.retention.getJobSchedulersCount()) === 1)
      await waitFor('a sweep to be asked for', async () =>
        (await queues.sweep.getWaiting()).some((job) => job.name === 'boot'),
      )
      expect(await delayedNamed('tick')).toHaveLength(1)
    } finally {
      keeper.stop()
    }
  })

  test('that are as they should be are left alone; one that was changed is set right', async () => {
    await reconcileSchedules(queues)
    const [before] = await delayedNamed('tick')
    await reconcileSchedules(queues)
    expect((await delayedNamed('tick'))[0]?.timestamp).toBe(before?.timestamp)
    await queues.sweep.upsertJobScheduler('sweep-tick', { pattern: '0 0 1 1 *', tz: 'UTC' }, { name: 'tick', data: {} })
    await reconcileSchedules(queues)
    expect(await queues.sweep.getJobScheduler('sweep-tick')).toMatchObject({ pattern: '*/5 * * * *', tz: 'UTC' })
    expect(await delayedNamed('tick')).toHaveLength(1)
  })
})

test('rows that were under way when Redis went away end; what they decided reaches the stream when it is back, once', async () => {
  const proxy = await startSeverableProxy(stores.redisUrl)
  try {
    await parts.rule()
    const now = await systemClock.now()
    parts.clock.set(now)
    const events = Array.from({ length: 50 }, (_, n) =>
      parsed({ ...dueIn(-1_000, n + 1, now), account_id: parts.account }),
    )
    await takeBatch(parts.pool, new RuleBooks(), events, now)
    const claims = await parts.claim()
    await worker({ databaseUrl: stores.databaseUrl, redisUrl: proxy.url })
    const client = await parts.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM automation_rule_pending_executions FOR UPDATE')
    await enqueueProcessJobs(queues.process, claims)
    await waitFor('a worker to wait for a row', async () => {
      const [count] = await parts.column<number>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return count
    })
    // A job that Redis hands out just as the line breaks is found stalled half a minute later; here all are in hand before.
    await waitFor('all jobs to be under way', async () => (await queues.process.getActiveCount()) === claims.length)
    proxy.sever()
    await client.query('COMMIT')
    client.release()
    await waitFor('rows to end', async () => (await parts.states()).includes('executed'))
    expect(await parts.actions()).toEqual([])
    await proxy.restore()
    await executed(50)
    await waitFor('the actions', async () => (await parts.actions()).length >= 50)
    await waitFor('the queue to be empty', async () => (await queues.open('process')) === 0)
    const actions = await parts.actions()
    expect(actions).toHaveLength(50)
    expect(new Set(actions.map(({ conversation_id }) => conversation_id)).size).toBe(50)
  } finally {
    await proxy.restore()
    await Promise.all(running.splice(0).map((one) => one.stop()))
    await proxy.close()
  }
}, 30_000)
