import { Redis } from 'ioredis'
import { startSeverableProxy } from './severable-proxy'
import { useStores } from './stores'
import { waitFor } from './wait-for'

describe('the severable proxy', () => {
  const stores = useStores()

  test('passes everything on, cuts what stands, refuses while severed and takes connections again', async () => {
    const proxy = await startSeverableProxy(stores.redisUrl)
    const client = new Redis(proxy.url, { retryStrategy: () => 20, maxRetriesPerRequest: 0 })
    client.on('error', () => {})
    try {
      await client.set('key', 'value')

      proxy.sever()
      await waitFor('the loss of the connection', () => client.status !== 'ready')
      await expect(client.get('key')).rejects.toThrow()
      expect(proxy.connections()).toBe(0)

      await proxy.restore()
      await waitFor('the connection', () => client.status === 'ready')
      expect(await client.get('key')).toBe('value')

      proxy.cut()
      await waitFor('a new connection', async () => (await client.get('key')) === 'value')
    } finally {
      client.disconnect()
      await proxy.close()
    }
  })
})
