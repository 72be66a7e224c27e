import type { AddressInfo } from 'node:net'
import { createSmtpSender, type MailSender } from '@dwell/mail/smtp-sender'
import { useStores } from '@dwell/testing/stores'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { useConsole } from './testing/running-console'

const stores = useStores()
let server: SMTPServer
let sender: MailSender | undefined
/** What the server answers the next recipient or message with; it takes them unless told otherwise. */
let refuses: { readonly stage: 'rcpt' | 'data'; readonly code: number } | null = null
let taken: { to: string[]; raw: Buffer }[] = []

beforeAll(async () => {
  const answer = (stage: string) =>
    refuses?.stage === stage ? Object.assign(new Error('scripted'), { responseCode: refuses.code }) : null
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => done(answer('rcpt')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const refusal = answer('data')
        if (refusal === null)
          taken.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks) })
        done(refusal)
      })
    },
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.server.address() as AddressInfo
  sender = createSmtpSender({ url: `smtp://127.0.0.1:${port}`, from: 'Dwell <dwell@desk.example>', timeoutMs: 5_000 })
})
afterAll(async () => {
  sender?.close()
  await new Promise<void>((closed) => server.close(() => closed()))
})
beforeEach(() => {
  refuses = null
  taken = []
})

const mail: MailSender = {
  send: async (outgoing, signal) => sender?.send(outgoing, signal) ?? { outcome: 'failed', error: 'not yet' },
  close: () => undefined,
}
const console = useConsole(stores, { mail })
const sendTest = (account: number, body: object, options = {}) =>
  console.call('POST', `/accounts/${account}/automation_emails/test`, body, options)
const EMAIL = {
  email_subject: 'Hi {{ member.first_name }}',
  email_body: 'Hello **{{ member.name }}** of {{ account.name }}, [shop](https://acme.example/)',
}

async function only(): Promise<Email> {
  expect(taken).toHaveLength(1)
  return PostalMime.parse(taken[0]?.raw ?? '')
}

test('a test is sent as a step would send it, by the sender of the account, and counts nothing', async () => {
  const account = await console.createAccount({
    name: 'Acme',
    settings: {
      mail_from: 'Acme <hello@acme.example>',
      mail_reply_to: 'ann@acme.example',
      track_opens: true,
      track_clicks: true,
    },
  })
  const reply = await sendTest(account, { ...EMAIL, address: 'bob@example.com' })
  expect([reply.status, reply.text]).toEqual([204, ''])
  expect(taken[0]?.to).toEqual(['bob@example.com'])
  const email = await only()
  expect(email).toMatchObject({
    from: { name: 'Acme', address: 'hello@acme.example' },
    replyTo: [{ address: 'ann@acme.example' }],
    subject: 'Hi Alex',
    messageId: expect.stringMatching(/^<test\.[\w-]+@acme\.example>$/),
  })
  expect(email.html).toContain('Hello <strong>Alex Example</strong> of Acme')
  expect(email.html).toContain('href="https://acme.example/"')
  expect(email.html).not.toContain('/mail/open')
  expect(email.text).toContain('Unsubscribe: https://desk.example/unsubscribe/')
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  // The way out of a test works and takes nobody's consent back.
  const address = /<https:\/\/desk\.example([^>]+)>/.exec(header('list-unsubscribe') ?? '')?.[1] ?? ''
  expect((await console.fetch(address, { method: 'POST' })).status).toBe(200)
})

test.each([
  ['an address', { address: 'bob@' }, '/address'],
  ['one address', { address: 'bob@example.com, eve@example.com' }, '/address'],
  ['an address at all', { address: undefined }, '/address'],
  ['a subject', { email_subject: ' ' }, '/email_subject'],
  ['a subject at all', { email_subject: undefined }, '/email_subject'],
  ['a body', { email_body: '<!-- -->', email_format: 'html' }, '/email_body'],
  ['a body that can be rendered', { email_body: '{% if %}' }, '/email_body'],
  ['a format that exists', { email_format: 'word' }, '/email_format'],
])('it needs %s', async (_name, change, pointer) => {
  const account = await console.createAccount()
  const reply = await sendTest(account, { ...EMAIL, address: 'bob@example.com', ...change })
  expect(reply.status).toBe(422)
  expect(reply.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer)
  expect(taken).toEqual([])
})

test.each([
  ['rcpt', 550, 422, 'invalid'],
  ['data', 554, 422, 'invalid'],
  ['rcpt', 451, 502, 'mail_not_sent'],
  ['data', 451, 502, 'mail_not_sent'],
] as const)(
  'what the mail server does not take is told with its reason: %s %d',
  async (stage, code, status, problem) => {
    const account = await console.createAccount()
    refuses = { stage, code }
    const reply = await sendTest(account, { ...EMAIL, address: 'bob@example.com' })
    expect(reply).toMatchObject({ status, body: { code: problem } })
    expect(reply.text).toContain(String(code))
  },
)

test('agents may not send', async () => {
  const account = await console.createAccount()
  const { body } = await console.call('POST', `/accounts/${account}/tokens`, { role: 'agent', name: 'A' })
  const reply = await sendTest(account, { ...EMAIL, address: 'bob@example.com' }, { token: body.payload.token })
  expect(reply.status).toBe(403)
})

describe('without a mail server or a key', () => {
  const bare = useConsole(stores, { signingKey: null })

  test('the answer says what is to be set', async () => {
    const account = await bare.createAccount()
    const reply = await bare.call('POST', `/accounts/${account}/automation_emails/test`, {
      ...EMAIL,
      address: 'b@example.com',
    })
    expect(reply).toMatchObject({ status: 409, body: { code: 'mail_not_configured' } })
    expect(reply.body.detail).toContain('SMTP_URL and DWELL_SIGNING_KEY')
  })
})
