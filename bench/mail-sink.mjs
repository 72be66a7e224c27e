// A mail server that takes everything and remembers when.
import { SMTPServer } from 'smtp-server'

export async function startMailSink() {
  /** @type {{to: string, acceptedMs: number}[]} */
  const mails = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      stream.on('data', () => {})
      stream.on('end', () => {
        const acceptedMs = Date.now()
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, acceptedMs })
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve(undefined))),
  }
}
