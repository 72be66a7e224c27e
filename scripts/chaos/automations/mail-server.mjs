// A mail server on a bad day: it refuses for now, refuses for good, hangs up at every point, and takes its time.
// It remembers what it took: that, and no record of the product, is what members have in their mailboxes.
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** Of a thousand mails. `took it, then hung up` and `hung up, took nothing` look the same to the sender. */
const MISHAPS = {
  'refused the address for now': 30,
  'hung up at the address': 15,
  'refused the address for good': 2,
  'refused the message for now': 30,
  'hung up, took nothing': 5,
  'took it, then hung up': 15,
}
const SLOWEST_MS = 150
const SHARE_OF_SLOW = 0.1

/** @param {ReturnType<typeof import('../random.mjs').createRandom>} random */
export async function startBadMailServer(random) {
  /** @type {{to: string, subject: string, messageId: string, at: number}[]} */
  const taken = []
  /** Mails that nobody will get, by recipient: refused for good, or lost where the sender cannot know. */
  const lost = []
  /** The latest way out that a mail to this address names. */
  const waysOut = new Map()
  const counts = Object.fromEntries(Object.keys(MISHAPS).map((kind) => [kind, 0]))
  const sockets = new Map()
  /** Decided when the address is named, for that mail. */
  const mishaps = new WeakMap()

  function draw() {
    let number = random.below(1_000)
    for (const [kind, share] of Object.entries(MISHAPS)) {
      if (number < share) return kind
      number -= share
    }
    return null
  }

  const hangUp = (session) => sockets.get(session.remotePort)?.destroy()

  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, session, done) {
      const mishap = draw()
      if (mishap !== null) counts[mishap] += 1
      mishaps.set(session, mishap)
      if (mishap === 'refused the address for now') return done(reply(451))
      if (mishap === 'hung up at the address') return hangUp(session)
      if (mishap !== 'refused the address for good') return done()
      lost.push({ to: address, forGood: true })
      done(reply(550))
    },
    onData(stream, session, done) {
      const chunks = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', () => void receive(Buffer.concat(chunks).toString('utf8'), session, done))
    },
  })

  async function receive(text, session, done) {
    if (random.fraction() < SHARE_OF_SLOW) await pause(random.below(SLOWEST_MS))
    const mishap = mishaps.get(session)
    const [{ address: to }] = session.envelope.rcptTo
    if (mishap === 'refused the message for now') return done(reply(451))
    if (mishap === 'hung up, took nothing') {
      lost.push({ to, forGood: false })
      return hangUp(session)
    }
    waysOut.set(to, /^<(.+)>$/.exec(header(text, 'List-Unsubscribe'))?.[1])
    taken.push({ to, subject: header(text, 'Subject'), messageId: header(text, 'Message-ID'), at: Date.now() })
    if (mishap === 'took it, then hung up') return hangUp(session)
    done()
  }

  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    const { remotePort } = socket
    sockets.set(remotePort, socket)
    socket.once('close', () => sockets.delete(remotePort))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.server.address()
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    taken,
    lost,
    waysOut,
    counts,
    async close() {
      for (const socket of sockets.values()) socket.destroy()
      await new Promise((resolve) => server.close(() => resolve(undefined)))
    },
  }
}

function reply(responseCode) {
  return Object.assign(new Error('not today'), { responseCode })
}

function header(text, name) {
  // Long ones are folded.
  const found = new RegExp(`^${name}:((?:.*\\r?\\n[ \\t])*.*)$`, 'im').exec(text)?.[1] ?? ''
  return found.replace(/\r?\n[ \t]+/g, ' ').trim()
}
