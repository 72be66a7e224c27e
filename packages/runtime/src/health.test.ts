import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer, createHealth, createHealthHandler, type Health, listen, startHealthServer } from './health'
import { createMetrics } from './metrics'

async function ask(health: Health, path: string, method = 'GET') {
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, health, metrics: createMetrics() })
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
    return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
  } finally {
    await server.close()
  }
}

describe('the probes', () => {
  test('ready when every check passes', async () => {
    const health = createHealth([
      { name: 'postgres', check: async () => {} },
      { name: 'redis', check: async () => 'PONG' },
    ])
    const answer = await ask(health, '/readyz')
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toEqual({ ready: true, checks: { postgres: 'ok', redis: 'ok' } })
  })

  test('not ready when one check fails; the answer says which and why, without passwords', async () => {
    const health = createHealth([
      { name: 'postgres', check: async () => {} },
      { name: 'redis', check: () => Promise.reject(new Error('no answer from redis://u:hunter2@cache')) },
    ])
    const answer = await ask(health, '/readyz')
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.body).checks).toEqual({
      postgres: 'ok',
      redis: 'no answer from redis://u:[redacted]@cache',
    })
  })

  test('a check that hangs, or throws at once, counts as failed instead of hanging the probe', async () => {
    const health = createHealth(
      [
        { name: 'hangs', check: () => new Promise(() => {}) },
        {
          name: 'throws',
          check: () => {
            throw new Error('at once')
          },
        },
      ],
      { checkLimitMs: 20 },
    )
    expect(await health.readiness()).toEqual({
      ready: false,
      checks: { hangs: 'did not answer within 20 ms', throws: 'at once' },
    })
  })

  test('alive without asking anything', async () => {
    const health = createHealth([{ name: 'redis', check: () => Promise.reject(new Error('away')) }])
    expect((await ask(health, '/livez')).status).toBe(200)
  })

  test('after shutdown began it is not ready but alive', async () => {
    const health = createHealth([{ name: 'redis', check: async () => {} }])
    health.shutDown()
    expect((await ask(health, '/readyz')).status).toBe(503)
    expect((await ask(health, '/livez')).status).toBe(200)
  })

  test('metrics are plain text, other paths and methods unknown, a query harmless', async () => {
    const health = createHealth([])
    const metrics = await ask(health, '/metrics?x=1')
    expect([metrics.status, metrics.type]).toEqual([200, expect.stringContaining('text/plain')])
    expect((await ask(health, '/')).status).toBe(404)
    expect((await ask(health, '/readyz', 'POST')).status).toBe(404)
  })

  test('as middleware it passes on whatever is not its own', async () => {
    const handler = createHealthHandler(createHealth([]), createMetrics())
    const server = createServer((request, response) => handler(request, response, () => response.end('next')))
    await listen(server, 0, '127.0.0.1')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      expect(await (await fetch(`${base}/api/v1/accounts`)).text()).toBe('next')
      expect(await (await fetch(`${base}/livez`, { method: 'POST' })).text()).toBe('next')
      expect(await (await fetch(`${base}/livez`)).json()).toEqual({ live: true })
    } finally {
      await closeServer(server)
    }
  })

  test('a taken port is an error, not a process that listens nowhere', async () => {
    const options = { host: '127.0.0.1', health: createHealth([]), metrics: createMetrics() }
    const first = await startHealthServer({ ...options, port: 0 })
    await expect(startHealthServer({ ...options, port: first.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await first.close()
  })
})
