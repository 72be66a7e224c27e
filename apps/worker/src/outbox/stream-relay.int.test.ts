import { ACTION_FIELD, ACTIONS_STREAM } from '@dwell/contracts/action'
import type { Micros } from '@dwell/contracts/instant'
import type { Pool } from '@dwell/database/pool'
import { systemClock } from '@dwell/runtime/clock'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { startOwnRedis } from '@dwell/testing/own-redis'
import { startSeverableProxy } from '@dwell/testing/severable-proxy'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at } from '../testing/conversations'
import { insertDelivery, insertRows } from '../testing/rows'
import { useWorkerParts } from '../testing/worker-parts'
import { restoreAfterOutages } from './restore-after-outage'

const stores = useStores()
const worker = useWorkerParts(stores)

/** Deliveries of one executed row that wait to be relayed; answers their ids in the order of the rule. */
async function decided(actions: number, conversation = 101): Promise<string[]> {
  const [execution] = await insertRows(worker.pool, [
    { account: worker.account, conversation, due: at('10:00'), state: 'executed' },
  ])
  const ids: string[] = []
  for (let position = 0; position < actions; position++)
    ids.push(await insertDelivery(worker.pool, { account: worker.account, execution: Number(execution), position }))
  return ids
}

const onStream = async () => (await worker.actions()).map(({ id }) => id)
const statuses = () =>
  worker.column<string>('SELECT status FROM action_deliveries ORDER BY pending_execution_id, position')
const payloadOf = (id: string) => ({ id, payload: { id, account_id: worker.account } })

/** As a crash does it: entry and key were written together and are lost together. */
async function lose(ids: readonly string[]): Promise<void> {
  for (const [entry, fields] of await worker.redis.xrange(ACTIONS_STREAM, '-', '+')) {
    const { id } = JSON.parse(fields[fields.indexOf(ACTION_FIELD) + 1] ?? '')
    if (!ids.includes(id)) continue
    await worker.redis.xdel(ACTIONS_STREAM, entry)
    await worker.redis.del(`delivered:{${ACTIONS_STREAM}}:${id}`)
  }
}

describe('a decided action', () => {
  test('reaches the stream once, however often it is relayed, and says when', async () => {
    const ids = await decided(2)
    worker.clock.set('2026-09-01T10:00:00.123456Z')
    await worker.relay.relayPending()
    await worker.relay.relay(ids.map(payloadOf))
    expect(await worker.relay.relayPending()).toBe(0)
    expect(await onStream()).toEqual(ids)
    const { rows } = await worker.pool.query('SELECT status, next_attempt_at, attempts FROM action_deliveries')
    const attempt = { at: '2026-09-01T10:00:00.123456Z', outcome: 'delivered' }
    expect(rows).toEqual([1, 2].map(() => ({ status: 'delivered', next_attempt_at: null, attempts: [attempt] })))
  })

  test('reaches it once where two workers relay it at the same moment, in the order of the rule', async () => {
    const ids = await decided(250)
    await Promise.all([
      worker.relay.relayPending(),
      worker.relay.relayPending(),
      worker.relay.relay(ids.map(payloadOf)),
    ])
    expect(await onStream()).toEqual(ids)
    expect(new Set(await statuses())).toEqual(new Set(['delivered']))
  })

  test('whose worker died between the stream and the database is marked, not written again', async () => {
    const ids = await decided(1)
    const gone = { query: async () => Promise.reject(new Error('the worker died')) } as unknown as Pool
    const dying = worker.relayOver(worker.redis, gone)
    await expect(dying.relay(ids.map(payloadOf))).rejects.toThrow('the worker died')
    expect(await statuses()).toEqual(['pending'])
    await worker.relay.relayPending()
    expect(await statuses()).toEqual(['delivered'])
    expect(await onStream()).toEqual(ids)
  })

  test('of a great backlog leaves in pages, none forgotten', async () => {
    const [execution] = await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00'), state: 'executed' },
    ])
    await worker.pool.query(
      `INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
         next_attempt_at, created_at, updated_at)
       SELECT $2 || '-' || n, $1, $2::bigint, n, 'add_label', 'stream', 'pending',
         jsonb_build_object('id', $2 || '-' || n, 'account_id', $1::bigint, 'position', n), '2026-09-01T08:00:00Z', now(), now()
       FROM generate_series(0, 2499) AS n`,
      [worker.account, String(execution)],
    )
    expect(await worker.relay.relayPending()).toBe(2_500)
    expect((await worker.actions()).map(({ position }) => position)).toEqual(Array.from({ length: 2_500 }, (_, n) => n))
  })

  test('to a slow target is none of the stream’s business', async () => {
    const [execution] = await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00'), state: 'executed' },
    ])
    await insertDelivery(worker.pool, { account: worker.account, execution: Number(execution), target: 'webhook' })
    expect(await worker.relay.relayPending()).toBe(0)
    expect(await statuses()).toEqual(['pending'])
  })
})

describe('a stream that takes nothing', () => {
  test('leaves the actions pending and no trace that would pass for a delivery', async () => {
    const ids = await decided(3)
    await worker.redis.set(ACTIONS_STREAM, 'somebody wrote over it')
    await expect(worker.relay.relayPending()).rejects.toThrow('WRONGTYPE')
    expect(await statuses()).toEqual(['pending', 'pending', 'pending'])
    await worker.redis.del(ACTIONS_STREAM)
    await worker.relay.relayPending()
    expect(await onStream()).toEqual(ids)
  })

  test('for a moment: what a worker could not relay goes out as soon as the connection is back', async () => {
    const proxy = await startSeverableProxy(stores.redisUrl)
    const redis = connectRedis(parseRedisUrl(proxy.url), { purpose: 'producing', name: 'relay', logger: worker.logger })
    const relay = worker.relayOver(redis)
    restoreAfterOutages(redis, relay, (error) => worker.lines.push({ reported: error }))
    try {
      await redis.ping()
      const ids = await decided(2)
      proxy.sever()
      await expect(relay.relayPending()).rejects.toThrow()
      await proxy.restore()
      await waitFor('the actions', async () => (await onStream()).length === 2)
      expect(await onStream()).toEqual(ids)
      await waitFor('their marks', async () => (await statuses()).every((status) => status === 'delivered'))
    } finally {
      await closeRedis(redis)
      await proxy.close()
    }
  })
})

// docs/adr/0006: Redis may lose its last second.
describe('after a crash of Redis', () => {
  test('exactly what was lost is on the stream again, in its order; what survived is not repeated', async () => {
    const ids = [...(await decided(3, 101)), ...(await decided(3, 102))]
    await worker.relay.relayPending()
    const lost = [ids[2], ids[4], ids[5]].filter((id) => id !== undefined)
    await lose(lost)
    expect(await worker.relay.relayLost(await systemClock.now())).toBe(3)
    expect(await onStream()).toEqual([...ids.filter((id) => !lost.includes(id)), ...lost])
    expect(await worker.relay.relayLost(await systemClock.now())).toBe(0)
  })

  test('that was noticed long ago, what was relayed shortly before it is looked at, not what came before the return', async () => {
    const ids = await decided(2)
    await worker.relay.relayPending()
    await worker.pool.query(`UPDATE action_deliveries SET relayed_at = relayed_at - interval '3 hours'`)
    await lose(ids)
    const threeHours = 3 * 3_600_000_000
    expect(await worker.relay.relayLost(((await systemClock.now()) - threeHours) as Micros)).toBe(2)
    expect(await onStream()).toEqual(ids)
  })

  test('that nobody saw, a worker that begins goes by the last that was relayed', async () => {
    const ids = await decided(2)
    await worker.relay.relayPending()
    await worker.pool.query(`UPDATE action_deliveries SET relayed_at = relayed_at - interval '5 days'`)
    await lose(ids)
    expect(await worker.relay.relayLost(null)).toBe(2)
    expect(await onStream()).toEqual(ids)
  })

  test('where nothing was ever relayed there is nothing to restore', async () => {
    await decided(1)
    expect(await worker.relay.relayLost(null)).toBe(0)
    expect(await onStream()).toEqual([])
  })

  test('a worker that lived through it restores what went with it, by itself', async () => {
    // Without a file it forgets everything, which is the worst that can happen.
    const server = await startOwnRedis({ args: ['--appendonly', 'no'] })
    const redis = connectRedis(parseRedisUrl(server.url), {
      purpose: 'producing',
      name: 'relay',
      logger: worker.logger,
    })
    const relay = worker.relayOver(redis)
    restoreAfterOutages(redis, relay, (error) => worker.lines.push({ reported: error }))
    try {
      const ids = await decided(3)
      await relay.relayPending()
      expect(await redis.xlen(ACTIONS_STREAM)).toBe(3)
      await server.kill()
      await server.restart()
      await waitFor('the actions', async () => (await redis.xlen(ACTIONS_STREAM)) === 3)
      const entries = await redis.xrange(ACTIONS_STREAM, '-', '+')
      expect(entries.map(([, fields]) => JSON.parse(fields[1] ?? '').id)).toEqual(ids)
      expect(worker.lines).toContainEqual(expect.objectContaining({ event: 'relay.restored', count: 3 }))
    } finally {
      await closeRedis(redis)
      await server.stop()
    }
  })
})
