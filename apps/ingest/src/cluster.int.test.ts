import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import type { Pool } from '@dwell/database/pool'
import { createPool } from '@dwell/database/pool'
import { conversationEvent } from '@dwell/testing/event-builder'
import { type OwnRedis, startOwnRedis } from '@dwell/testing/own-redis'
import { seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import { Upstream } from '@dwell/testing/upstream'
import { waitFor } from '@dwell/testing/wait-for'
import { startIngest } from './testing/running-ingest'

const stores = useStores()
let pool: Pool
let server: OwnRedis

beforeAll(async () => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 4, applicationName: 'test' })
  server = await startOwnRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
  stores.closeBefore(() => pool.end())
  stores.closeBefore(() => server.stop())
})

test('a Redis cluster: streams that lie apart, dead letters and immediate rows', async () => {
  const upstream = new Upstream(server.url)
  await upstream.redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await waitFor('the cluster', async () => String(await upstream.redis.cluster('INFO')).includes('cluster_state:ok'))
  const account = await seedAccount(pool)
  await seedRule(pool, account)
  await seedRule(pool, account, { execution_delay: null })
  const ingest = await startIngest(
    { databaseUrl: stores.databaseUrl, redisUrl: `redis+cluster://127.0.0.1:${server.port}` },
    { DWELL_EVENT_STREAMS: 'dwell:events:a,dwell:events:b', DWELL_INGEST_TRIM_INTERVAL: '1s' },
  )
  try {
    const event = (id: number) =>
      conversationEvent('conversation_updated', { account_id: account, conversation: { id, status: 'pending' } })
    await upstream.publish([event(101), 'no json'], 'dwell:events:a')
    await upstream.publish([event(102)], 'dwell:events:b')
    await upstream.acknowledged('dwell:events:a')
    await upstream.acknowledged('dwell:events:b')
    expect((await seenExecutions(pool, account)).map(({ state }) => state).sort()).toEqual([
      'pending',
      'pending',
      'processing',
      'processing',
    ])
    expect(await upstream.redis.xlen(DEAD_EVENTS_STREAM)).toBe(1)
    expect(ingest.lines.filter((line) => line.level === 'error' || line.event === 'ingest.paused')).toEqual([])
  } finally {
    await ingest.stop()
    upstream.close()
  }
})
