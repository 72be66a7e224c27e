import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { webhookKey, webhookSecret } from '@dwell/domain/rules/webhook-secret'
import { type SeededEmailAction, type SeededMail, seedEmailAction, seedMail } from '@dwell/testing/mail-seeds'
import { useStores } from '@dwell/testing/stores'
import { START, useConsole } from '../testing/running-console'

const console = useConsole(useStores(), { quiet: true })
const SECONDS = Date.parse(START) / 1_000
const SECRET = webhookSecret(Buffer.alloc(32, 7))
const MAILGUN_KEY = 'mailgun-signing-key'
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let account: number
let action: SeededEmailAction
let mail: SeededMail

beforeEach(async () => {
  await console.setClock(START)
  account = await console.createAccount()
  await set({
    standard: [SECRET],
    mailgun: [MAILGUN_KEY],
    sendgrid: [pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
  })
  action = await seedEmailAction(console.deps.pool, account)
  mail = await seedMail(console.deps.pool, action)
})

const set = (secrets: object | null, of = account) =>
  console.call('PATCH', `/accounts/${of}`, { settings: { mail_webhook_secrets: secrets } })

async function post(path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const reply = await console.fetch(`/mail/webhooks/${path}`, { method: 'POST', headers, body })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they assert
  return { status: reply.status, body: (await reply.json()) as any }
}

function standard(events: unknown, { secret = SECRET, timestamp = String(SECONDS) } = {}) {
  const body = JSON.stringify(events)
  const signature = createHmac('sha256', webhookKey(secret) ?? '')
    .update(`msg_1.${timestamp}.${body}`)
    .digest('base64')
  return [
    body,
    { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
  ] as const
}

function sendgrid(events: unknown) {
  const body = JSON.stringify(events)
  const signature = sign('sha256', Buffer.from(`${SECONDS}${body}`), pair.privateKey).toString('base64')
  return [
    body,
    {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-timestamp': String(SECONDS),
      'x-twilio-email-event-webhook-signature': signature,
    },
  ] as const
}

function mailgun(data: object, token = 'once') {
  const signature = createHmac('sha256', MAILGUN_KEY).update(`${SECONDS}${token}`).digest('hex')
  return JSON.stringify({ signature: { timestamp: String(SECONDS), token, signature }, 'event-data': data })
}

const mailgunEvent = (event: string, more: object = {}) => ({
  event,
  timestamp: SECONDS + 0.5,
  message: { headers: { 'message-id': mail.messageId.slice(1, -1) } },
  ...more,
})

async function stats() {
  const { body } = await console.call('GET', `/accounts/${account}/automations/${action.automationId}`)
  return body.automations[0].actions[0].stats
}

test('signed reports of all three forms are recorded', async () => {
  const generic = await post(
    `standard/${account}`,
    ...standard([{ message_id: mail.messageId, type: 'delivered', at: START }]),
  )
  expect(generic).toMatchObject({ status: 200, body: { payload: { recorded: 1, results: [{ outcome: 'recorded' }] } } })
  const ofSendgrid = await post(
    `sendgrid/${account}`,
    ...sendgrid([
      { event: 'processed', timestamp: SECONDS, 'smtp-id': mail.messageId },
      { event: 'open', timestamp: SECONDS, 'smtp-id': mail.messageId },
    ]),
  )
  expect(ofSendgrid).toMatchObject({ status: 200, body: { payload: { recorded: 1 } } })
  const ofMailgun = await post(`mailgun/${account}`, mailgun(mailgunEvent('clicked', { url: 'https://x.example' })))
  expect(ofMailgun).toMatchObject({ status: 200, body: { payload: { recorded: 1 } } })
  expect(await stats()).toMatchObject({ delivered_count: 1, opened_count: 1, clicked_count: 1 })
})

test('what is repeated, by the sender or somebody else, changes nothing', async () => {
  const given = standard([{ message_id: mail.messageId, type: 'delivered', at: START }])
  await post(`standard/${account}`, ...given)
  expect((await post(`standard/${account}`, ...given)).body.payload.results).toEqual([{ outcome: 'duplicate' }])
  await console.setClock('2026-09-01T09:05:01Z')
  expect((await post(`standard/${account}`, ...given)).status).toBe(401)
})

test('with a token of Mailgun that was used nobody can report anything else', async () => {
  expect((await post(`mailgun/${account}`, mailgun(mailgunEvent('delivered')))).body.payload.recorded).toBe(1)
  expect((await post(`mailgun/${account}`, mailgun(mailgunEvent('complained')))).body.payload.recorded).toBe(0)
  expect((await post(`mailgun/${account}`, mailgun(mailgunEvent('opened'), 'next'))).body.payload.recorded).toBe(1)
  const { rows } = await console.deps.pool.query('SELECT opted_out_at FROM members WHERE account_id = $1', [account])
  expect(rows).toEqual([{ opted_out_at: null }])
})

test('an account that is not there, without a secret, or whose secret is another, answers like a wrong signature', async () => {
  const other = await console.createAccount()
  await set({ mailgun: [MAILGUN_KEY] }, other)
  const given = standard([])
  const answers = [
    await post(`standard/${account}`, ...standard([], { secret: webhookSecret(Buffer.alloc(32, 8)) })),
    await post(`standard/${account}`, '[]'),
    await post('standard/999999', ...given),
    await post('standard/0x1', ...given),
    await post(`standard/${other}`, ...given),
  ]
  for (const answer of answers) expect(answer).toMatchObject({ status: 401, body: { code: 'unsigned' } })
  await set(null)
  expect((await post(`standard/${account}`, ...given)).status).toBe(401)
})

test('mails of other accounts are unknown to a report', async () => {
  const other = await console.createAccount()
  await set({ standard: [SECRET] }, other)
  const { body } = await post(
    `standard/${other}`,
    ...standard([{ message_id: mail.messageId, type: 'opened', at: START }]),
  )
  expect(body.payload).toEqual({ recorded: 0, results: [{ outcome: 'unknown_message' }] })
})

test('what cannot be used is told, not refused: nobody is to send it again', async () => {
  const { status, body } = await post(
    `standard/${account}`,
    ...standard([{ type: 'opened' }, 'what', { message_id: mail.messageId, type: 'opened', at: START }]),
  )
  expect(status).toBe(200)
  expect(body.payload).toMatchObject({
    recorded: 1,
    results: [{ outcome: 'invalid' }, { outcome: 'invalid' }, { outcome: 'recorded' }],
  })
})

test('no provider, no method, no JSON, too much', async () => {
  expect((await post(`nobody/${account}`, '[]')).status).toBe(404)
  expect((await console.fetch(`/mail/webhooks/standard/${account}`)).status).toBe(405)
  const body = 'no JSON'
  const signature = createHmac('sha256', webhookKey(SECRET) ?? '')
    .update(`msg_1.${SECONDS}.${body}`)
    .digest('base64')
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(SECONDS),
    'webhook-signature': `v1,${signature}`,
  }
  expect((await post(`standard/${account}`, body, headers)).status).toBe(400)
  expect((await post(`standard/${account}`, Buffer.alloc(70_000))).status).toBe(413)
})

test('secrets are shown to administrators only, and stand neither in the audit log', async () => {
  const { body } = await console.call('POST', `/accounts/${account}/tokens`, { role: 'agent', name: 'A' })
  const seen = await console.call('GET', `/accounts/${account}`, undefined, { token: body.payload.token })
  expect(seen.text).not.toContain(MAILGUN_KEY)
  expect(seen.body.payload.settings).not.toHaveProperty('mail_webhook_secrets')
  expect((await console.call('GET', `/accounts/${account}`)).text).toContain(MAILGUN_KEY)
  expect((await console.call('GET', `/accounts/${account}/audit_logs`)).text).not.toContain(MAILGUN_KEY)
  for (const secrets of [{ standard: ['short'] }, { nobody: ['x'.repeat(20)] }, { mailgun: [] }])
    expect((await set(secrets)).status).toBe(422)
})
