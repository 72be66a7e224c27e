import type { AddressInfo, Socket } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { ScriptedAnswers } from './scripted-answers'

export interface MailScript {
  readonly reply?: number
  readonly to?: string
  readonly stage?: 'rcpt' | 'data'
  readonly drop?: 'before' | 'after'
  readonly times?: number
}

export interface CaughtMail {
  readonly to: string | readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** A mail server that keeps what it accepts, and answers as it was told to. */
export class MailCatcher {
  readonly script = new ScriptedAnswers<MailScript>()
  private mails: CaughtMail[] = []
  private readonly sockets = new Map<number, Socket>()
  private readonly server: SMTPServer

  constructor() {
    this.server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, callback) => {
        const answer = this.script.next((a) => (a.stage ?? 'rcpt') === 'rcpt' && isFor(a, [address]))
        callback(refusal(answer))
      },
      onData: (stream, session, callback) => {
        void this.take(stream, session).then((error) => callback(error), callback)
      },
    })
    // A connection that we cut, or that the product cuts, is part of a case and no fault of the server.
    this.server.on('error', () => {})
    this.server.server.on('connection', (socket) => {
      const { remotePort } = socket
      if (remotePort === undefined) return
      this.sockets.set(remotePort, socket)
      socket.once('close', () => this.sockets.delete(remotePort))
    })
  }

  get caught(): readonly CaughtMail[] {
    return this.mails
  }

  forget(): void {
    this.mails = []
    this.script.clear()
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve))
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.values()) socket.destroy()
    await new Promise<void>((resolve) => this.server.close(resolve))
  }

  private async take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | null> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const recipients = session.envelope.rcptTo.map(({ address }) => address)
    const answer = this.script.next((a) => a.stage === 'data' && isFor(a, recipients))
    const refused = refusal(answer)
    if (!refused && answer?.drop !== 'before') this.mails.push(await readMail(Buffer.concat(chunks), recipients))
    if (answer?.drop) this.sockets.get(session.remotePort)?.destroy()
    return refused
  }
}

function isFor({ to }: MailScript, recipients: readonly string[]): boolean {
  return to === undefined || recipients.some((address) => address.toLowerCase() === to.toLowerCase())
}

function refusal(answer: MailScript | undefined): Error | null {
  if (answer?.reply === undefined || answer.reply < 400) return null
  return Object.assign(new Error('as the case wants it'), { responseCode: answer.reply })
}

async function readMail(raw: Buffer, recipients: readonly string[]): Promise<CaughtMail> {
  const email = await PostalMime.parse(raw)
  const [only, ...others] = recipients
  return {
    to: only !== undefined && others.length === 0 ? only : recipients,
    subject: email.subject ?? '',
    text: (email.text ?? '').trim(),
    html: (email.html ?? '').trim(),
    headers: Object.fromEntries(email.headers.map(({ key, value }) => [key.toLowerCase(), value])),
  }
}
