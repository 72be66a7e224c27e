import { useStores } from '@dwell/testing/stores'
import { ADMIN_TOKEN, START, useConsole } from '../testing/running-console'

const console = useConsole(useStores())

const signIn = (token: string, headers: Record<string, string> = {}) =>
  console.call('POST', '/session', { token }, { token: null, headers })

/** The cookie of somebody who signed in with this token, as a browser sends it. */
async function cookieOf(token: string): Promise<string> {
  const cookie = (await signIn(token)).headers.get('set-cookie')
  if (cookie === null) throw new Error('nobody was signed in')
  return cookie.slice(0, cookie.indexOf(';'))
}

/** A call as the pages of the console make it. */
const callBy = (cookie: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  console.call(method, path, body, { token: null, headers: { cookie, origin: console.url, ...headers } })

async function accountWithTokens() {
  const account = await console.createAccount()
  const token = async (role: string) =>
    (await console.call('POST', `/accounts/${account}/tokens`, { role, name: `the ${role}` })).body.payload as {
      id: number
      token: string
    }
  return { account, administrator: await token('administrator'), agent: await token('agent') }
}

// Signing in is limited per caller, and all of these come from one: each begins with an empty count.
beforeEach(() => {
  jest.spyOn(console.deps.signIns, 'waitFor').mockReturnValue(0)
  jest.spyOn(console.deps.signIns, 'failed').mockReturnValue(undefined)
})
afterEach(() => {
  jest.restoreAllMocks()
})

describe('signing in', () => {
  test('answers who it is; the cookie cannot be read by scripts nor used by other sites, and lives eight hours', async () => {
    const reply = await signIn(ADMIN_TOKEN)
    expect(reply).toMatchObject({
      status: 200,
      body: { payload: { role: 'admin', name: 'admin', account_id: null, now: START, test_clock: true } },
    })
    expect(reply.headers.get('set-cookie')).toMatch(
      /^dwell_session=[\w-]{43}; Max-Age=28800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    )
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const behindTls = await signIn(ADMIN_TOKEN, { origin: console.url, 'x-forwarded-proto': 'https' })
    expect(behindTls.headers.get('set-cookie')).toContain('; Secure')
  })

  test('a token of an account signs in for that account, with its rights', async () => {
    const { account, administrator, agent } = await accountWithTokens()
    for (const [role, { token }] of Object.entries({ administrator, agent })) {
      const who = { role, name: `the ${role}`, account_id: account }
      expect((await signIn(token)).body.payload).toMatchObject(who)
      const cookie = await cookieOf(token)
      expect((await callBy(cookie, 'GET', '/session')).body.payload).toMatchObject(who)
      expect((await callBy(cookie, 'GET', `/accounts/${account}`)).status).toBe(200)
      expect((await callBy(cookie, 'GET', '/accounts')).status).toBe(403)
      expect((await callBy(cookie, 'PATCH', `/accounts/${account}`, { name: role })).status).toBe(
        role === 'agent' ? 403 : 200,
      )
    }
  })

  test('is noted in the audit log of whom it concerns', async () => {
    const { account, administrator } = await accountWithTokens()
    await signIn(administrator.token)
    await signIn(ADMIN_TOKEN)
    const { payload } = (await console.call('GET', '/audit_logs?limit=2')).body
    expect(payload).toMatchObject([
      { actor: 'admin', action: 'session.begun', account_id: null },
      { actor: `token ${administrator.id} (the administrator)`, action: 'session.begun', account_id: account },
    ])
  })

  test.each(['unknown', `${ADMIN_TOKEN} `, ADMIN_TOKEN.toUpperCase()])('%j is no token', async (token) => {
    const reply = await signIn(token)
    expect(reply).toMatchObject({ status: 401, body: { code: 'unknown_token' } })
    expect(reply.headers.get('set-cookie')).toBeNull()
  })

  test('a body without a token is refused with its fault', async () => {
    for (const body of [{}, { token: '' }, { token: 1 }, { token: 'a', more: 1 }])
      expect((await console.call('POST', '/session', body, { token: null })).status).toBe(422)
    expect((await console.call('POST', '/session', undefined, { token: null, raw: '{not json' })).status).toBe(400)
  })

  test('by a page of another site it is refused', async () => {
    for (const headers of [{ origin: 'http://elsewhere.example' }, { 'sec-fetch-site': 'same-site' }])
      expect((await signIn(ADMIN_TOKEN, headers as Record<string, string>)).status).toBe(403)
  })

  test('the secret itself is kept nowhere', async () => {
    const cookie = await cookieOf(ADMIN_TOKEN)
    const { rows } = await console.deps.pool.query('SELECT to_jsonb(s) AS stored FROM sessions s')
    expect(JSON.stringify(rows)).not.toContain(cookie.slice('dwell_session='.length))
    expect(JSON.stringify(rows)).not.toContain(ADMIN_TOKEN)
  })
})

test('after ten unknown tokens nobody is let in from there for a while, not even with the right one', async () => {
  jest.restoreAllMocks()
  for (let i = 0; i < 10; i += 1) expect((await signIn(`guess ${i}`)).status).toBe(401)
  const reply = await signIn(ADMIN_TOKEN)
  expect(reply).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } })
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  // Who needs no sign-in is not held up.
  expect((await console.call('GET', '/session')).status).toBe(200)
})

describe('a session', () => {
  test.each([
    { origin: 'http://elsewhere.example' },
    { origin: 'null' },
    { origin: '', 'sec-fetch-site': 'cross-site' },
    { origin: '', 'sec-fetch-site': 'same-site' },
    { origin: '' },
  ])('changes nothing for a request that comes with %j, but may read', async (headers) => {
    const { account, administrator } = await accountWithTokens()
    const cookie = await cookieOf(administrator.token)
    const sent = Object.fromEntries(Object.entries({ cookie, ...headers }).filter(([, value]) => value !== ''))
    const call = (method: string, path: string, body?: unknown) =>
      console.call(method, path, body, { token: null, headers: sent as Record<string, string> })
    const change = await call('PATCH', `/accounts/${account}`, { name: 'foreign' })
    expect(change).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await call('DELETE', '/session')).status).toBe(403)
    expect((await call('GET', `/accounts/${account}`)).body.payload.name).toBe('test')
  })

  test('is not looked at where an Authorization header was sent', async () => {
    const cookie = await cookieOf(ADMIN_TOKEN)
    const reply = await console.call('GET', '/accounts', undefined, { token: 'unknown', headers: { cookie } })
    expect(reply.status).toBe(401)
  })

  test('ends with the token it came from', async () => {
    const { account, administrator } = await accountWithTokens()
    const cookie = await cookieOf(administrator.token)
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(200)
    await console.call('DELETE', `/accounts/${account}/tokens/${administrator.id}`)
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(401)
  })

  test('of the admin ends with the admin token, also when it comes back as a cookie of the new one', async () => {
    const cookie = await cookieOf(ADMIN_TOKEN)
    const { config } = console.deps as { config: { adminToken: string } }
    config.adminToken = 'another-admin-token'
    try {
      expect((await callBy(cookie, 'GET', '/session')).status).toBe(401)
      const page = await console.fetch('/admin/queues', { headers: { cookie, accept: 'application/json' } })
      expect(page.status).toBe(401)
    } finally {
      config.adminToken = ADMIN_TOKEN
    }
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(200)
  })

  test('is over after eight hours of the real clock, whatever the clock of the product says', async () => {
    const cookie = await cookieOf(ADMIN_TOKEN)
    await console.setClock('2027-01-01T00:00:00.000000Z')
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(200)
    await console.deps.pool.query(`UPDATE sessions SET expires_at = expires_at - interval '8 hours'`)
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(401)
    await signIn(ADMIN_TOKEN)
    const { rows } = await console.deps.pool.query(
      'SELECT count(*)::int AS count FROM sessions WHERE expires_at < now()',
    )
    expect(rows).toEqual([{ count: 0 }])
    await console.setClock(START)
  })

  test('ended by its browser is worth nothing to whoever copied the cookie', async () => {
    const cookie = await cookieOf(ADMIN_TOKEN)
    const reply = await callBy(cookie, 'DELETE', '/session')
    expect(reply.status).toBe(204)
    expect(reply.headers.get('set-cookie')).toMatch(/^dwell_session=; .*Expires=Thu, 01 Jan 1970/)
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(401)
    expect((await callBy(cookie, 'DELETE', '/session')).status).toBe(204)
    expect((await console.call('DELETE', '/session', undefined, { token: null })).status).toBe(204)
  })

  test('that another one replaces in the same browser is over', async () => {
    const cookie = await cookieOf(ADMIN_TOKEN)
    await callBy(cookie, 'POST', '/session', { token: ADMIN_TOKEN })
    expect((await callBy(cookie, 'GET', '/session')).status).toBe(401)
  })

  test('is not made by a cookie that somebody made up', async () => {
    for (const value of ['', 'a', 'A'.repeat(43), `s%3A99999999999999.${'a'.repeat(43)}`])
      expect((await callBy(`other=1; dwell_session=${value}`, 'GET', '/session')).status).toBe(401)
  })

  test('of the admin opens the queues, one of an account does not', async () => {
    const { administrator } = await accountWithTokens()
    const open = async (token: string) => {
      const cookie = await cookieOf(token)
      return (await console.fetch('/admin/queues/', { headers: { cookie, accept: 'application/json' } })).status
    }
    expect([await open(ADMIN_TOKEN), await open(administrator.token)]).toEqual([200, 401])
  })
})
