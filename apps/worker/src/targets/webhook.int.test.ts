import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import type { Micros } from '@dwell/contracts/instant'
import { webhookKey, webhookSecret } from '@dwell/domain/rules/webhook-secret'
import type { Resolve } from './http-post'
import type { DeliveryOutcome, OutgoingDelivery } from './target'
import { createWebhookTarget, type WebhookTargetOptions } from './webhook'

const NOW = (Date.UTC(2026, 8, 1, 11, 1) * 1000) as Micros
const SECRET = webhookSecret(new Uint8Array(32).fill(7))
const NEXT_SECRET = webhookSecret(new Uint8Array(32).fill(8))

interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let server: Server
let base: string
let calls: Call[]
let answer: (response: ServerResponse, request: IncomingMessage) => void
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      calls.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') })
      answer(response, request)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

beforeEach(() => {
  calls = []
  answer = (response) => response.writeHead(200).end()
})

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

function deliver(
  url: string,
  options: Partial<WebhookTargetOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<DeliveryOutcome> {
  const target = createWebhookTarget({
    clock: { now: async () => NOW },
    secretsOf: async () => [SECRET],
    timeoutMs: 5_000,
    allowPrivateAddresses: true,
    ...options,
  })
  const delivery: OutgoingDelivery = {
    id: '900-1',
    accountId: 1,
    payload: { url, body: { event: 'x', text: 'Grüße' } },
  }
  return target.deliver(delivery, signal)
}

/** A server that speaks below HTTP; gives its base URL. */
async function tcpServer(speak: Parameters<typeof createTcpServer>[1]): Promise<{ url: string }> {
  const sockets = new Set<Socket>()
  const tcp: TcpServer = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    speak?.(socket)
  })
  await new Promise<void>((ready) => tcp.listen(0, '127.0.0.1', ready))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => tcp.close(closed))
  })
  return { url: `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/` }
}

describe('a webhook that is taken', () => {
  test('is one POST of the body with the headers of Standard Webhooks', async () => {
    expect(await deliver(`${base}/hook?a=1`)).toEqual({ outcome: 'delivered' })
    expect(calls).toHaveLength(1)
    const [call] = calls
    expect(call).toMatchObject({
      method: 'POST',
      path: '/hook?a=1',
      body: '{"event":"x","text":"Grüße"}',
      headers: {
        'content-type': 'application/json',
        'webhook-id': '900-1',
        'webhook-timestamp': String(NOW / 1_000_000),
      },
    })
    const key = webhookKey(SECRET) ?? ''
    const signed = createHmac('sha256', key)
      .update(`900-1.${NOW / 1_000_000}.${call?.body}`)
      .digest('base64')
    expect(call?.headers['webhook-signature']).toBe(`v1,${signed}`)
  })

  test('carries a signature of each valid secret of the account it belongs to', async () => {
    const asked: number[] = []
    const secretsOf = async (accountId: number) => {
      asked.push(accountId)
      return [NEXT_SECRET, 'broken', SECRET]
    }
    await deliver(base, { secretsOf })
    expect(asked).toEqual([1])
    expect(calls[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  })

  test.each([201, 202, 204])('may be answered %d', async (status) => {
    answer = (response) => response.writeHead(status).end()
    expect(await deliver(base)).toEqual({ outcome: 'delivered' })
  })

  test('was taken although the rest of the answer never comes, or is endless', async () => {
    answer = (response) => {
      response.writeHead(200)
      response.write('x')
    }
    expect(await deliver(base, { timeoutMs: 300 })).toEqual({ outcome: 'delivered' })
    answer = (response) => {
      const chunk = Buffer.alloc(65_536)
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      response.writeHead(200)
      more()
    }
    expect(await deliver(base)).toEqual({ outcome: 'delivered' })
  })
})

describe('a webhook that is not taken', () => {
  test.each([500, 503, 408, 425])('is tried again after %d', async (status) => {
    answer = (response) => response.writeHead(status).end('busy')
    expect(await deliver(base)).toEqual({
      outcome: 'retry',
      error: `the receiver answered ${status}`,
      retryAfter: null,
    })
  })

  test('is tried again when the receiver says, in seconds or by a date', async () => {
    answer = (response) => response.writeHead(429, { 'retry-after': '120' }).end()
    expect(await deliver(base)).toMatchObject({ outcome: 'retry', retryAfter: 120_000_000 })
    answer = (response) => response.writeHead(503, { 'retry-after': 'Tue, 01 Sep 2026 11:02:30 GMT' }).end()
    expect(await deliver(base)).toMatchObject({ outcome: 'retry', retryAfter: 90_000_000 })
  })

  test.each([400, 401, 404, 422])('fails for good with %d', async (status) => {
    answer = (response) => response.writeHead(status).end()
    expect(await deliver(base)).toEqual({ outcome: 'failed', error: `the receiver answered ${status}` })
  })

  test('fails for good and closes the address with 410', async () => {
    answer = (response) => response.writeHead(410).end()
    expect(await deliver(base)).toEqual({ outcome: 'failed', error: 'the receiver answered 410', gone: true })
  })

  test.each([301, 302, 307, 308])('follows no redirect: %d', async (status) => {
    answer = (response) => response.writeHead(status, { location: `${base}/elsewhere` }).end()
    expect(await deliver(`${base}/here`)).toEqual({
      outcome: 'failed',
      error: `the receiver answered ${status}; redirects are not followed`,
    })
    expect(calls.map(({ path }) => path)).toEqual(['/here'])
  })

  test('is tried again when no answer comes in time', async () => {
    answer = () => undefined
    expect(await deliver(base, { timeoutMs: 200 })).toEqual({
      outcome: 'retry',
      error: 'no answer within 0.2 s',
      retryAfter: null,
    })
  })

  test('is tried again when the connection is closed midway, or what comes back is no HTTP', async () => {
    answer = (_, request) => request.socket.destroy()
    expect(await deliver(base)).toMatchObject({ outcome: 'retry', error: expect.stringContaining('no answer: ') })
    const noise = await tcpServer((socket) => void socket.end('220 smtp here\r\n'))
    expect(await deliver(noise.url)).toMatchObject({ outcome: 'retry' })
    const halfAnAnswer = await tcpServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-le'))
    })
    expect(await deliver(halfAnAnswer.url)).toMatchObject({ outcome: 'retry' })
  })

  test('is tried again when nobody listens, or the name is unknown', async () => {
    const gone = await tcpServer(() => undefined)
    for (const close of closing.splice(0)) await close()
    expect(await deliver(gone.url)).toMatchObject({ outcome: 'retry', error: expect.stringContaining('ECONNREFUSED') })
    const resolve: Resolve = (_, __, callback) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), [])
    expect(await deliver('https://nowhere.example', { resolve })).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining('ENOTFOUND'),
    })
    expect(
      await deliver('https://nowhere.example', { resolve: (_, __, callback) => callback(null, []) }),
    ).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining('has no address'),
    })
  })

  test('is tried again when TLS does not come about', async () => {
    expect(await deliver(base.replace('http:', 'https:'))).toMatchObject({ outcome: 'retry' })
  })

  test('is not sent unsigned', async () => {
    for (const secrets of [[], ['whsec_short'], [null]]) {
      expect(await deliver(base, { secretsOf: async () => secrets })).toMatchObject({
        outcome: 'failed',
        error: expect.stringContaining('webhook_secrets'),
      })
    }
    expect(calls).toEqual([])
  })
})

describe('private addresses are not called', () => {
  const refused = { outcome: 'failed', error: expect.stringContaining('private, local or reserved') }

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])(
    'written out: %s',
    async (host) => {
      expect(await deliver(`http://${host}:9/`, { allowPrivateAddresses: false })).toEqual(refused)
    },
  )

  test.each([
    ['alone', [{ address: '127.0.0.1', family: 4 }]],
    [
      'behind a public one',
      [
        { address: '1.1.1.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    ],
    ['in IPv6', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ])('behind a name: %s', async (_, addresses) => {
    const { port } = new URL(base)
    const resolve: Resolve = (_name, _options, callback) => callback(null, addresses)
    expect(await deliver(`http://public.example:${port}/`, { allowPrivateAddresses: false, resolve })).toEqual(refused)
    expect(calls).toEqual([])
  })

  test('behind the name of this machine', async () => {
    const { port } = new URL(base)
    expect(await deliver(`http://localhost:${port}/`, { allowPrivateAddresses: false })).toEqual(refused)
    expect(calls).toEqual([])
  })

  test('the checked address is the one that is called: the name is resolved once', async () => {
    let asked = 0
    const resolve: Resolve = (_name, _options, callback) => {
      asked += 1
      callback(null, [{ address: '127.0.0.1', family: 4 }])
    }
    const { port } = new URL(base)
    expect(await deliver(`http://moving.example:${port}/hook`, { resolve })).toEqual({ outcome: 'delivered' })
    expect(asked).toBe(1)
    expect(calls[0]?.headers.host).toBe(`moving.example:${port}`)
  })
})

test('what is no address fails for good', async () => {
  for (const url of ['nowhere', 'ftp://x.example/', 'file:///etc/passwd']) {
    expect(await deliver(url)).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('no http or https URL'),
    })
  }
  const target = createWebhookTarget({
    clock: { now: async () => NOW },
    secretsOf: async () => [SECRET],
    timeoutMs: 1_000,
    allowPrivateAddresses: true,
  })
  const delivery = { id: '1-0', accountId: 1, payload: {} }
  expect(await target.deliver(delivery, new AbortController().signal)).toMatchObject({ outcome: 'failed' })
})

test('shutting down interrupts an attempt without an outcome: the receiver knows its repeat', async () => {
  const controller = new AbortController()
  const arrived = new Promise<void>((arrive) => {
    answer = () => arrive()
  })
  const attempt = deliver(base, {}, controller.signal)
  await arrived
  controller.abort(new Error('shutting down'))
  await expect(attempt).rejects.toThrow('shutting down')
  await expect(deliver(base, {}, controller.signal)).rejects.toThrow('shutting down')
})
