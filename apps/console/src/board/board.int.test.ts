import { openQueue } from '@dwell/queues/queue-connection'
import { QUEUE_SPECS } from '@dwell/queues/specs'
import { useStores } from '@dwell/testing/stores'
import { insertRow } from '../testing/rows'
import { ADMIN_TOKEN, useConsole } from '../testing/running-console'
import type { BoardQueue } from './board'

let processQueue: BoardQueue['queue']

const console = useConsole(useStores(), {
  quiet: true,
  queues(redis) {
    processQueue = openQueue('process', redis)
    return [{ queue: processQueue, about: 'One job per claimed row.', schema: QUEUE_SPECS.process.payload }]
  },
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function signIn(token: string, headers: Record<string, string> = { origin: console.url }): Promise<Response> {
  const body = new URLSearchParams({ token }).toString()
  return console.fetch('/admin/session', { method: 'POST', headers: { ...FORM, ...headers }, body })
}

async function session(): Promise<string> {
  const cookie = (await signIn(ADMIN_TOKEN)).headers.get('set-cookie')
  if (cookie === null) throw new Error('no session')
  return cookie.slice(0, cookie.indexOf(';'))
}

const newestAudit = async (count = 1) => (await console.call('GET', `/audit_logs?limit=${count}`)).body.payload

describe('signing in', () => {
  test('needs the admin token; the session is a cookie that scripts cannot read and other sites cannot use', async () => {
    const reply = await signIn(ADMIN_TOKEN)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/admin/queues'])
    expect(reply.headers.get('set-cookie')).toMatch(
      /^dwell_session=[\w-]{43}; Max-Age=28800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    )
    expect(await newestAudit()).toMatchObject([{ actor: 'admin', action: 'session.begun' }])
    const behindTls = await signIn(ADMIN_TOKEN, { origin: console.url, 'x-forwarded-proto': 'https' })
    expect(behindTls.headers.get('set-cookie')).toContain('; Secure')
  })

  test.each(['', 'wrong', `${ADMIN_TOKEN} `, ADMIN_TOKEN.toUpperCase()])('%j is not the admin token', async (token) => {
    const reply = await signIn(token)
    expect(reply.status).toBe(401)
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect(await reply.text()).toContain('role="alert"')
  })

  test('a token of an account does not open the board', async () => {
    const account = await console.createAccount()
    const { token } = (await console.call('POST', `/accounts/${account}/tokens`, { role: 'administrator', name: 'a' }))
      .body.payload
    expect((await signIn(token)).status).toBe(401)
    const reply = await console.fetch('/admin/queues/api/queues', { headers: { authorization: `Bearer ${token}` } })
    expect(reply.status).toBe(401)
  })

  test('without it a browser is sent to the form and a script is told', async () => {
    const browser = await console.fetch('/admin/queues', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/admin/session'])
    for (const cookie of [undefined, 'dwell_session=99999999999999', 'dwell_session=s%3A99999999999999.forged']) {
      const headers = { accept: 'application/json', ...(cookie === undefined ? {} : { cookie }) }
      expect((await console.fetch('/admin/queues/api/queues', { headers })).status).toBe(401)
      expect((await console.fetch('/admin/executions/1/1', { headers })).status).toBe(401)
    }
  })

  test('ends when it is ended', async () => {
    const cookie = await session()
    const reply = await console.fetch('/admin/session/end', {
      method: 'POST',
      headers: { cookie, origin: console.url },
    })
    expect(reply.headers.get('set-cookie')).toMatch(/^dwell_session=; .*Expires=Thu, 01 Jan 1970/)
  })
})

describe('the board', () => {
  test('shows the queues, loads only from here and may style its elements', async () => {
    const cookie = await session()
    const page = await console.fetch('/admin/queues/', { headers: { cookie } })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self';.*style-src 'self' 'unsafe-inline'/)
    const scripts = [...(await page.text()).matchAll(/<script defer src="([^"]+)"/g)].map(([, source]) => source)
    expect(scripts.length).toBeGreaterThan(0)
    for (const script of scripts)
      expect((await console.fetch(`/admin/queues/${script}`, { headers: { cookie } })).status).toBe(200)
    const queues = await console.fetch('/admin/queues/api/queues', { headers: { cookie } })
    expect(await queues.json()).toMatchObject({
      queues: [{ name: 'process', description: 'One job per claimed row.' }],
    })
  })

  test('a change is done and noted with who, what and on which job', async () => {
    const cookie = await session()
    const job = await processQueue.add('process', { pending_execution_id: 7, account_id: 1, claim_token: 'c' })
    await job.remove()
    const headers = { cookie, origin: console.url, 'content-type': 'application/json' }
    const reply = await console.fetch('/admin/queues/api/queues/process/pause', { method: 'PUT', headers })
    expect(reply.status).toBe(200)
    expect(await processQueue.isPaused()).toBe(true)
    expect(await newestAudit()).toMatchObject([
      {
        actor: 'admin (board)',
        action: 'board.requested',
        subject: 'queue process',
        details: { request: expect.stringContaining('pause') },
      },
    ])
    await processQueue.resume()
  })

  test('a change that cannot be noted is not done', async () => {
    const cookie = await session()
    const { pool } = console.deps
    await pool.query('ALTER TABLE audit_logs RENAME TO audit_logs_away')
    try {
      const headers = { cookie, origin: console.url }
      const reply = await console.fetch('/admin/queues/api/queues/process/pause', { method: 'PUT', headers })
      expect(reply.status).toBe(500)
      expect(await processQueue.isPaused()).toBe(false)
    } finally {
      await pool.query('ALTER TABLE audit_logs_away RENAME TO audit_logs')
    }
  })

  test.each([
    { origin: 'http://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    {},
  ])('a change that comes with %j is refused, whoever is signed in', async (headers) => {
    const cookie = await session()
    const [before] = await newestAudit()
    const reply = await console.fetch('/admin/queues/api/queues/process/pause', {
      method: 'PUT',
      headers: { cookie, ...headers },
    })
    expect(reply.status).toBe(403)
    expect(await processQueue.isPaused()).toBe(false)
    expect(await newestAudit()).toEqual([before])
    expect((await signIn(ADMIN_TOKEN, headers)).status).toBe(403)
  })

  test('a job links to the row it speaks of, and the row says what became of it', async () => {
    const cookie = await session()
    const account = await console.createAccount()
    const id = await insertRow(console.deps.pool, {
      accountId: account,
      ruleId: 1,
      status: 'skipped',
      skipReason: 'expired',
    })
    const job = await processQueue.add('process', { pending_execution_id: id, account_id: account, claim_token: 'c' })
    const shown = await console.fetch(`/admin/queues/api/queues/process/${job.id}`, { headers: { cookie } })
    const { job: card } = (await shown.json()) as { job: { externalUrl: { href: string; displayText: string } } }
    expect(card.externalUrl).toEqual({ displayText: `Execution ${id}`, href: `/admin/executions/${account}/${id}` })
    const page = await console.fetch(card.externalUrl.href, { headers: { cookie } })
    expect(page.status).toBe(200)
    expect(await page.text()).toMatch(/skipped.*expired/s)
    expect((await console.fetch(`/admin/executions/${account + 1}/${id}`, { headers: { cookie } })).status).toBe(404)
  })
})
