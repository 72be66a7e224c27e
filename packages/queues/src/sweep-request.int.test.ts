import { PassThrough } from 'node:stream'
import type { SweepSummary } from '@dwell/contracts/jobs'
import { createLogger } from '@dwell/runtime/logger'
import { connectRedis, type RedisConnection } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { type OwnRedis, startOwnRedis } from '@dwell/testing/own-redis'
import { waitFor } from '@dwell/testing/wait-for'
import { Worker } from 'bullmq'
import { QUEUE_PREFIX } from './names'
import { openQueue } from './queue-connection'
import { enqueueSettling, requestSweep, SweepRequestError } from './sweep-request'

// Against a Redis of its own, which it kills and empties.

const SUMMARY: SweepSummary = {
  event: 'completed',
  due: 1,
  enqueued: 1,
  capped: false,
  remaining: 0,
  expired: 0,
  reclaimed: 0,
  flag_disabled: 0,
  steps: 0,
  lateness_p50_ms: null,
  lateness_max_ms: null,
  duration_ms: 2,
}

let redis: OwnRedis
let connection: RedisConnection
let queues: { sweep: ReturnType<typeof openQueue>; settle: ReturnType<typeof openQueue> }
const workers: Worker[] = []

beforeAll(async () => {
  redis = await startOwnRedis()
  connection = connectRedis(parseRedisUrl(redis.url), {
    purpose: 'producing',
    name: 'test',
    logger: createLogger({ process: 'test', level: 'error', format: 'json', stream: new PassThrough().resume() }),
  })
  queues = { sweep: openQueue('sweep', connection), settle: openQueue('settle', connection) }
})

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close(true)))
  await connection.flushall()
})

afterAll(async () => {
  await Promise.all([queues.sweep.close(), queues.settle.close()])
  connection.disconnect()
  await redis.stop()
})

function work(queue: 'sweep' | 'settle', run: (id: string) => Promise<unknown>): void {
  const worker = new Worker(queue, (job) => run(String(job.id)), {
    connection: { url: redis.url, maxRetriesPerRequest: null },
    prefix: QUEUE_PREFIX,
  })
  worker.on('error', () => undefined)
  workers.push(worker)
}

const settling = { sweep_id: 1, summary: SUMMARY, claims: [], deliveries: [], steps: [] }
const request = (signal = new AbortController().signal) => requestSweep(queues, { retention: false, signal })
const reasonOf = (error: unknown) => (error instanceof SweepRequestError ? error.reason : error)

test('a request is answered with what its settling says, not when its sweep ends', async () => {
  let settle: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    settle = resolve
  })
  work('sweep', (id) => enqueueSettling(queues.settle, id, settling))
  work('settle', async () => {
    await held
    return { ...SUMMARY, steps: 7 }
  })
  let answered = false
  const answer = request().finally(() => {
    answered = true
  })
  await waitFor('the sweep to end', async () => (await queues.sweep.getCompletedCount()) === 1)
  await waitFor('its settling to begin', async () => (await queues.settle.getActiveCount()) === 1)
  expect(answered).toBe(false)
  settle?.()
  expect(await answer).toEqual({ ...SUMMARY, steps: 7 })
})

test.each(['sweep', 'settle'] as const)('a failure in %s is the answer', async (queue) => {
  work('sweep', (id) =>
    queue === 'sweep' ? Promise.reject(new Error('no database')) : enqueueSettling(queues.settle, id, settling),
  )
  work('settle', () => Promise.reject(new Error('no database')))
  const error = await request().catch((failure: unknown) => failure)
  expect(error).toMatchObject({ reason: 'failed', message: 'no database' })
})

test('a request that an emptied Redis has forgotten is told so', async () => {
  const answer = request().catch(reasonOf)
  await waitFor('the request', async () => (await queues.sweep.getWaitingCount()) === 1)
  await connection.flushall()
  expect(await answer).toBe('lost')
})

test('a Redis that dies under a request ends it within seconds, one that comes back at once does not', async () => {
  const short = request().catch(reasonOf)
  await waitFor('the request', async () => (await queues.sweep.getWaitingCount()) === 1)
  await redis.kill()
  await redis.restart()
  work('sweep', (id) => enqueueSettling(queues.settle, id, settling))
  work('settle', async () => SUMMARY)
  expect(await short).toEqual(SUMMARY)

  await Promise.all(workers.splice(0).map((worker) => worker.close(true)))
  const long = request().catch(reasonOf)
  await waitFor('the request', async () => (await queues.sweep.getWaitingCount()) === 1)
  await redis.kill()
  const began = performance.now()
  expect(await long).toBe('unreachable')
  expect(performance.now() - began).toBeLessThan(12_000)
  await redis.restart()
}, 30_000)

test('whoever gives a request up gets the reason, and the sweep goes on', async () => {
  const giveUp = new AbortController()
  const answer = request(giveUp.signal).catch((reason: unknown) => reason)
  await waitFor('the request', async () => (await queues.sweep.getWaitingCount()) === 1)
  const reason = new Error('enough')
  giveUp.abort(reason)
  expect(await answer).toBe(reason)
  expect(await queues.sweep.getWaitingCount()).toBe(1)
})
