import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTestClock } from '@dwell/runtime/clock'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { SMTPServer } from 'smtp-server'
import { openQueues, type Queues } from '../testing/running-worker'
import { useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'

// A worker process that is killed without warning while it sends, and another that comes after it.

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js')
const LIMIT_MS = 60_000
const stores = useStores()
const parts = useWorkerParts(stores)
const scene = useStepScene(parts)
const children: ChildProcess[] = []
let queues: Queues
let server: SMTPServer
let smtpUrl: string
/** Addresses of mails the server took. */
let taken: string[]
/** At which point the server falls silent; null: it answers everything. */
let silentAt: 'address' | 'message' | null
let silent: boolean

beforeAll(async () => {
  queues = openQueues(stores.redisUrl)
  stores.closeBefore(() => queues.close())
  server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo(_address, _session, done) {
      if (silentAt === 'address') silent = true
      else done()
    },
    onData(stream, session, done) {
      stream.resume()
      stream.on('end', () => {
        taken.push(...session.envelope.rcptTo.map(({ address }) => address))
        if (silentAt === 'message') silent = true
        else done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  smtpUrl = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  stores.closeBefore(() => new Promise<void>((closed) => server.close(closed)))
})

beforeEach(() => {
  taken = []
  silentAt = null
  silent = false
})

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
})

async function worker(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
      WORKER_PORT: '0',
      DWELL_BIND_ADDRESS: '127.0.0.1',
      DWELL_TEST_CLOCK: '1',
      DWELL_SIGNING_KEY: 'a signing key for tests',
      SMTP_URL: smtpUrl,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let lines = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    lines += text
  })
  await waitFor('the worker to start', () => lines.includes('"worker.started"'), { limitMs: LIMIT_MS })
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function clock(minutesFromNow: number): Promise<void> {
  await setTestClock(parts.redis, parts.clock.advance({ minutes: minutesFromNow }))
}

test.each([
  ['after the server took the mail and before it could say so', 'message', ['m1@example.com']],
  ['after the record was written and before the message was sent', 'address', []],
] as const)(
  'killed %s: nobody gets it twice, the record shows unknown, the run goes on',
  async (_when, point, mailbox) => {
    await scene.automation([
      ['E', 'Hi'],
      ['W', 1],
    ])
    await scene.signUp('m1')
    await clock(0)
    silentAt = point
    const first = await worker()
    void queues.sweepNow().catch(() => undefined)
    await waitFor('the mail server to be asked', () => silent)
    await kill(first)

    silentAt = null
    await worker()
    // The sweep of the dead worker is run again by the new one; its step is held for half an hour.
    await queues.sweepNow()
    expect([await scene.steps(), await scene.records()]).toEqual([['E Hi pending'], ['sending']])
    await clock(31)
    await queues.sweepNow()
    expect(await scene.steps()).toEqual(['E Hi finished', 'W 1 pending'])
    expect(await scene.records()).toEqual(['unknown'])
    await clock(120)
    await queues.sweepNow()
    expect([taken, await scene.reasons()]).toEqual([mailbox, ['completed']])
  },
  LIMIT_MS,
)
