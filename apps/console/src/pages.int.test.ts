import { useStores } from '@dwell/testing/stores'
import { endpoints } from './endpoints'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

describe('the documentation', () => {
  test('is an OpenAPI 3.1 document that names every endpoint, its rights and its problems', async () => {
    const reply = await console.fetch('/openapi.json')
    expect(reply.status).toBe(200)
    const document = (await reply.json()) as {
      openapi: string
      paths: Record<string, Record<string, { operationId: string }>>
    }
    expect(document.openapi).toBe('3.1.0')
    const described = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(described.sort()).toEqual(endpoints.map(({ operation }) => operation).sort())
    expect(new Set(described).size).toBe(described.length)
  })

  test('is a page that names every endpoint, runs no script and loads nothing from elsewhere', async () => {
    const reply = await console.fetch('/docs')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toContain('text/html')
    const text = await reply.text()
    for (const { path, operation } of endpoints) {
      expect(text).toContain(path)
      expect(text).toContain(`id="${operation}"`)
    }
    expect(text).not.toMatch(/<script|javascript:|style="|(?:src|href)="(?:https?:)?\/\//)
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await console.fetch('/docs/style.css')).headers.get('content-type')).toContain('text/css')
  })
})

describe('every answer', () => {
  test.each(['/', '/docs', '/openapi.json', '/api/v1/accounts', '/nowhere', '/admin/session'])(
    '%s carries headers that keep a browser from doing more than it should',
    async (path) => {
      const { headers } = await console.fetch(path)
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('x-request-id')).toMatch(/^[\w.:-]+$/)
    },
  )

  test('keeps the name that a caller gave its request, unless it is a harmful one', async () => {
    const named = async (id: string) =>
      (await console.fetch('/', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    expect(await named('trace-1.2:3')).toBe('trace-1.2:3')
    expect(await named('<b>')).not.toBe('<b>')
    expect(await named('x'.repeat(101))).toHaveLength(36)
  })
})

describe('probes and metrics', () => {
  test('say whether the process lives and works', async () => {
    expect(await (await console.fetch('/livez')).json()).toEqual({ live: true })
    expect(await (await console.fetch('/readyz')).json()).toEqual({ ready: true, checks: { database: 'ok' } })
  })

  test('requests are timed by route and class of status, never by address', async () => {
    const account = await console.createAccount()
    await console.call('GET', `/accounts/${account}`)
    await console.call('GET', '/accounts/987654321')
    const text = await (await console.fetch('/metrics')).text()
    const counted = (route: string, status: string) =>
      text.includes(`dwell_http_request_duration_seconds_count{route="${route}",status="${status}"}`)
    expect(counted('/accounts/{account_id}', '2xx')).toBe(true)
    expect(counted('/accounts/{account_id}', '4xx')).toBe(true)
    expect(text).not.toContain('987654321')
  })
})
