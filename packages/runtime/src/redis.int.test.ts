import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type OwnRedis, startOwnRedis } from '@dwell/testing/own-redis'
import { startSeverableProxy } from '@dwell/testing/severable-proxy'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { Redis } from 'ioredis'
import { createTestClock, setTestClock } from './clock'
import type { LogFields, Logger } from './logger'
import { closeRedis, connectRedis, type RedisConnection, type RedisPurpose } from './redis'
import { parseRedisUrl } from './redis-url'

const events: LogFields[] = []
const record = (_message: string, fields?: LogFields) => void events.push(fields ?? {})
const logger: Logger = { error: record, warn: record, info: record, debug: record, child: () => logger }

const opened: RedisConnection[] = []
function open(url: string, purpose: RedisPurpose = 'producing'): RedisConnection {
  const connection = connectRedis(parseRedisUrl(url), { purpose, name: 'test', logger })
  opened.push(connection)
  return connection
}

beforeEach(() => events.splice(0))
afterEach(async () => {
  await Promise.all(opened.splice(0).map(closeRedis))
})

describe('a connection to one server', () => {
  const stores = useStores()

  test('commands given before it stands are carried out', async () => {
    expect(await open(stores.redisUrl).set('key', 'value')).toBe('OK')
  })

  test('is closed without leaving a client behind', async () => {
    const observer = open(stores.redisUrl) as Redis
    const connection = open(stores.redisUrl) as Redis
    const id = await connection.client('ID')
    const ids = async () =>
      [...String(await observer.client('LIST')).matchAll(/^id=(\d+)/gm)].map((match) => Number(match[1]))
    expect(await ids()).toContain(id)
    await closeRedis(connection)
    await waitFor('the client to go', async () => !(await ids()).includes(Number(id)))
  })

  test('a test clock on it keeps every microsecond', async () => {
    const connection = open(stores.redisUrl)
    const clock = createTestClock(connection)
    const instant = 1_788_253_200_123_457 as Parameters<typeof setTestClock>[1]
    await setTestClock(connection, instant)
    expect(await clock.now()).toBe(instant)
  })
})

describe('while Redis is away', () => {
  const stores = useStores()

  test('a producing command fails soon and one for blocking reads waits until it is back', async () => {
    const proxy = await startSeverableProxy(stores.redisUrl)
    try {
      const producing = open(proxy.url)
      const blocking = open(proxy.url, 'blocking')
      await Promise.all([producing.ping(), blocking.ping()])
      proxy.sever()
      await waitFor('both to notice', () => producing.status !== 'ready' && blocking.status !== 'ready')

      const waiting = blocking.set('patient', 'yes')
      await expect(producing.set('hasty', 'yes')).rejects.toThrow()

      await proxy.restore()
      expect(await waiting).toBe('OK')
      await waitFor('the producing one to be back', () => producing.status === 'ready')
      expect(await producing.get('patient')).toBe('yes')
    } finally {
      await proxy.close()
    }
  })

  test('the outage is logged once when it begins and once when it ends', async () => {
    const proxy = await startSeverableProxy(stores.redisUrl)
    try {
      const connection = open(proxy.url, 'blocking')
      await connection.ping()
      proxy.sever()
      let attempts = 0
      connection.on('reconnecting', () => {
        attempts += 1
      })
      await waitFor('several failed attempts', () => attempts >= 4)
      await proxy.restore()
      await waitFor('the end of the outage', () => connection.status === 'ready')
      expect(events.map((fields) => fields.event)).toEqual(['redis.lost', 'redis.restored'])
    } finally {
      await proxy.close()
    }
  })

  test('closing does not wait for it', async () => {
    const connection = open('redis://127.0.0.1:1', 'blocking')
    const never = connection.ping().catch(() => 'given up')
    await closeRedis(connection)
    expect(await never).toBe('given up')
  })
})

describe('other forms', () => {
  const servers: OwnRedis[] = []
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })

  test('a cluster', async () => {
    const server = await startOwnRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
    servers.push(server)
    const setUp = new Redis(server.url)
    await setUp.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await waitFor('the cluster', async () => String(await setUp.cluster('INFO')).includes('cluster_state:ok'))
    setUp.disconnect()

    const connection = open(`redis+cluster://127.0.0.1:${server.port}`)
    expect(await connection.set('{dwell}:key', 'value')).toBe('OK')
    expect(await connection.get('{dwell}:key')).toBe('value')
  })

  test('a master that sentinels know by name', async () => {
    const master = await startOwnRedis()
    servers.push(master)
    const directory = await mkdtemp(join(tmpdir(), 'dwell-sentinel-'))
    try {
      const port = await freePort()
      const file = join(directory, 'sentinel.conf')
      writeFileSync(file, `sentinel monitor main 127.0.0.1 ${master.port} 1\n`)
      const sentinel = await startOwnRedis({ port, program: [file, '--sentinel'] })
      servers.push(sentinel)
      const connection = open(`redis+sentinel://127.0.0.1:${port}/main/3`)
      expect(await connection.set('key', 'value')).toBe('OK')
      const direct = new Redis(`${master.url}/3`)
      expect(await direct.get('key')).toBe('value')
      direct.disconnect()
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
