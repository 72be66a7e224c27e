import { Readable } from 'node:stream'
import { judgeMailFault, type MailFault } from '@dwell/domain/rules/delivery-retry'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { DeliveryOutcome } from './target'

export interface OutgoingMail {
  /** Without angle brackets, `local@domain`; the same whenever the mail is sent. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface MailSender {
  /**
   * One attempt to hand a mail to the server. Throws only the signal's reason, and only before the message was on its way.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<DeliveryOutcome>
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

/** A mail server that a connection of its own is opened to for each mail: nothing one mail meets touches another. */
export function createSmtpSender({ url, from, timeoutMs }: SmtpSenderOptions): MailSender {
  const server = connectionOptions(url, timeoutMs)
  const credentials = credentialsOf(url)
  return {
    async send(mail, signal) {
      signal.throwIfAborted()
      const message = new MailComposer({
        from,
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        messageId: `<${mail.messageId}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(mail.html === undefined ? {} : { html: mail.html }),
      }).compile()
      const { from: sender } = message.getEnvelope()
      const content = await message.build()
      const session = new MailSession(new SMTPConnection(server), signal, AbortSignal.timeout(timeoutMs))
      try {
        await session.open(credentials)
        await session.transfer(sender === false ? '' : sender, mail.to, content)
        return { outcome: 'delivered' }
      } catch (error) {
        if (session.phase !== 'data') signal.throwIfAborted()
        return outcomeOf(error, session.phase, timeoutMs)
      } finally {
        session.close()
      }
    },
  }
}

/** One connection and how far its mail has come. */
class MailSession {
  phase: MailFault['phase'] = 'session'
  readonly #connection: SMTPConnection
  /** Rejects when the connection breaks or time is up, whatever is being waited for. */
  readonly #broken: Promise<never>
  readonly #listening = new AbortController()

  constructor(connection: SMTPConnection, signal: AbortSignal, timeout: AbortSignal) {
    this.#connection = connection
    const until = { once: true, signal: this.#listening.signal }
    this.#broken = new Promise((_, reject) => {
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

  close(): void {
    this.#listening.abort()
    this.#connection.close()
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

function outcomeOf(error: unknown, phase: MailFault['phase'], timeoutMs: number): DeliveryOutcome {
  const { responseCode } = error as { responseCode?: unknown }
  const reply = typeof responseCode === 'number' ? responseCode : null
  const text = describe(error, reply, timeoutMs)
  switch (judgeMailFault({ phase, reply })) {
    case 'retry':
      return { outcome: 'retry', error: text, retryAfter: null }
    case 'failed':
      return { outcome: 'failed', error: text }
    case 'unknown':
      return { outcome: 'unknown', error: `the message was sent and no answer came: ${text}` }
  }
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
  }
}

function credentialsOf(text: string): { readonly user: string; readonly pass: string } | null {
  const url = new URL(text)
  if (url.username === '') return null
  return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
}
