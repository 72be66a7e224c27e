import { Readable } from 'node:stream'
import { judgeMailFault, type MailFault } from '@dwell/domain/rules/delivery-retry'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

export interface OutgoingMail {
  /** Name and address of the sender; left out: the installation's. */
  readonly from?: string
  readonly replyTo?: string
  /** Without angle brackets, `local@domain`; the same whenever the mail is sent. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What one attempt to send a mail came to. */
export type SendOutcome =
  | { readonly outcome: 'delivered' }
  /** Refused for good. */
  | { readonly outcome: 'failed'; readonly error: string }
  /** Not taken, for now; a mail server does not say until when. */
  | { readonly outcome: 'retry'; readonly error: string; readonly retryAfter: null }
  /** It may have been taken, and a mail server cannot deduplicate: never repeated unless a person says so. */
  | { readonly outcome: 'unknown'; readonly error: string }

export interface MailSender {
  /**
   * One attempt to hand a mail to the server. Throws only the signal's reason, and only before the message was on its way.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendOutcome>
  /** Says goodbye on connections that are kept for the next mail. */
  close(): void
}

export interface SmtpSenderOptions {
  /**
   * `smtp://` (STARTTLS where the server offers it) or `smtps://`, with user and password. Options: `?requireTLS=true`,
   * `ignoreTLS=true`, `rejectUnauthorized=false` for a certificate that nobody vouches for.
   */
  readonly url: string
  /** Name and address of the sender. */
  readonly from: string
  /** For a whole attempt; also the longest silence of the server. */
  readonly timeoutMs: number
}

/**
 * A mail server. Its connections are kept for a moment for the next mail; one that a mail met trouble on is not, so nothing
 * one mail meets touches another.
 */
export function createSmtpSender({ url, from, timeoutMs }: SmtpSenderOptions): MailSender {
  const server = connectionOptions(url, timeoutMs)
  const credentials = credentialsOf(url)
  const idle = new IdleConnections()

  async function attempt(
    connection: SMTPConnection,
    isNew: boolean,
    mail: OutgoingMail,
    message: { readonly sender: string; readonly content: Buffer },
    signal: AbortSignal,
  ): Promise<SendOutcome | 'stale'> {
    const session = new MailSession(connection, signal, AbortSignal.timeout(timeoutMs))
    try {
      if (isNew) await session.open(credentials)
      else session.phase = 'envelope'
      await session.transfer(message.sender, mail.to, message.content)
      session.leave()
      idle.keep(connection)
      return { outcome: 'delivered' }
    } catch (error) {
      session.leave()
      connection.close()
      if (session.phase !== 'data') signal.throwIfAborted()
      // The server may have hung up while nothing was said, or says so now; that is nothing the mail has met.
      if (!isNew && session.phase !== 'data' && [null, GOING_AWAY].includes(replyOf(error))) return 'stale'
      return outcomeOf(error, session.phase, timeoutMs)
    }
  }

  return {
    async send(mail, signal) {
      signal.throwIfAborted()
      const message = await compose(mail, from)
      for (let connection = idle.take(); connection !== undefined; connection = idle.take()) {
        const outcome = await attempt(connection, false, mail, message, signal)
        if (outcome !== 'stale') return outcome
      }
      const outcome = await attempt(newConnection(server), true, mail, message, signal)
      return outcome === 'stale' ? outcomeOf(new Error('the connection was lost'), 'envelope', timeoutMs) : outcome
    },
    close: () => idle.close(),
  }
}

const GOING_AWAY = 421

async function compose(mail: OutgoingMail, from: string): Promise<{ sender: string; content: Buffer }> {
  const message = new MailComposer({
    from: mail.from ?? from,
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    messageId: `<${mail.messageId}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(mail.replyTo === undefined ? {} : { replyTo: mail.replyTo }),
    ...(mail.html === undefined ? {} : { html: mail.html }),
  }).compile()
  const { from: sender } = message.getEnvelope()
  return { sender: sender === false ? '' : sender, content: await message.build() }
}

function newConnection(server: ReturnType<typeof connectionOptions>): SMTPConnection {
  const connection = new SMTPConnection(server)
  // Whoever uses it listens too; while nobody does, its end is no news.
  connection.on('error', () => undefined)
  return connection
}

/** ms a connection is kept; servers hang up on silent ones, and some count them. */
const IDLE_MS = 5_000
const MAX_IDLE = 20
/** A server that does not close its side must not keep the process from ending. */
const CLOSE_TIMEOUT_MS = 200

/** Connections nothing is being said on. */
class IdleConnections {
  readonly #idle = new Map<SMTPConnection, { readonly timer: NodeJS.Timeout; readonly onEnd: () => void }>()
  #closed = false

  keep(connection: SMTPConnection): void {
    if (this.#closed || this.#idle.size >= MAX_IDLE) {
      connection.quit()
      return
    }
    const timer = setTimeout(() => this.#forget(connection)?.quit(), IDLE_MS)
    const onEnd = () => void this.#forget(connection)
    this.#idle.set(connection, { timer, onEnd })
    connection.once('end', onEnd)
  }

  take(): SMTPConnection | undefined {
    const latest = [...this.#idle.keys()].at(-1)
    return latest === undefined ? undefined : this.#forget(latest)
  }

  close(): void {
    this.#closed = true
    for (const connection of [...this.#idle.keys()]) this.#forget(connection)?.quit()
  }

  #forget(connection: SMTPConnection): SMTPConnection | undefined {
    const kept = this.#idle.get(connection)
    if (kept === undefined) return undefined
    clearTimeout(kept.timer)
    // It may be kept hundreds of times.
    connection.off('end', kept.onEnd)
    this.#idle.delete(connection)
    return connection
  }
}

/** One connection and how far its mail has come. */
class MailSession {
  phase: MailFault['phase'] = 'session'
  readonly #connection: SMTPConnection
  /** Rejects when the connection breaks or time is up, whatever is being waited for. */
  readonly #broken: Promise<never>
  readonly #listening = new AbortController()
  #fail: (error: Error) => void = () => undefined

  constructor(connection: SMTPConnection, signal: AbortSignal, timeout: AbortSignal) {
    this.#connection = connection
    const until = { once: true, signal: this.#listening.signal }
    this.#broken = new Promise((_, reject) => {
      this.#fail = reject
      connection.on('error', reject)
      timeout.addEventListener('abort', () => reject(timeout.reason), until)
      // Once the message is on its way, the server's answer is worth waiting for: without it nobody would know.
      const interrupt = () => {
        if (this.phase !== 'data') reject(signal.reason)
      }
      signal.addEventListener('abort', interrupt, until)
    })
    this.#broken.catch(() => undefined)
  }

  async open(credentials: { readonly user: string; readonly pass: string } | null): Promise<void> {
    await this.#wait((done) => this.#connection.connect(done))
    if (credentials !== null) await this.#wait((done) => this.#connection.login({ credentials }, done))
    this.phase = 'envelope'
  }

  async transfer(from: string, to: string, content: Buffer): Promise<void> {
    await this.#wait((done) => this.#connection.send({ from, to: [to] }, this.#watched(content), done))
  }

  /** Stops listening; the connection goes on. */
  leave(): void {
    this.#listening.abort()
    this.#connection.off('error', this.#fail)
  }

  /** The library reads the message only after the server has asked for it: from then on the server may have it. */
  #watched(content: Buffer): Readable {
    const session = this
    let sent = false
    return new Readable({
      read() {
        session.phase = 'data'
        this.push(sent ? null : content)
        sent = true
      },
    })
  }

  #wait(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
    const finished = new Promise<void>((resolve, reject) => {
      begin((error) => (error ? reject(error) : resolve()))
    })
    return Promise.race([finished, this.#broken])
  }
}

function outcomeOf(error: unknown, phase: MailFault['phase'], timeoutMs: number): SendOutcome {
  const reply = replyOf(error)
  const text = describe(error, reply, timeoutMs)
  // No server was asked: the library sees that this is no address.
  if (phase === 'envelope' && reply === null && (error as { code?: unknown }).code === 'EENVELOPE')
    return { outcome: 'failed', error: error instanceof Error ? error.message : text }
  switch (judgeMailFault({ phase, reply })) {
    case 'retry':
      return { outcome: 'retry', error: text, retryAfter: null }
    case 'failed':
      return { outcome: 'failed', error: text }
    case 'unknown':
      return { outcome: 'unknown', error: `the message was sent and no answer came: ${text}` }
  }
}

function replyOf(error: unknown): number | null {
  const { responseCode } = error as { responseCode?: unknown }
  return typeof responseCode === 'number' ? responseCode : null
}

function describe(error: unknown, reply: number | null, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `the mail server did not answer within ${timeoutMs / 1000} s`
  return reply === null ? `the mail server could not be used: ${error.message}` : error.message
}

function connectionOptions(text: string, timeoutMs: number) {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const option = (name: string) => url.searchParams.get(name)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: option('requireTLS') === 'true',
    ignoreTLS: option('ignoreTLS') === 'true',
    tls: { rejectUnauthorized: option('rejectUnauthorized') !== 'false' },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: CLOSE_TIMEOUT_MS,
  }
}

function credentialsOf(text: string): { readonly user: string; readonly pass: string } | null {
  const url = new URL(text)
  if (url.username === '') return null
  return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
}
