import { loadStep } from '@dwell/database/automations/load-step'
import { beginSend } from '@dwell/database/automations/send-records'
import { claimReadySteps } from '@dwell/database/automations/step-claims'
import { type MailTicket, mailLinks } from '@dwell/domain/automations/email/mail-links'
import { judgeStep } from '@dwell/domain/automations/step'
import { type SeededEmailAction, type SeededMail, seedEmailAction, seedMail } from '@dwell/testing/mail-seeds'
import { useStores } from '@dwell/testing/stores'
import { SIGNING_KEY, START, useConsole } from '../testing/running-console'

const console = useConsole(useStores())

let account: number
let action: SeededEmailAction
let mail: SeededMail

beforeEach(async () => {
  account = await console.createAccount({ name: 'Acme & Sons' })
  action = await seedEmailAction(console.deps.pool, account, { links: ['https://acme.example/shop?a=1&b=2'] })
  mail = await seedMail(console.deps.pool, action)
  await console.setClock(START)
})

const ticket = (): MailTicket => ({ accountId: account, memberId: mail.memberId, emailId: mail.id })
/** Addresses of a mail, below the console. */
const links = (key = SIGNING_KEY, of = ticket()) => mailLinks('', Buffer.from(key), of)
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  console.fetch(path, { method, headers })

async function member() {
  const { rows } = await console.deps.pool.query(
    `SELECT opted_out_at::text AS out, newsletter_ids, enable_updates_and_announcements AS wants, revision
     FROM members WHERE account_id = $1 AND id = $2`,
    [account, mail.memberId],
  )
  return rows[0]
}

async function stats() {
  const { body } = await console.call('GET', `/accounts/${account}/automations/${action.automationId}`)
  return body.automations[0].actions[0].stats
}

async function clicks(): Promise<string[]> {
  const { rows } = await console.deps.pool.query(
    `SELECT url FROM automation_email_events WHERE account_id = $1 AND type = 'clicked' ORDER BY id`,
    [account],
  )
  return rows.map(({ url }) => url)
}

test('looking at the unsubscribe page changes nothing; it has one button and gives nothing away', async () => {
  const page = await get(links().unsubscribe)
  expect(page.status).toBe(200)
  const text = await page.text()
  expect(text).toContain('Acme &amp; Sons')
  expect(text.match(/<button/g)).toHaveLength(1)
  expect(text).toContain('<form method="post">')
  expect(text).not.toContain('ann@example.com')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect((await get(links().unsubscribe, {}, 'HEAD')).status).toBe(200)
  expect(await member()).toMatchObject({ out: null, revision: 1 })
})

test.each([
  ['as a mail program posts it (RFC 8058)', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'as a form of several parts',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--',
  ],
  ['without a body', 'text/plain', ''],
])('one click takes the consent back and leaves the newsletters: %s', async (_name, type, body) => {
  const done = await console.fetch(links().unsubscribe, { method: 'POST', headers: { 'content-type': type }, body })
  expect(done.status).toBe(200)
  expect(await done.text()).toContain('You are unsubscribed')
  expect(await member()).toMatchObject({
    out: expect.stringContaining('2026-09-01 09:00:00'),
    wants: true,
    newsletter_ids: ['weekly'],
  })
})

test('whoever unsubscribes twice is unsubscribed, and whoever judged them meanwhile has to judge again', async () => {
  for (const _time of [1, 2]) expect((await get(links().unsubscribe, {}, 'POST')).status).toBe(200)
  expect(await member()).toMatchObject({ out: expect.any(String), revision: 3 })
})

test('one who is deleted or unknown is answered like any other, and nothing is kept of them', async () => {
  await console.deps.pool.query(`UPDATE members SET deleted_at = now(), gone = true WHERE account_id = $1`, [account])
  expect((await get(links().unsubscribe, {}, 'POST')).status).toBe(200)
  expect(await member()).toMatchObject({ out: null })
  const unknown = links(SIGNING_KEY, { ...ticket(), memberId: 'nobody' }).unsubscribe
  expect((await get(unknown, {}, 'POST')).status).toBe(200)
  expect((await get(links(SIGNING_KEY, { ...ticket(), accountId: 999_999 }).unsubscribe, {}, 'POST')).status).toBe(200)
})

test('an address that was not made here, or was made for something else, changes nothing', async () => {
  const { unsubscribe, pixel } = links()
  const bad = [
    links('another-key-of-somebody').unsubscribe,
    unsubscribe.slice(0, -1),
    `/unsubscribe/${pixel.split('/').at(-1)}`,
    '/unsubscribe/x',
  ]
  for (const path of bad) {
    for (const method of ['GET', 'POST']) {
      const reply = await get(path, { accept: 'text/html' }, method)
      expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining('This link does not work')])
    }
  }
  expect((await get(unsubscribe, {}, 'PUT')).status).toBe(405)
  expect(await member()).toMatchObject({ out: null })
})

test('the pixel counts one open, however often it is shown', async () => {
  const picture = await get(links().pixel)
  expect([picture.status, picture.headers.get('content-type'), picture.headers.get('cache-control')]).toEqual([
    200,
    'image/gif',
    'no-store',
  ])
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(0, 6)
      .toString('latin1'),
  ).toBe('GIF89a')
  expect(picture.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  await console.setClock('2026-09-01T09:10:00Z')
  await get(links().pixel)
  expect(await stats()).toMatchObject({ opened_count: 1, opened_rate: 100 })
  const { rows } = await console.deps.pool.query('SELECT FROM automation_email_events WHERE email_id = $1', [mail.id])
  expect(rows).toHaveLength(1)
})

test('a pixel of nobody is a picture all the same', async () => {
  for (const path of [
    '/mail/open/x',
    links('another-key-of-somebody').pixel,
    links(SIGNING_KEY, { ...ticket(), accountId: 999_999 }).pixel,
  ]) {
    const picture = await get(path)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/gif'])
  }
  expect(await stats()).toMatchObject({ opened_count: 0 })
})

test('a click is counted and leads to the address that was signed', async () => {
  const url = 'https://acme.example/shop?a=1&b=2'
  const reply = await get(links().click(url))
  expect([reply.status, reply.headers.get('location'), reply.headers.get('referrer-policy')]).toEqual([
    302,
    url,
    'no-referrer',
  ])
  await get(links().click(url))
  await console.setClock('2026-09-01T09:00:01Z')
  await get(links().click(url))
  // Within one second they are one.
  expect(await clicks()).toEqual([url, url])
  expect(await stats()).toMatchObject({ clicked_count: 1, clicked_rate: 100 })
})

test('nobody is sent anywhere but where a mail of this installation leads', async () => {
  const evil = 'https://evil.example/'
  const forged = Buffer.from(JSON.stringify([account, mail.memberId, mail.id, evil])).toString('base64url')
  const { unsubscribe, click } = links()
  const bad = [
    links('another-key-of-somebody').click(evil),
    `/mail/click/${forged}.${unsubscribe.split('.').at(-1)}`,
    `/mail/click/${unsubscribe.split('/').at(-1)}`,
    `/mail/click/${encodeURIComponent(evil)}`,
    `${click('https://acme.example/').slice(0, -2)}?url=${encodeURIComponent(evil)}`,
    // Signed, but nothing that a browser should be led to.
    click('javascript:alert(1)'),
  ]
  for (const path of bad) {
    const reply = await get(path)
    expect([reply.status, reply.headers.get('location')]).toEqual([404, null])
  }
  expect(await clicks()).toEqual([])
})

test.each([
  ['HEAD', {}],
  ['GET', { 'sec-purpose': 'prefetch;prerender' }],
  ['GET', { purpose: 'prefetch' }],
  ['GET', { 'x-moz': 'prefetch' }],
] as [string, Record<string, string>][])('what only looks ahead counts nothing: %s %j', async (method, headers) => {
  expect((await get(links().click('https://acme.example/'), headers, method)).status).toBe(302)
  expect((await get(links().pixel, headers, method)).status).toBe(200)
  expect(await stats()).toMatchObject({ opened_count: 0, clicked_count: 0 })
})

test('the next e-mail of somebody who unsubscribed is not sent, also when it is judged at this moment', async () => {
  const { pool, clock } = console.deps
  await pool.query(
    `WITH run AS (
       INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status)
       VALUES (gen_random_uuid(), $1, $2, $5, 'e1', $6, 'in_progress') RETURNING id)
     INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at, created_at, updated_at)
     SELECT gen_random_uuid(), $1, $2, id, $3, $4, false, $6, $6, $6 FROM run`,
    [account, action.automationId, action.actionId, action.revisionId, mail.memberId, START],
  )
  const now = await clock.now()
  const [claim] = await claimReadySteps(pool, now)
  if (claim === undefined) throw new Error('nothing was ready')
  const load = async () => {
    const step = await loadStep(pool, claim.id, claim.lockToken)
    if (step === null) throw new Error('the step is not in our hands')
    return step
  }
  const before = await load()
  expect(judgeStep(before)).toMatchObject({ do: 'send' })
  await get(links().unsubscribe, {}, 'POST')
  const sending = { messageId: '<m@x>', email: 'a@x.com', name: null, tracksOpens: true, tracksClicks: true }
  expect(await beginSend(pool, before, claim.lockToken, sending, now)).toBeNull()
  expect(judgeStep(await load())).toEqual({ do: 'end', status: 'member_unsubscribed', error: null })
})

describe('without a key', () => {
  const keyless = useConsole(useStores(), { signingKey: null })

  test('no address of a mail is known, and the pixel is a picture', async () => {
    expect((await keyless.fetch(links().unsubscribe)).status).toBe(404)
    expect((await keyless.fetch(links().unsubscribe, { method: 'POST' })).status).toBe(404)
    expect((await keyless.fetch(links().click('https://acme.example/'))).status).toBe(404)
    expect((await keyless.fetch(links().pixel)).headers.get('content-type')).toBe('image/gif')
  })
})
