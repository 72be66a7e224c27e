import { useStores } from '@dwell/testing/stores'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { QUEUE_PREFIX } from './names'
import { openQueue } from './queue-connection'
import { readQueueState } from './queue-state'

const stores = useStores()
let redis: Redis
let queue: ReturnType<typeof openQueue>

beforeAll(() => {
  redis = new Redis(stores.redisUrl, { maxRetriesPerRequest: null })
  stores.closeBefore(() => redis.disconnect())
  queue = openQueue('process', redis)
})
afterAll(() => queue.close())

test('counts the processes that take the jobs of a queue', async () => {
  expect((await readQueueState(queue)).workers).toBe(0)
  const worker = new Worker('process', async () => undefined, { connection: redis, prefix: QUEUE_PREFIX })
  await worker.waitUntilReady()
  expect((await readQueueState(queue)).workers).toBe(1)
  await worker.close()
})

test('follows jobs from waiting to failed or completed, and names the oldest that waits', async () => {
  await queue.add('process', { fails: true }, { timestamp: 1_000_000 })
  await queue.add('process', { fails: false }, { timestamp: 2_000_000, removeOnComplete: false })
  expect(await readQueueState(queue)).toMatchObject({ waiting: 2, active: 0, oldestWaitingAt: 1_000_000 })
  const worker = new Worker(
    'process',
    async (job) => {
      if (job.data.fails) throw new Error('as it was asked to')
    },
    { connection: redis, prefix: QUEUE_PREFIX, autorun: false },
  )
  const ended = new Promise<void>((resolve) => worker.on('completed', () => resolve()))
  void worker.run()
  await ended
  expect(await readQueueState(queue)).toMatchObject({ waiting: 0, failed: 1, completed: 1, oldestWaitingAt: null })
  await worker.close()
})
