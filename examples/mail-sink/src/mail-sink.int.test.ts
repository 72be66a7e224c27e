import { createTransport } from 'nodemailer'
import { Behaviour, type BehaviourRule } from './behaviour'
import { Mailbox, type Message } from './mailbox'
import { type SmtpSink, startSmtpSink } from './smtp-sink'
import { startWebView, type WebView } from './web'

const HOST = '127.0.0.1'

let random = 0
let smtp: SmtpSink
let web: WebView
let url: string

beforeEach(async () => {
  const mailbox = new Mailbox(5)
  const behaviour = new Behaviour(() => random)
  smtp = await startSmtpSink(mailbox, behaviour, { host: HOST, port: 0 })
  web = await startWebView(mailbox, behaviour, { host: HOST, port: 0 })
  url = `http://${HOST}:${web.port}`
})
afterEach(async () => {
  await Promise.all([smtp.close(), web.close()])
})

async function send(mail: object = {}): Promise<void> {
  const transport = createTransport({ host: HOST, port: smtp.port, secure: false })
  try {
    await transport.sendMail({
      from: 'desk@acme.example',
      to: 'ann@example.com',
      subject: 'Hi',
      text: 'Hello',
      ...mail,
    })
  } finally {
    transport.close()
  }
}

/** The code that the server refused with; null where it took the mail. */
async function refusal(mail: object = {}): Promise<number | string | null> {
  return send(mail).then(
    () => null,
    (error: { responseCode?: number; code?: string }) => error.responseCode ?? error.code ?? 'unknown',
  )
}

async function messages(query = ''): Promise<Message[]> {
  const answer = (await (await fetch(`${url}/messages${query}`)).json()) as { messages: Message[] }
  return answer.messages
}
const behave = (rules: readonly Partial<BehaviourRule>[]) =>
  fetch(`${url}/behaviour`, { method: 'PUT', body: JSON.stringify(rules) })

test('what is sent can be read as it came, by programs', async () => {
  await send({ messageId: '<one@acme.example>', html: '<p>Hello <b>Ann</b></p>', headers: { 'X-Colour': 'grün' } })
  await send({ to: 'Bob@example.com', subject: 'Für Bob' })
  const [first, second] = await messages()
  expect(first).toMatchObject({
    from: 'desk@acme.example',
    to: ['ann@example.com'],
    message_id: '<one@acme.example>',
    subject: 'Hi',
    text: 'Hello\n',
    html: '<p>Hello <b>Ann</b></p>\n',
  })
  expect(first?.headers).toContainEqual({ name: 'X-Colour', value: expect.stringContaining('UTF-8') })
  expect(second?.subject).toBe('Für Bob')
  expect(await messages('?to=bob@example.com')).toEqual([second])
  expect(await (await fetch(`${url}/messages/${first?.id}/json`)).json()).toEqual(first)
  expect(await (await fetch(`${url}/messages/${first?.id}/raw`)).text()).toContain('Message-ID: <one@acme.example>')
  await fetch(`${url}/messages`, { method: 'DELETE' })
  expect(await messages()).toEqual([])
})

test('people see list and message; what the mail brings along stays in a frame that can do nothing', async () => {
  await send({
    subject: '<script>alert(1)</script>',
    html: '<script>alert(2)</script><a href="https://acme.example/?a=1&amp;b=2">Go</a>',
    headers: { 'List-Unsubscribe': '<https://acme.example/out>' },
  })
  const [message] = await messages()
  const list = await (await fetch(url)).text()
  expect(list).toContain('&lt;script&gt;alert(1)')
  expect(list).not.toContain('<script')
  const page = await fetch(`${url}/messages/${message?.id}`)
  const text = await page.text()
  expect(text).not.toContain('<script')
  expect(text).toContain(`<iframe sandbox src="/messages/${message?.id}/html"`)
  expect(text).toContain('href="https://acme.example/?a=1&amp;b=2"')
  expect(text).toContain('href="https://acme.example/out"')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const frame = await fetch(`${url}/messages/${message?.id}/html`)
  expect(frame.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/)
})

test('only the latest messages are kept', async () => {
  for (const subject of ['1', '2', '3', '4', '5', '6']) await send({ subject })
  expect((await messages()).map(({ subject }) => subject)).toEqual(['2', '3', '4', '5', '6'])
})

test('mails are refused as told: by address, stage and number', async () => {
  await behave([
    { to: 'ANN@example.com', stage: 'rcpt', reply: 550, times: 1 },
    { stage: 'data', reply: 451, times: 1 },
  ])
  expect(await refusal()).toBe(550)
  expect(await refusal()).toBe(451)
  expect(await refusal()).toBeNull()
  expect(await messages()).toHaveLength(1)
})

test('a share of the mails is refused', async () => {
  await behave([{ stage: 'data', reply: 451, chance: 0.5 }])
  random = 0.49
  expect(await refusal()).toBe(451)
  random = 0.5
  expect(await refusal()).toBeNull()
})

test.each([
  ['before', 0],
  ['after', 1],
] as const)('the line is cut %s the message was taken', async (drop, kept) => {
  await behave([{ stage: 'data', drop, times: 1 }])
  expect(await refusal()).not.toBeNull()
  expect(await messages()).toHaveLength(kept)
})

test('a rule that is not understood is refused and changes nothing', async () => {
  await behave([{ stage: 'data', reply: 451 }])
  for (const rules of ['no', [1], [{ reply: 200 }], [{ colour: 'red' }], [{ constructor: 1 }], [{ stage: 'later' }]]) {
    const { status } = await fetch(`${url}/behaviour`, { method: 'PUT', body: JSON.stringify(rules) })
    expect(status).toBe(422)
  }
  expect(await (await fetch(`${url}/behaviour`)).json()).toEqual([{ stage: 'data', reply: 451 }])
})

test('neither pages from elsewhere nor other names for this machine reach the mails', async () => {
  expect((await fetch(url, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  const { request } = await import('node:http')
  const status = await new Promise((resolve) => {
    request({ host: HOST, port: web.port, path: '/messages', headers: { host: 'evil.example' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).end()
  })
  expect(status).toBe(403)
  expect((await fetch(`${url}/messages/../../etc/passwd`)).status).toBe(404)
})
