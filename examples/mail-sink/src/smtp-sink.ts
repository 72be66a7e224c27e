import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Behaviour, BehaviourRule } from './behaviour'
import type { Mailbox } from './mailbox'

export interface SmtpSink {
  readonly port: number
  close(): Promise<void>
}

const MAX_MESSAGE_BYTES = 25 * 1_048_576

/** A mail server that delivers nothing: whatever is not refused goes to the mailbox. Signing in is taken, not asked for. */
export async function startSmtpSink(
  mailbox: Mailbox,
  behaviour: Behaviour,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<SmtpSink> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: MAX_MESSAGE_BYTES,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? 'anybody' }),
    onRcptTo: ({ address }, session, done) => {
      act(behaviour.next('rcpt', [address]), session).then(done, done)
    },
    onData: (stream, session, done) => {
      take(stream, session).then(done, done)
    },
  })

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | null> {
    const raw = await bytesOf(stream)
    if (stream.sizeExceeded) return refusal(552)
    const { mailFrom, rcptTo } = session.envelope
    const to = rcptTo.map(({ address }) => address)
    const rule = behaviour.next('data', to)
    const keep = () => mailbox.add({ from: mailFrom ? mailFrom.address : '', to }, raw, new Date())
    if (rule?.drop === 'after') await keep()
    const refused = await act(rule, session)
    if (refused === null && rule?.drop === undefined) await keep()
    return refused
  }

  /** Null: it goes on as if nothing were. */
  async function act(rule: BehaviourRule | null, session: SMTPServerSession): Promise<Error | null> {
    if (rule?.delay_ms !== undefined) await pause(rule.delay_ms, undefined, { ref: false })
    if (rule?.drop !== undefined) cut(session)
    return rule?.reply === undefined ? null : refusal(rule.reply)
  }

  function cut({ id }: SMTPServerSession): void {
    for (const connection of server.connections) if (connection.id === id) connection._socket.destroy()
  }

  server.on('error', () => undefined)
  await new Promise<void>((ready, failed) => {
    server.server.once('error', failed)
    server.listen(port, host, ready)
  })
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

async function bytesOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function refusal(responseCode: number): Error {
  return Object.assign(new Error(responseCode < 500 ? 'Not now, try again' : 'Refused'), { responseCode })
}
