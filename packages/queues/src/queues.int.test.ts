import { randomUUID } from 'node:crypto'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { type Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { enqueueDeliverJobs } from './deliver-queue'
import { QUEUE_PREFIX, type QueueName } from './names'
import type { Turns } from './priorities'
import { type Claim, enqueueProcessJobs, processJobId } from './process-queue'
import { openQueue } from './queue-connection'

const stores = useStores()
let redis: Redis
const queues: Queue[] = []

beforeAll(() => {
  redis = new Redis(stores.redisUrl, { maxRetriesPerRequest: null })
  stores.closeBefore(() => redis.disconnect())
})

beforeEach(() => redis.flushdb())
afterEach(() => Promise.all(queues.splice(0).map((queue) => queue.close())))

function open(name: QueueName): Queue {
  const queue = openQueue(name, redis)
  queues.push(queue)
  return queue
}

let nextId = 1
const claim = (accountId: number, immediate = false): Claim => ({
  id: nextId++,
  accountId,
  claimToken: randomUUID(),
  immediate,
})

/** Runs all jobs of a queue one after the other; answers their payloads in the order in which they came. */
async function drain(queue: Queue): Promise<Record<string, unknown>[]> {
  const payloads: Record<string, unknown>[] = []
  const worker = new Worker(queue.name, async (job) => void payloads.push(job.data), {
    connection: redis,
    prefix: QUEUE_PREFIX,
    concurrency: 1,
  })
  await waitFor('all jobs', async () => (await queue.getJobCountByTypes('waiting', 'prioritized', 'active')) === 0)
  await worker.close()
  return payloads
}

describe('process jobs', () => {
  test('carry ids and the claim, nothing else', async () => {
    const queue = open('process')
    const one = claim(7)
    await enqueueProcessJobs(queue, [one])
    const [job] = await queue.getPrioritized()
    expect(job?.id).toBe(processJobId(one))
    expect(job?.data).toEqual({ pending_execution_id: one.id, account_id: 7, claim_token: one.claimToken })
    expect(job?.opts).toMatchObject({ attempts: 1, priority: 2 })
  })

  test('come in turns of the accounts, immediate ones first, whatever the backlog of one', async () => {
    const queue = open('process')
    const great = Array.from({ length: 1_200 }, () => claim(1))
    const others = [claim(2), claim(3), claim(2), claim(3)]
    const now = claim(1, true)
    await enqueueProcessJobs(queue, [...great, ...others, now])
    const order = (await drain(queue)).map((payload) => payload.pending_execution_id)
    expect(order).toHaveLength(1_205)
    expect(order[0]).toBe(now.id)
    expect(new Set(order.slice(1, 4))).toEqual(new Set([great[0]?.id, others[0]?.id, others[1]?.id]))
    expect(new Set(order.slice(4, 7))).toEqual(new Set([great[1]?.id, others[2]?.id, others[3]?.id]))
    expect(order.slice(7)).toEqual(great.slice(2).map(({ id }) => id))
  })

  test('of a later batch of the same sweep go on where the turns were', async () => {
    const queue = open('process')
    const turns: Turns = new Map()
    const first = [claim(1), claim(1)]
    const second = [claim(1), claim(2)]
    await enqueueProcessJobs(queue, first, turns)
    await enqueueProcessJobs(queue, second, turns)
    const order = (await drain(queue)).map((payload) => payload.pending_execution_id)
    expect(order).toEqual([first[0]?.id, second[1]?.id, first[1]?.id, second[0]?.id])
  })

  test('of one claim are one job; of the next claim of the same row another, although the first is kept', async () => {
    const queue = open('process')
    const one = claim(1)
    await enqueueProcessJobs(queue, [one])
    await enqueueProcessJobs(queue, [one])
    expect(await drain(queue)).toHaveLength(1)
    await enqueueProcessJobs(queue, [{ ...one, claimToken: randomUUID() }])
    expect(await drain(queue)).toHaveLength(1)
    expect(await queue.getCompletedCount()).toBe(2)
  })

  test('are refused where Redis refuses, so that the claims can be given back', async () => {
    const cut = new Redis(stores.redisUrl, { maxRetriesPerRequest: 1, retryStrategy: () => 20 })
    cut.on('error', () => undefined)
    const queue = openQueue('process', cut)
    await queue.waitUntilReady()
    cut.disconnect()
    await expect(enqueueProcessJobs(queue, [claim(1)])).rejects.toThrow()
    await queue.close().catch(() => undefined)
  })
})

describe('deliver jobs', () => {
  const attempt = (number: number) => [{ id: '5-0', accountId: 1, attempt: number }]

  test('of one attempt are one job for as long as it waits, of the next attempt another', async () => {
    const queue = open('deliver')
    await enqueueDeliverJobs(queue, attempt(1))
    await enqueueDeliverJobs(queue, attempt(1))
    await enqueueDeliverJobs(queue, attempt(2))
    expect(await drain(queue)).toEqual([1, 2].map(() => ({ delivery_id: '5-0', account_id: 1 })))
  })

  test('that came too early (clocks differ) leave nothing behind that would swallow the attempt when it is due', async () => {
    const queue = open('deliver')
    await enqueueDeliverJobs(queue, attempt(1))
    await drain(queue)
    await enqueueDeliverJobs(queue, attempt(1))
    expect(await drain(queue)).toHaveLength(1)
  })

  test('that failed do not swallow the attempt either', async () => {
    const queue = open('deliver')
    await enqueueDeliverJobs(queue, attempt(1))
    let failed = 0
    const failing = new Worker(queue.name, async () => Promise.reject(new Error('the database is away')), {
      connection: redis,
      prefix: QUEUE_PREFIX,
    })
    failing.on('failed', () => {
      failed += 1
    })
    await waitFor('the job to fail', () => failed === 1)
    await failing.close()
    await enqueueDeliverJobs(queue, attempt(1))
    expect(await drain(queue)).toHaveLength(1)
  })
})
