import { openQueue } from '@dwell/queues/queue-connection'
import { readQueueState } from '@dwell/queues/queue-state'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

type Queue = ReturnType<typeof openQueue>

const stores = useStores()
let queue: Queue
const console = useConsole(stores, {
  work: { queues: async () => [{ name: 'process', about: 'One job per row.', state: await readQueueState(queue) }] },
})

let redis: ReturnType<typeof connectRedis>
beforeAll(() => {
  redis = connectRedis(parseRedisUrl(stores.redisUrl), {
    purpose: 'producing',
    name: 'test',
    logger: console.deps.logger,
  })
  queue = openQueue('process', redis)
})
afterAll(async () => {
  await queue.close()
  await closeRedis(redis)
})

const state = async () => (await console.call('GET', '/queues')).body.payload[0]

test('says what stands in a queue, since when, whether it is paused, and where it is on the board', async () => {
  expect(await state()).toEqual({
    name: 'process',
    about: 'One job per row.',
    counts: { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0 },
    paused: false,
    workers: 0,
    oldest_waiting: null,
    board_path: '/admin/queues/queue/process',
  })
  const aMinuteAgo = Date.now() - 60_000
  await queue.add('process', {}, { priority: 1, timestamp: aMinuteAgo + 30_000 })
  await queue.add('process', {}, { priority: 5, timestamp: aMinuteAgo })
  await queue.add('process', {})
  await queue.add('process', {}, { delay: 3_600_000 })
  await queue.pause()
  const seen = await state()
  expect(seen).toMatchObject({ counts: { waiting: 3, delayed: 1 }, paused: true })
  // The one that waits longest, although others come before it.
  expect(seen.oldest_waiting.since).toBe(`${new Date(aMinuteAgo).toISOString().slice(0, -1)}000Z`)
  expect(seen.oldest_waiting.seconds).toBeGreaterThanOrEqual(60)
  expect(seen.oldest_waiting.seconds).toBeLessThan(120)
})
