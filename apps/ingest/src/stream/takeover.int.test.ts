import { EVENTS_GROUP } from '@dwell/contracts/events'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { Redis } from 'ioredis'
import { claimAbandoned, FROM_THE_START, removeIdleConsumers, withDeliveries } from './takeover'

const STREAM = 'events'
const stores = useStores()
let redis: Redis

beforeAll(() => {
  redis = new Redis(stores.redisUrl)
  stores.closeBefore(() => redis.disconnect())
})
beforeEach(async () => {
  await redis.flushdb()
  await redis.xgroup('CREATE', STREAM, EVENTS_GROUP, '0', 'MKSTREAM')
})

async function publish(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await redis.xadd(STREAM, '*', 'event', String(i))
}
const handOut = (consumer: string, count: number) =>
  redis.xreadgroup('GROUP', EVENTS_GROUP, consumer, 'COUNT', count, 'STREAMS', STREAM, '>')
const values = (entries: readonly { fields: readonly string[] | null }[]) => entries.map(({ fields }) => fields?.[1])

async function consumers(): Promise<string[]> {
  const infos = (await redis.xinfo('CONSUMERS', STREAM, EVENTS_GROUP)) as unknown[][]
  return infos.map((fields) => String(fields[1])).sort()
}

/** Idle times are Redis's own: it has to pass. */
async function idleFor(ms: number): Promise<void> {
  await waitFor(`${ms} ms of idleness`, async () => {
    const infos = (await redis.xinfo('CONSUMERS', STREAM, EVENTS_GROUP)) as unknown[][]
    return infos.every((fields) => Number(fields[fields.indexOf('idle') + 1]) > ms)
  })
}

describe('abandoned entries', () => {
  test('are taken over piece by piece, in the order of the stream, and counted', async () => {
    await publish(5)
    await handOut('dead', 4)
    await idleFor(20)
    const options = { consumer: 'alive', minIdleMs: 20, count: 3 }
    const first = await claimAbandoned(redis, STREAM, { ...options, cursor: FROM_THE_START })
    expect(values(first.entries)).toEqual(['0', '1', '2'])
    const second = await claimAbandoned(redis, STREAM, { ...options, cursor: first.cursor })
    expect(values(second.entries)).toEqual(['3'])
    expect(second.cursor).toBe(FROM_THE_START)
    const counted = await withDeliveries(redis, 'alive', [...first.entries, ...second.entries])
    expect(counted.map(({ deliveries }) => deliveries)).toEqual([2, 2, 2, 2])
  })

  test('are not those that somebody was handed a moment ago', async () => {
    await publish(1)
    await handOut('alive', 1)
    const { entries } = await claimAbandoned(redis, STREAM, {
      consumer: 'other',
      minIdleMs: 60_000,
      count: 10,
      cursor: FROM_THE_START,
    })
    expect(entries).toEqual([])
  })
})

test('consumers that are idle for long and hold nothing leave the group; others and oneself stay', async () => {
  await publish(1)
  await handOut('holds one', 1)
  await redis.xgroup('CREATECONSUMER', STREAM, EVENTS_GROUP, 'gone')
  await redis.xgroup('CREATECONSUMER', STREAM, EVENTS_GROUP, 'self')
  await idleFor(200)
  await redis.xgroup('CREATECONSUMER', STREAM, EVENTS_GROUP, 'new')
  expect(await removeIdleConsumers(redis, STREAM, { idleMs: 200, except: 'self' })).toBe(1)
  expect(await consumers()).toEqual(['holds one', 'new', 'self'])
})
