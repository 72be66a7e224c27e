import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { type Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { QUEUE_PREFIX } from './names'
import { openQueue } from './queue-connection'
import { nextTick } from './schedule'
import { Wake } from './wake'

const stores = useStores()
let redis: Redis
let queue: Queue

beforeAll(() => {
  redis = new Redis(stores.redisUrl, { maxRetriesPerRequest: null })
  queue = openQueue('sweep', redis)
  stores.closeBefore(async () => {
    await queue.close()
    redis.disconnect()
  })
})

beforeEach(() => redis.flushdb())

/** A moment long before a tick, so that what comes due in the next minutes needs a wake. */
const NOW = ((Math.floor(Date.now() / 300_000) * 300_000 + 1_000) * MICROS_PER_MILLISECOND) as Micros
const after = (seconds: number) => (NOW + seconds * 1_000_000) as Micros
const wakes = async () =>
  (await queue.getJobs(['delayed', 'waiting', 'prioritized'])).filter((job) => job.name === 'wake')
/** Seconds after NOW at which the only wake fires; job ids say when. */
async function onlyWake(): Promise<number> {
  const jobs = await wakes()
  expect(jobs).toHaveLength(1)
  return (Number(jobs[0]?.id?.split('-')[1]) - NOW) / 1_000_000
}

describe('the wake', () => {
  test('is brought forward, and only forward', async () => {
    const wake = new Wake(queue, redis)
    await wake.bringForward(after(60), NOW)
    expect(await onlyWake()).toBe(60)
    await wake.bringForward(after(90), NOW)
    expect(await onlyWake()).toBe(60)
    await wake.bringForward(after(30), NOW)
    expect(await onlyWake()).toBe(30)
  })

  test('is one, whoever of many processes asks for it at the same moment', async () => {
    const processes = Array.from({ length: 8 }, () => new Wake(queue, redis))
    await Promise.all(processes.map((wake, i) => wake.bringForward(after(100 - i * 10), NOW)))
    expect(await onlyWake()).toBe(30)
    await Promise.all(processes.map((wake) => wake.bringForward(after(30), NOW)))
    expect(await onlyWake()).toBe(30)
  })

  test('of rows due within one slice is the same', async () => {
    const wake = new Wake(queue, redis)
    await wake.bringForward((after(10) + 1) as Micros, NOW)
    await new Wake(queue, redis).bringForward((after(10) + 20_000) as Micros, NOW)
    expect(await onlyWake()).toBe(10.025)
  })

  test('comes at once for what is overdue', async () => {
    await new Wake(queue, redis).bringForward(after(-3_600), NOW)
    expect(await onlyWake()).toBeLessThanOrEqual(0.025)
    expect((await wakes())[0]?.opts.delay).toBeLessThanOrEqual(25)
  })

  test('is not set for what the next tick will see in time', async () => {
    const tick = nextTick(NOW)
    await new Wake(queue, redis).bringForward((tick + 1) as Micros, NOW)
    expect(await wakes()).toEqual([])
  })

  test('costs ten thousand later arms next to nothing', async () => {
    const wake = new Wake(queue, redis)
    await wake.bringForward(after(10), NOW)
    // Counted here and not by the server, which other tests ask as well.
    const reads = jest.spyOn(redis, 'get')
    const writes = jest.spyOn(redis, 'eval')
    for (let n = 0; n < 10_000; n++) await wake.bringForward(after(11 + (n % 200)), NOW)
    expect(reads.mock.calls.length).toBeLessThan(20)
    expect(writes).not.toHaveBeenCalled()
    expect(await onlyWake()).toBe(10)
  })

  test('that is overdue because sweeps are slow is still the only one, however many ask for another', async () => {
    const processes = Array.from({ length: 4 }, () => new Wake(queue, redis))
    await processes[0]?.bringForward(after(1), NOW)
    const [first] = await wakes()
    for (let n = 0; n < 40; n++) await processes[n % 4]?.bringForward(after(1 + n), after(1 + n))
    expect((await wakes()).map((job) => job.id)).toEqual([first?.id])
    // It begins: what comes due from now on needs the next one.
    await processes[0]?.fired(first?.id ?? '')
    await processes[1]?.bringForward(after(50), after(50))
    expect(await wakes()).toHaveLength(2)
  })

  test('that should have fired long ago stands in nobody’s way', async () => {
    await new Wake(queue, redis).bringForward(after(10), NOW)
    // It was lost without a trace, as in a crash of Redis.
    await queue.remove((await wakes())[0]?.id ?? '')
    await new Wake(queue, redis).bringForward(after(60), after(20))
    expect(await onlyWake()).toBe(60)
  })

  test('that fires makes room for the next one, also for a process that knew it', async () => {
    const wake = new Wake(queue, redis)
    await wake.bringForward(after(10), NOW)
    const [job] = await wakes()
    await wake.fired(job?.id ?? '')
    await job?.remove()
    await wake.bringForward(after(20), NOW)
    expect(await onlyWake()).toBe(20)
  })

  test('that fires late clears no other', async () => {
    const wake = new Wake(queue, redis)
    await wake.bringForward(after(60), NOW)
    const late = (await wakes())[0]?.id ?? ''
    await wake.bringForward(after(30), NOW)
    await wake.fired(late)
    await new Wake(queue, redis).bringForward(after(40), NOW)
    expect(await onlyWake()).toBe(30)
  })

  test('leaves nothing in Redis once it has run', async () => {
    const wake = new Wake(queue, redis)
    const now = (Date.now() * MICROS_PER_MILLISECOND) as Micros
    await wake.bringForward(now, now)
    const worker = new Worker('sweep', async (job) => wake.fired(job.id ?? ''), {
      connection: redis,
      prefix: QUEUE_PREFIX,
    })
    await waitFor('the wake to run', async () => (await queue.getJobCountByTypes('delayed', 'waiting', 'active')) === 0)
    await worker.close()
    expect(await queue.getJobCountByTypes('completed', 'failed')).toBe(0)
    expect(await redis.get(`${QUEUE_PREFIX}:wake`)).toBeNull()
  })
})
