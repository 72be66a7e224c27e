import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createSmtpSender, type OutgoingMail, type SendOutcome } from './smtp-sender'

const FROM = 'Dwell <dwell@desk.example>'
const never = new AbortController().signal
const closing: (() => Promise<void>)[] = []

beforeAll(() => {
  // The test server warns that its certificate is only good for tests.
  jest.spyOn(console, 'error').mockImplementation(() => undefined)
})

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Taken {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly user: string | undefined
}

/** A real mail server. */
async function mailServer(
  options: SMTPServerOptions = {},
): Promise<{ url: string; port: number; taken: Taken[]; connections: () => number }> {
  let connections = 0
  const taken: Taken[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect(_session, done) {
      connections += 1
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        taken.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          user: session.user as string | undefined,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closing.push(() => new Promise((closed) => server.close(closed)))
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, port, taken, connections: () => connections }
}

/** Refuses with a reply of its own. */
function refusal(responseCode: number): Error {
  return Object.assign(new Error('scripted'), { responseCode })
}

/** A server that speaks its part line by line and may break off; `null` ends the connection. */
async function scriptedServer(
  answer: (line: string, socket: Socket) => string | null,
): Promise<{ url: string; lines: string[]; open: () => Promise<number> }> {
  const lines: string[] = []
  const sockets = new Set<Socket>()
  const say = (socket: Socket, reply: string | null) => {
    if (reply === null) socket.destroy()
    else if (reply !== '') socket.write(`${reply}\r\n`)
  }
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    let rest = ''
    socket.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\r\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        lines.push(line)
        say(socket, answer(line, socket))
      }
    })
    say(socket, answer('', socket))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  /** How many connections are left once none is being closed. */
  const open = async () => {
    await Promise.all([...sockets].map((socket) => (socket.destroyed ? undefined : once(socket, 'close'))))
    return [...sockets].filter((socket) => !socket.destroyed).length
  }
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, lines, open }
}

/** Answers everything, until `stage`: a command, or `.` for the end of the message. */
function until(stage: string, reply: string | null) {
  let data = false
  return (line: string) => {
    const verb = line.slice(0, 4).toUpperCase().trim()
    if (line === '' && !data) return stage === 'greeting' ? reply : '220 scripted'
    if (data && line !== '.') return ''
    if (verb === stage || line === stage) return reply
    if (verb === 'DATA') {
      data = true
      return '354 go on'
    }
    if (line === '.') data = false
    return verb === 'QUIT' ? null : '250 ok'
  }
}

async function deliver(
  url: string,
  mail: Partial<OutgoingMail> = {},
  timeoutMs = 5_000,
  signal = never,
): Promise<SendOutcome> {
  const sender = createSmtpSender({ url, from: FROM, timeoutMs })
  const usual = { messageId: 'm.1@desk.example', to: 'ann@x.com', subject: 'About 101', text: 'Look at 101' }
  try {
    return await sender.send({ ...usual, ...mail }, signal)
  } finally {
    sender.close()
  }
}

describe('a mail that is taken', () => {
  test('is one message to one address, with the id it was given', async () => {
    const { url, taken } = await mailServer()
    expect(await deliver(url)).toEqual({ outcome: 'delivered' })
    expect(taken).toEqual([{ from: 'dwell@desk.example', to: ['ann@x.com'], raw: expect.any(String), user: undefined }])
    const raw = taken[0]?.raw ?? ''
    expect(raw).toMatch(/^Message-ID: <m\.1@desk\.example>\r$/im)
    expect(raw).toMatch(/^To: ann@x\.com\r$/m)
    expect(raw).toMatch(/^From: Dwell <dwell@desk\.example>\r$/m)
    expect(raw).toMatch(/^Subject: About 101\r$/m)
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(raw).toMatch(/\r\n\r\nLook at 101\r?\n?$/)
  })

  test('keeps its id and its content when it is sent again', async () => {
    const { url, taken } = await mailServer()
    await deliver(url)
    await deliver(url)
    const ids = taken.map(({ raw }) => /^Message-ID: .*$/im.exec(raw)?.[0])
    expect(ids[0]).toBeDefined()
    expect(ids[0]).toBe(ids[1])
  })

  test('carries every letter, dots at the beginning of lines, and no header but its own', async () => {
    const { url, taken } = await mailServer()
    const text = 'Grüße 😀\n.\n..dots\nlast'
    expect(await deliver(url, { text, subject: 'Über\r\nBcc: e@x.com' })).toEqual({ outcome: 'delivered' })
    const raw = taken[0]?.raw ?? ''
    const [headers = '', body = ''] = raw.split('\r\n\r\n')
    expect(headers).not.toMatch(/^Bcc/m)
    const decoded = /base64/i.test(headers)
      ? Buffer.from(body, 'base64').toString('utf8')
      : Buffer.from(
          body
            .replace(/=\r\n/g, '')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ).toString('utf8')
    expect(decoded.trim().replaceAll('\r\n', '\n')).toBe(text)
    expect(taken[0]?.to).toEqual(['ann@x.com'])
  })

  test('is followed by a proper goodbye, and by the end of the connection', async () => {
    const { url, lines, open } = await scriptedServer(until('NOOP', null))
    expect(await deliver(url)).toEqual({ outcome: 'delivered' })
    await expect(open()).resolves.toBe(0)
    expect(lines.at(-1)).toBe('QUIT')
  })

  test('after many others goes over the same connection, which remembers none of them', async () => {
    const server = await mailServer()
    const connect = jest.spyOn(SMTPConnection.prototype, 'connect')
    const sender = createSmtpSender({ url: server.url, from: FROM, timeoutMs: 5_000 })
    const mail = { to: 'ann@x.com', subject: 's', text: 't' }
    for (let n = 0; n < 40; n += 1)
      expect(await sender.send({ messageId: `${n}@desk.example`, ...mail }, never)).toEqual({ outcome: 'delivered' })
    const [connection] = connect.mock.contexts as SMTPConnection[]
    expect([server.taken.length, server.connections()]).toEqual([40, 1])
    expect(connection?.listenerCount('end')).toBeLessThan(5)
    connect.mockRestore()
    sender.close()
  })

  test('may need signing in, with what the URL says', async () => {
    const { port, taken } = await mailServer({
      authOptional: false,
      onAuth: ({ username, password }, _, done) =>
        username === 'us:er' && password === 'p@ss' ? done(null, { user: 'signed in' }) : done(refusal(535)),
    })
    expect(await deliver(`smtp://us%3Aer:p%40ss@127.0.0.1:${port}`)).toEqual({ outcome: 'delivered' })
    expect(taken[0]?.user).toBe('signed in')
    expect(await deliver(`smtp://us%3Aer:wrong@127.0.0.1:${port}`)).toMatchObject({ outcome: 'retry' })
    expect(taken).toHaveLength(1)
  })

  test('goes over TLS where the server offers it, to a server that can be trusted', async () => {
    const { url, taken } = await mailServer({ disabledCommands: [] })
    expect(await deliver(url)).toMatchObject({ outcome: 'retry', error: expect.stringMatching(/certificate/i) })
    expect(await deliver(`${url}?rejectUnauthorized=false`)).toEqual({ outcome: 'delivered' })
    expect(await deliver(`${url}?ignoreTLS=true`)).toEqual({ outcome: 'delivered' })
    expect(taken).toHaveLength(2)
    const plain = await mailServer()
    expect(await deliver(`${plain.url}?requireTLS=true`)).toMatchObject({ outcome: 'retry' })
    expect(plain.taken).toEqual([])
  })
})

describe('a reply decides', () => {
  test.each([
    [450, 'retry'],
    [451, 'retry'],
    [550, 'failed'],
    [553, 'failed'],
  ])('recipient answered %d: %s', async (code, outcome) => {
    const { url } = await mailServer({ onRcptTo: (_, __, done) => done(refusal(code)) })
    expect(await deliver(url)).toMatchObject({ outcome, error: expect.stringContaining(String(code)) })
  })

  test.each([
    [451, 'retry'],
    [554, 'failed'],
  ])('sender answered %d: %s', async (code, outcome) => {
    const { url } = await mailServer({ onMailFrom: (_, __, done) => done(refusal(code)) })
    expect(await deliver(url)).toMatchObject({ outcome })
  })

  test.each([
    [451, 'retry'],
    [452, 'retry'],
    [552, 'failed'],
    [554, 'failed'],
  ])('message answered %d: %s', async (code, outcome) => {
    const { url } = await mailServer({
      onData(stream, _, done) {
        stream.resume()
        stream.on('end', () => done(refusal(code)))
      },
    })
    expect(await deliver(url)).toMatchObject({ outcome, error: expect.stringContaining(String(code)) })
  })

  test.each([
    ['greeting', '554 not here', 'retry'],
    ['EHLO', '421 too busy', 'retry'],
    ['DATA', '451 later', 'retry'],
    ['DATA', '554 never', 'failed'],
    ['.', '421 shutting down', 'retry'],
  ])('%s answered %s: %s', async (stage, reply, outcome) => {
    const { url } = await scriptedServer(until(stage, reply))
    expect(await deliver(url)).toMatchObject({ outcome })
  })
})

describe('a connection that breaks', () => {
  test.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA'])(
    'at %s: nothing was sent, it is tried again',
    async (stage) => {
      const { url, lines } = await scriptedServer(until(stage, null))
      expect(await deliver(url)).toMatchObject({ outcome: 'retry', error: expect.stringContaining('mail server') })
      expect(lines.join('\n')).not.toContain('Look at 101')
    },
  )

  test('after the message was sent: nobody knows, it is not sent again', async () => {
    const { url, lines } = await scriptedServer(until('.', null))
    expect(await deliver(url)).toMatchObject({
      outcome: 'unknown',
      error: expect.stringMatching(/^the message was sent and no answer came/),
    })
    expect(lines).toContain('Look at 101')
  })

  test('before the message was asked for by a server that is silent: in time, and tried again', async () => {
    for (const stage of ['greeting', 'MAIL', 'DATA']) {
      const { url } = await scriptedServer(until(stage, ''))
      expect(await deliver(url, {}, 200)).toMatchObject({
        outcome: 'retry',
        error: expect.stringMatching(/0\.2 s|timeout|never received/i),
      })
    }
  })

  test('by a server that is silent after the message: unknown', async () => {
    const { url } = await scriptedServer(until('.', ''))
    expect(await deliver(url, {}, 300)).toMatchObject({ outcome: 'unknown' })
  })

  test('refused: it is tried again', async () => {
    const { url } = await scriptedServer(until('EHLO', null))
    for (const close of closing.splice(0)) await close()
    expect(await deliver(url)).toMatchObject({ outcome: 'retry', error: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('shutting down', () => {
  test('before the message was on its way leaves no outcome: it is sent later', async () => {
    const controller = new AbortController()
    const { url } = await scriptedServer((line) => {
      if (line.startsWith('MAIL')) controller.abort(new Error('shutting down'))
      return line.startsWith('MAIL') ? '' : until('MAIL', '')(line)
    })
    await expect(deliver(url, {}, 5_000, controller.signal)).rejects.toThrow('shutting down')
    await expect(deliver(url, {}, 5_000, controller.signal)).rejects.toThrow('shutting down')
  })

  test('after it was on its way waits for the answer', async () => {
    const controller = new AbortController()
    const speak = until('.', '250 taken')
    const { url } = await scriptedServer((line) => {
      if (line === '.') controller.abort(new Error('shutting down'))
      return speak(line)
    })
    expect(await deliver(url, {}, 5_000, controller.signal)).toEqual({ outcome: 'delivered' })
    expect(controller.signal.aborted).toBe(true)
  })
})

test.each(['not an address', 'ann@', ' ', 'ann@x.com\r\nRCPT TO:<eve@x.com>', 'a<b@x.com', `${'a'.repeat(400)}@x.com`])(
  'to an address that is none (%j) a mail fails for good, and nobody is sent it',
  async (to) => {
    const server = await mailServer()
    expect(await deliver(server.url, { to })).toMatchObject({ outcome: 'failed' })
    expect(server.taken).toEqual([])
  },
)
