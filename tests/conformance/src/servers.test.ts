import { connect } from 'node:net'
import { HookReceiver } from './hook-receiver'
import { MailCatcher } from './mail-catcher'

const MAIL = [
  'From: Dwell <dwell@example.com>',
  'To: ann@example.com',
  'Message-ID: <1@dwell>',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'caf=C3=A9',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>cafe</p>',
  '--b--',
  '',
].join('\r\n')

/** A conversation with the server, line by line; returns the codes of its answers, `cut` where it hung up. */
async function send(url: string, recipients: string[]): Promise<string[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const commands = ['EHLO test', 'MAIL FROM:<dwell@example.com>', ...recipients.map((r) => `RCPT TO:<${r}>`), 'DATA']
  const codes: string[] = []
  socket.setEncoding('utf8')
  return new Promise((resolve) => {
    let buffer = ''
    socket.on('data', (chunk) => {
      buffer += chunk
      for (let match = /^(\d{3}) .*\r\n/m.exec(buffer); match; match = /^(\d{3}) .*\r\n/m.exec(buffer)) {
        buffer = buffer.slice(match.index + match[0].length)
        const code = match[1] ?? ''
        codes.push(code)
        const next = commands.shift()
        if (code === '354') socket.write(`${MAIL}\r\n.\r\n`)
        else if (next !== undefined) socket.write(`${next}\r\n`)
        else socket.end('QUIT\r\n')
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(codes.at(-1) === '221' ? codes.slice(0, -1) : [...codes, 'cut']))
  })
}

describe('the mail server of the player', () => {
  let catcher: MailCatcher
  let url: string
  beforeEach(async () => {
    catcher = new MailCatcher()
    url = await catcher.listen()
  })
  afterEach(() => catcher.close())

  test('keeps what it accepts, decoded', async () => {
    expect(await send(url, ['ann@example.com'])).toEqual(['220', '250', '250', '250', '354', '250'])
    expect(catcher.caught).toMatchObject([
      {
        to: 'ann@example.com',
        subject: 'Grüße',
        text: 'café',
        html: '<p>cafe</p>',
        headers: { 'message-id': '<1@dwell>' },
      },
    ])
  })

  test('several recipients of one message are a list', async () => {
    await send(url, ['ann@example.com', 'ben@example.com'])
    expect(catcher.caught).toMatchObject([{ to: ['ann@example.com', 'ben@example.com'] }])
  })

  test('refuses a recipient as it was told, and only that one', async () => {
    catcher.script.add({ reply: 451, to: 'Ann@example.com', times: 1 })
    expect(await send(url, ['ben@example.com'])).not.toContain('451')
    expect(await send(url, ['ann@example.com'])).toContain('451')
    expect(await send(url, ['ann@example.com'])).not.toContain('451')
    expect(catcher.caught.map(({ to }) => to)).toEqual(['ben@example.com', 'ann@example.com'])
  })

  test('refuses the message itself as it was told', async () => {
    catcher.script.add({ reply: 550, stage: 'data', times: 1 })
    expect((await send(url, ['ann@example.com'])).at(-1)).toBe('550')
    expect(catcher.caught).toEqual([])
  })

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('hangs up %s it has taken the message', async (drop, taken) => {
    catcher.script.add({ drop, stage: 'data', times: 1 })
    expect((await send(url, ['ann@example.com'])).at(-1)).toBe('cut')
    expect(catcher.caught).toHaveLength(taken)
    expect((await send(url, ['ann@example.com'])).at(-1)).toBe('250')
  })

  test('forgets mails and orders between cases', async () => {
    await send(url, ['ann@example.com'])
    catcher.script.add({ reply: 550 })
    catcher.forget()
    expect(catcher.caught).toEqual([])
    expect(await send(url, ['ann@example.com'])).not.toContain('550')
  })
})

describe('the web server of the player', () => {
  let receiver: HookReceiver
  let url: string
  beforeEach(async () => {
    receiver = new HookReceiver()
    url = await receiver.listen()
  })
  afterEach(() => receiver.close())

  const post = (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', body, headers: { 'x-a': 'b' } })

  test('keeps every request, its body parsed where it is JSON', async () => {
    expect((await post('/a', '{"b":1}')).status).toBe(200)
    await post('/c', 'text')
    expect(receiver.caught).toMatchObject([
      { method: 'POST', path: '/a', body: { b: 1 }, headers: { 'x-a': 'b' } },
      { path: '/c', body: 'text' },
    ])
  })

  test('answers as it was told, by path and number of times', async () => {
    receiver.script.add({ status: 429, headers: { 'retry-after': '7' }, path: '/a', times: 1 })
    const answer = await post('/a', '{}')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await post('/a', '{}')).status).toBe(200)
  })

  test('hangs up as it was told, and still has the request', async () => {
    receiver.script.add({ drop: true, times: 1 })
    await expect(post('/a', '{}')).rejects.toThrow()
    expect(receiver.caught).toHaveLength(1)
  })
})
