import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Behaviour, readBehaviour } from './behaviour'
import type { Mailbox } from './mailbox'
import { listPage, messagePage, STYLE } from './pages'

export interface WebView {
  readonly port: number
  close(): Promise<void>
}

const OWN_PAGES = "default-src 'none'; style-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
/** A mail may look like itself, and do nothing: no scripts, no forms, nothing from elsewhere (a pixel would be an open). */
const MAIL = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
const MAX_BODY_BYTES = 100_000

interface Answer {
  readonly status?: number
  readonly type: 'html' | 'css' | 'plain' | 'json'
  readonly body: string | Buffer
  readonly policy?: string
}

/** The messages for people and for programs. */
export async function startWebView(
  mailbox: Mailbox,
  behaviour: Behaviour,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<WebView> {
  const server = createServer((request, response) => {
    answer(request, mailbox, behaviour).then(
      (given) => send(response, given),
      () => send(response, problem(500, 'something went wrong')),
    )
  })
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}

async function answer(request: IncomingMessage, mailbox: Mailbox, behaviour: Behaviour): Promise<Answer> {
  if (!isForUs(request)) return problem(403, 'only this machine may look, under its own name')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink')
  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      return { type: 'html', body: listPage(mailbox.list()), policy: OWN_PAGES }
    case 'GET /style.css':
      return { type: 'css', body: STYLE }
    case 'GET /messages':
      return json({ messages: mailbox.list(searchParams.get('to') ?? undefined) })
    case 'DELETE /messages':
      mailbox.clear()
      return json({ messages: [] })
    case 'GET /behaviour':
      return json(behaviour.rules)
    case 'PUT /behaviour':
      return setBehaviour(request, behaviour)
    default:
      return request.method === 'GET' ? oneMessage(pathname, mailbox) : problem(404, 'there is nothing here')
  }
}

async function setBehaviour(request: IncomingMessage, behaviour: Behaviour): Promise<Answer> {
  const value = await bodyOf(request)
  const rules = value === undefined ? 'the body is not JSON' : readBehaviour(value)
  if (typeof rules === 'string') return problem(422, rules)
  behaviour.set(rules)
  return json(behaviour.rules)
}

function oneMessage(pathname: string, mailbox: Mailbox): Answer {
  const [, id = '', part = ''] = /^\/messages\/([\w-]+)(?:\/(html|raw|json))?$/.exec(pathname) ?? []
  const found = mailbox.find(id)
  if (found === undefined) return problem(404, 'there is no such message')
  const { message, raw } = found
  switch (part) {
    case 'html':
      return { type: 'html', body: message.html ?? '', policy: MAIL }
    case 'raw':
      return { type: 'plain', body: raw }
    case 'json':
      return json(message)
    default:
      return { type: 'html', body: messagePage(message), policy: OWN_PAGES }
  }
}

/** Neither a page from elsewhere nor a name that was turned to this machine may reach the mails. */
function isForUs({ headers }: IncomingMessage): boolean {
  const name = (headers.host ?? '').replace(/:\d+$/, '')
  const site = headers['sec-fetch-site']
  return (
    /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(name) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  )
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  plain: 'text/plain; charset=utf-8',
  json: 'application/json',
} as const

function send(response: ServerResponse, { status = 200, type, body, policy = "default-src 'none'" }: Answer): void {
  response
    .writeHead(status, {
      'content-type': TYPES[type],
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .end(body)
}

function json(value: unknown): Answer {
  return { type: 'json', body: JSON.stringify(value) }
}

function problem(status: number, error: string): Answer {
  return { ...json({ error }), status }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((ready, failed) => {
    server.once('error', failed)
    server.listen(port, host, ready)
  })
}
