import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

const stores = useStores()
const console = useConsole(
  {
    /** Nobody listens there. */
    databaseUrl: 'postgresql://dwell:secret-of-the-database@127.0.0.1:1/dwell',
    get redisUrl() {
      return stores.redisUrl
    },
  },
  { quiet: true },
)

describe('while Postgres is away', () => {
  test.each([
    ['GET', '/accounts', undefined],
    ['GET', '/accounts/1/executions', undefined],
    ['POST', '/accounts', { name: 'x' }],
    ['PUT', '/installation_configs/DISABLE_DELAYED_AUTOMATIONS', { value: true }],
  ])('%s %s says that it may be tried again, and nothing about the inside', async (method, path, body) => {
    const response = await console.fetch(`/api/v1${path}`, {
      method,
      headers: { authorization: 'Bearer admin-token-of-the-tests', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'unavailable', errors: [] })
    expect(text).not.toMatch(/secret-of-the-database|127\.0\.0\.1|prisma/i)
  })

  test('a token that cannot be looked up is neither known nor unknown', async () => {
    const response = await console.fetch('/api/v1/accounts/1', { headers: { authorization: 'Bearer dwell_account_x' } })
    expect(response.status).toBe(503)
  })

  test('the process lives but is not ready, and says why', async () => {
    expect((await console.fetch('/livez')).status).toBe(200)
    const ready = await console.fetch('/readyz')
    expect(ready.status).toBe(503)
    const text = await ready.text()
    expect(JSON.parse(text)).toMatchObject({ ready: false, checks: { database: expect.any(String) } })
    expect(text).not.toContain('secret-of-the-database')
  })

  test('events still go to the stream', async () => {
    const event = {
      id: 'e',
      event: 'conversation_updated',
      occurred_at: '2026-09-01T10:00:00Z',
      account_id: 1,
      conversation: { id: 1 },
    }
    expect((await console.call('POST', '/events', event)).status).toBe(202)
  })
})
