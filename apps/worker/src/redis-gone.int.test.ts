import { setTestClock } from '@dwell/runtime/clock'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { instant } from '@dwell/testing/fixed-clock'
import { type OwnRedis, startOwnRedis } from '@dwell/testing/own-redis'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at } from './testing/conversations'
import { startWorker } from './testing/running-worker'
import { loggerInto } from './testing/worker-parts'

const stores = useStores()
let redis: OwnRedis

beforeEach(async () => {
  redis = await startOwnRedis()
  const connection = connectRedis(parseRedisUrl(redis.url), {
    purpose: 'producing',
    name: 'test',
    logger: loggerInto([]),
  })
  await setTestClock(connection, instant(at('11:00')))
  await closeRedis(connection)
})

afterEach(() => redis.stop())

describe.each(['0', '1'])('a worker whose Redis is gone (test clock %s)', (testClock) => {
  test('tells the outage once per connection, and ends within seconds, without another word about it', async () => {
    const worker = await startWorker(
      { databaseUrl: stores.databaseUrl, redisUrl: redis.url },
      { DWELL_TEST_CLOCK: testClock, DWELL_SHUTDOWN_DEADLINE: '25s' },
    )
    await redis.kill()
    await waitFor(
      'both connections to notice',
      () => worker.lines.filter(({ event }) => event === 'redis.lost').length === 2,
    )
    const told = worker.lines.length
    const began = performance.now()
    expect(await worker.stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(8_000)
    expect(worker.lines.filter(({ event }) => event === 'queue.error')).toEqual([])
    expect(worker.lines.slice(told).map(({ event }) => event)).toEqual(['shutdown.began', 'shutdown.completed'])
  }, 40_000)
})
