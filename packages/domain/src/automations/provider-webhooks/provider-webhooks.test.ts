import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import { webhookKey, webhookSecret } from '../../rules/webhook-secret'
import type { WebhookRequest } from './provider-webhook'
import { providerWebhook } from './providers'

const SECONDS = 1_788_253_200
const NOW = (SECONDS * 1_000_000) as Micros
const minutes = (count: number) => (NOW + count * 60_000_000) as Micros

function provider(name: string) {
  const found = providerWebhook(name)
  if (found === null) throw new Error(`${name} is not known`)
  return found
}

function request(body: string | Uint8Array, headers: Record<string, string> = {}): WebhookRequest {
  return { header: (name) => headers[name.toLowerCase()] ?? null, body: Buffer.from(body) }
}

test('only three names are providers', () => {
  expect(
    ['standard', 'mailgun', 'sendgrid', 'postmark', 'constructor', 3, ['mailgun']].map(
      (name) => providerWebhook(name) !== null,
    ),
  ).toEqual([true, true, true, false, false, false, false])
})

describe('Standard Webhooks', () => {
  const [secret, old] = [webhookSecret(Buffer.alloc(32, 1)), webhookSecret(Buffer.alloc(32, 2))]
  const signed = (body: string, by = secret, id = 'msg_1', timestamp = String(SECONDS)) =>
    request(body, {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${createHmac('sha256', webhookKey(by) ?? '')
        .update(`${id}.${timestamp}.${body}`)
        .digest('base64')}`,
    })
  const isGenuine = (given: WebhookRequest, now = NOW, secrets = [secret, old]) =>
    provider('standard').isGenuine(given, secrets, now)

  test('the example of the specification verifies', () => {
    const given = request('{"test": 2432232314}', {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
    expect(isGenuine(given, 1_614_265_330_000_000 as Micros, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(true)
  })

  test('any of the secrets and any of the signatures will do', () => {
    expect(isGenuine(signed('[]', old))).toBe(true)
    const two = signed('[]')
    const header = (name: string) =>
      name === 'webhook-signature' ? `v1a,x v1,AAAA ${two.header(name)}` : two.header(name)
    expect(isGenuine({ ...two, header })).toBe(true)
  })

  test('what was changed, is unsigned, of a foreign key or too old is refused', () => {
    const given = signed('[]')
    expect(isGenuine({ ...given, body: Buffer.from('[ ]') })).toBe(false)
    expect(isGenuine(signed('[]', webhookSecret(Buffer.alloc(32, 3))))).toBe(false)
    expect(isGenuine(given, NOW, [])).toBe(false)
    expect(isGenuine(given, NOW, ['no secret'])).toBe(false)
    expect(isGenuine(request('[]'))).toBe(false)
    expect(isGenuine({ ...given, header: (name) => (name === 'webhook-id' ? 'msg_2' : given.header(name)) })).toBe(
      false,
    )
    expect(isGenuine(given, minutes(5))).toBe(true)
    expect(isGenuine(given, minutes(-5))).toBe(true)
    expect(isGenuine(given, (minutes(5) + 1) as Micros)).toBe(false)
    expect(isGenuine(given, (minutes(-5) - 1) as Micros)).toBe(false)
    expect(isGenuine(signed('[]', secret, 'msg_1', 'yesterday'))).toBe(false)
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'without %s it is refused, also if the signature speaks of its absence',
    (missing) => {
      const given = signed('[]', secret, missing === 'webhook-id' ? 'null' : 'msg_1')
      expect(isGenuine({ ...given, header: (name) => (name === missing ? null : given.header(name)) })).toBe(false)
    },
  )

  test.each(['', 'yesterday', `${SECONDS}.5`, ` ${SECONDS}`, `0${SECONDS}`, `+${SECONDS}`])(
    'a time that is not whole seconds is refused: %j',
    (timestamp) => {
      expect(isGenuine(signed('[]', secret, 'msg_1', timestamp))).toBe(false)
      expect(isGenuine(signed('[]', secret, 'msg_1', timestamp), 0 as Micros)).toBe(false)
    },
  )

  test('its body is a list of e-mail events, or one', () => {
    expect(provider('standard').events([{ a: 1 }, 2])).toEqual([{ a: 1 }, 2])
    expect(provider('standard').events({ a: 1 })).toEqual([{ a: 1 }])
  })
})

describe('Mailgun', () => {
  const KEY = 'a-signing-key'
  const signature = (timestamp: unknown = String(SECONDS), token = 'token-of-fifty-characters', by = KEY) => ({
    timestamp,
    token,
    signature: createHmac('sha256', by).update(`${timestamp}${token}`).digest('hex'),
  })
  const body = (data: object = {}, signed: object = signature()) =>
    JSON.stringify({ signature: signed, 'event-data': data })
  const isGenuine = (text: string, now = NOW, secrets = [KEY]) =>
    provider('mailgun').isGenuine(request(text), secrets, now)

  test('time and token are signed with the key of the account', () => {
    expect(isGenuine(body())).toBe(true)
    expect(isGenuine(body({}, signature(SECONDS)))).toBe(true)
    expect(isGenuine(body(), NOW, ['another', KEY])).toBe(true)
  })

  test('what is not signed, not in time or no JSON is refused', () => {
    expect(isGenuine(body({}, signature(undefined, 'token', 'another-key')))).toBe(false)
    expect(isGenuine(body({}, { ...signature(), token: 'another' }))).toBe(false)
    expect(isGenuine(body({}, { ...signature(), timestamp: String(SECONDS + 1) }))).toBe(false)
    expect(isGenuine(body({}, {}))).toBe(false)
    expect(isGenuine(body({}, signature(undefined, '')))).toBe(false)
    expect(isGenuine('no JSON')).toBe(false)
    expect(isGenuine('null')).toBe(false)
    expect(isGenuine(body(), NOW, [])).toBe(false)
    expect(isGenuine(body(), (minutes(5) + 1) as Micros)).toBe(false)
  })

  test.each([
    ['a token that is a number', signature(undefined, 5 as never)],
    ['a signature that is a number', { ...signature(), signature: 5 }],
    ['a time in a list', signature([SECONDS])],
  ])('%s is refused', (_, signed) => {
    expect(isGenuine(body({}, signed))).toBe(false)
  })

  const of = (event: unknown, more: object = {}) =>
    provider('mailgun').events({
      signature: signature(),
      'event-data': { event, timestamp: 1_788_253_200.908181, message: { headers: { 'message-id': 'a@b' } }, ...more },
    })
  const at = '2026-09-01T09:00:00.908181Z'

  test.each([
    ['delivered', {}, [{ message_id: 'a@b', type: 'delivered', at }]],
    ['opened', { url: 'https://x.example' }, [{ message_id: 'a@b', type: 'opened', at }]],
    [['opened'], {}, []],
    ['clicked', { url: 'https://x.example' }, [{ message_id: 'a@b', type: 'clicked', at, url: 'https://x.example' }]],
    ['complained', {}, [{ message_id: 'a@b', type: 'complained', at }]],
    ['failed', { severity: 'permanent' }, [{ message_id: 'a@b', type: 'bounced', at }]],
    ['failed', { severity: 'temporary' }, []],
    ['accepted', {}, []],
    ['unsubscribed', {}, []],
  ])('%s %j', (event, more, expected) => {
    expect(of(event, more)).toEqual(expected)
  })

  test('its token may be used once; what tells nothing is nothing', () => {
    expect(provider('mailgun').once?.(JSON.parse(body()))).toBe('token-of-fifty-characters')
    expect(provider('mailgun').once?.(null)).toBeNull()
    expect(provider('mailgun').events(null)).toEqual([])
  })

  test.each(['soon', String(SECONDS), -1, 9_007_199_255, 1e30, { seconds: SECONDS }, null])(
    'what is no time in seconds is left to whoever checks e-mail events: %j',
    (timestamp) => {
      expect(of('opened', { timestamp })).toMatchObject([{ at: timestamp }])
    },
  )

  test.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [9_007_199_254.5, '2255-06-05T23:47:34.500000Z'],
  ])('%d seconds are %s', (timestamp, instant) => {
    expect(of('opened', { timestamp })).toMatchObject([{ at: instant }])
  })
})

describe('SendGrid', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const signed = (body: string, timestamp = String(SECONDS), key = pair.privateKey) =>
    request(body, {
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), key).toString('base64'),
    })
  const isGenuine = (given: WebhookRequest, now = NOW, keys = [publicKey]) =>
    provider('sendgrid').isGenuine(given, keys, now)

  test('time and bytes of the body are signed', () => {
    expect(isGenuine(signed('[{"a":1}]\r\n'))).toBe(true)
    expect(isGenuine(signed('[]'), NOW, ['bm8ga2V5', publicKey])).toBe(true)
    const given = signed('[]')
    expect(isGenuine({ ...given, body: Buffer.from('[]\n') })).toBe(false)
    expect(
      isGenuine(signed('[]', String(SECONDS), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)),
    ).toBe(false)
    expect(isGenuine(request('[]'))).toBe(false)
    expect(isGenuine(given, NOW, [])).toBe(false)
    expect(isGenuine(given, NOW, ['bm8ga2V5'])).toBe(false)
    expect(isGenuine(given, (minutes(5) + 1) as Micros)).toBe(false)
    expect(isGenuine(signed('[]', '1e9'))).toBe(false)
  })

  test.each(['signature', 'timestamp'])('without its %s it is refused', (missing) => {
    const given = signed('[]')
    expect(isGenuine({ ...given, header: (name) => (name.endsWith(missing) ? null : given.header(name)) })).toBe(false)
  })

  const at = '2026-09-01T09:00:00.000000Z'

  test('what it reports of a mail is taken, everything else left', () => {
    const events = [
      'processed',
      'deferred',
      'delivered',
      'open',
      'click',
      'bounce',
      'dropped',
      'spamreport',
      'unsubscribe',
      'toString',
      ['open'],
    ]
    const body = events.map((event) => ({ event, timestamp: SECONDS, 'smtp-id': '<a@b>', url: 'https://x.example' }))
    expect(provider('sendgrid').events(body)).toEqual([
      { message_id: '<a@b>', type: 'delivered', at },
      { message_id: '<a@b>', type: 'opened', at },
      { message_id: '<a@b>', type: 'clicked', at, url: 'https://x.example' },
      { message_id: '<a@b>', type: 'bounced', at },
      { message_id: '<a@b>', type: 'bounced', at },
      { message_id: '<a@b>', type: 'complained', at },
    ])
    expect(provider('sendgrid').events({})).toEqual([])
    expect(provider('sendgrid').events([null, 3, { event: 'open', timestamp: 'soon' }])).toEqual([
      { message_id: undefined, type: 'opened', at: 'soon' },
    ])
  })
})
