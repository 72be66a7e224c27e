import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createSessions } from './session'

/** A server that signs everybody in at /begin and says at / whether they are. */
async function serverWith(adminToken: string, now: () => number) {
  const sessions = createSessions(adminToken, now)
  const app = express().use(sessions.middleware)
  app.get('/begin', (request, response) => {
    sessions.begin(request, response)
    response.end()
  })
  app.get('/', (request, response) => {
    response.json(sessions.isSignedIn(request))
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    begin: async () => (await fetch(`${url}/begin`)).headers.get('set-cookie')?.split(';')[0] ?? '',
    isSignedIn: async (cookie: string) => (await fetch(url, { headers: { cookie } })).json(),
    close: () => server.close(),
  }
}

test('a session lasts eight hours and ends with the admin token it came from', async () => {
  let now = 1_000_000
  const server = await serverWith('first-admin-token', () => now)
  const other = await serverWith('second-admin-token', () => now)
  try {
    const cookie = await server.begin()
    expect(await server.isSignedIn(cookie)).toBe(true)
    expect(await other.isSignedIn(cookie)).toBe(false)
    expect(await server.isSignedIn(cookie.replace(/%3A\d/, '%3A9'))).toBe(false)
    now += 8 * 3_600_000 - 1
    expect(await server.isSignedIn(cookie)).toBe(true)
    now += 1
    expect(await server.isSignedIn(cookie)).toBe(false)
  } finally {
    server.close()
    other.close()
  }
})
