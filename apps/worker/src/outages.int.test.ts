import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import { setTestClock } from '@dwell/runtime/clock'
import { instant } from '@dwell/testing/fixed-clock'
import { freePort } from '@dwell/testing/own-redis'
import { type SeverableProxy, startSeverableProxy } from '@dwell/testing/severable-proxy'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at, pending } from './testing/conversations'
import { openQueues, type Queues, type RunningWorker, startWorker } from './testing/running-worker'
import { useWorkerParts } from './testing/worker-parts'

// Workers whose stores go away and come back; the test itself goes past the proxies.

const stores = useStores()
const parts = useWorkerParts(stores)
let queues: Queues
let postgres: SeverableProxy
let redis: SeverableProxy
const running: RunningWorker[] = []

beforeAll(async () => {
  queues = openQueues(stores.redisUrl)
  postgres = await startSeverableProxy(stores.databaseUrl)
  redis = await startSeverableProxy(stores.redisUrl)
  stores.closeBefore(() => Promise.all([queues.close(), postgres.close(), redis.close()]))
})

afterEach(async () => {
  await Promise.all([postgres.restore(), redis.restore()])
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

async function worker(environment: Record<string, string> = {}): Promise<RunningWorker> {
  const started = await startWorker({ databaseUrl: postgres.url, redisUrl: redis.url }, environment)
  running.push(started)
  return started
}

async function clock(time: string): Promise<void> {
  parts.clock.set(at(time))
  await setTestClock(parts.redis, instant(at(time)))
}

const says = (worker: RunningWorker, event: string) =>
  waitFor(event, () => worker.lines.find((line) => line.event === event))
const processEmpty = () => waitFor('the queue to be empty', async () => (await queues.open('process')) === 0)

async function probe(port: number, name: 'livez' | 'readyz'): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/${name}`)).status
}

const ROWS = 'SELECT FROM automation_rule_pending_executions FOR UPDATE'

/** Holds locks, so that statements of the worker wait and can be cut off in the middle, until they are let go. */
async function hold(locks: string): Promise<() => Promise<void>> {
  const client = await parts.pool.connect()
  await client.query('BEGIN')
  await client.query(locks)
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

const workersWait = () =>
  waitFor('a worker to wait for a row', async () => {
    const [count] = await parts.column<number>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return count
  })

describe('while Postgres is away', () => {
  // CS-06
  test('a row that was being judged stays processing and is reported; later exactly one message', async () => {
    await parts.rule({ actions: [{ action_name: 'send_message', action_params: ['Still there?'] }] })
    await parts.take(pending(101))
    await clock('11:00')
    const started = await worker()
    const claims = await parts.claim()
    const letGo = await hold(ROWS)
    await enqueueProcessJobs(queues.process, claims)
    await workersWait()
    postgres.sever()
    await says(started, 'job.failed')
    await letGo()
    expect(await parts.states()).toEqual(['processing'])
    expect(await parts.actions()).toEqual([])

    await postgres.restore()
    await clock('11:16')
    await says(started, 'workload.resumed')
    expect(await queues.sweepNow()).toMatchObject({ reclaimed: 1, enqueued: 1 })
    expect(await parts.states()).toEqual(['executed'])
    expect(await parts.actions()).toMatchObject([{ content: 'Still there?' }])
  })

  test('no more jobs are taken than were under way; the others are executed as soon as it is back', async () => {
    await parts.rule()
    await parts.take(...Array.from({ length: 300 }, (_, n) => pending(n + 1)))
    await clock('11:00')
    const claims = await parts.claim()
    const started = await worker({ DWELL_WORKER_PROCESS_CONCURRENCY: '10' })
    const letGo = await hold(ROWS)
    await enqueueProcessJobs(queues.process, claims)
    await workersWait()
    postgres.sever()
    await says(started, 'workload.paused')
    await letGo()
    expect(await queues.open('process')).toBeGreaterThan(250)
    expect(await probe(started.port, 'readyz')).toBe(503)

    await postgres.restore()
    await says(started, 'workload.resumed')
    await processEmpty()
    const states = await parts.states()
    expect(states.filter((state) => state === 'executed').length).toBeGreaterThanOrEqual(270)
    expect(states.filter((state) => state !== 'executed' && state !== 'processing')).toEqual([])
    expect(await probe(started.port, 'readyz')).toBe(200)

    await clock('11:16')
    await queues.sweepNow()
    expect(new Set(await parts.states())).toEqual(new Set(['executed']))
    expect(await parts.actions()).toHaveLength(300)
  })
})

describe('while Redis is away', () => {
  test('a sweep gives its claims back, and the rows are executed by the first one after', async () => {
    await parts.rule()
    await parts.take(pending(101), pending(102))
    await clock('11:00')
    const started = await worker()
    const letGo = await hold('LOCK TABLE automation_rule_pending_executions IN SHARE MODE')
    const swept = queues.sweepNow().catch(() => undefined)
    await workersWait()
    redis.sever()
    await letGo()
    await says(started, 'sweep.enqueue_failed')
    await waitFor('the rows to wait again', async () => (await parts.states()).every((state) => state === 'pending'))
    await redis.restore()
    await swept
    await queues.sweepNow()
    expect(await parts.states()).toEqual(['executed', 'executed'])
    expect(await parts.actions()).toHaveLength(2)
  })
})

describe('a worker that starts before its stores', () => {
  test.each(['postgres', 'redis', 'both'] as const)(
    'waits for %s, alive and not ready, and then works',
    async (which) => {
      await parts.rule()
      await parts.take(pending(101))
      await clock('11:00')
      if (which !== 'redis') postgres.sever()
      if (which !== 'postgres') redis.sever()
      const port = await freePort()
      const starting = startWorker({ databaseUrl: postgres.url, redisUrl: redis.url }, { WORKER_PORT: String(port) })
      await waitFor('the probes', async () => (await probe(port, 'livez')) === 200)
      expect(await probe(port, 'readyz')).toBe(503)
      await Promise.all([postgres.restore(), redis.restore()])
      running.push(await starting)
      expect(await probe(port, 'readyz')).toBe(200)
      await queues.sweepNow()
      expect(await parts.states()).toEqual(['executed'])
    },
  )
})
