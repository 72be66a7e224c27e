import type { AddressInfo } from 'node:net'
import { formatInstant, MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import { RuleBooks } from '@dwell/database/rule-books'
import { nextTick } from '@dwell/queues/schedule'
import { Wake } from '@dwell/queues/wake'
import { systemClock } from '@dwell/runtime/clock'
import { memberEvent, parsed } from '@dwell/testing/event-builder'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { SMTPServer } from 'smtp-server'
import { openQueues, type Queues, type RunningWorker, startWorker } from '../testing/running-worker'
import { type PathEntry, useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'

// Steps as in production: a whole worker, the machine's clock, the wake, a real mail server.

const stores = useStores()
const parts = useWorkerParts(stores)
const scene = useStepScene(parts)
const running: RunningWorker[] = []
const HOUR_MS = 3_600_000
const LIMIT_MS = 30_000
const WELCOME: readonly PathEntry[] = [
  ['W', 1],
  ['E', 'Hi {{ member.first_name }}'],
]
let queues: Queues
let mailServer: SMTPServer
let smtpUrl: string
let mails: { readonly to: string; readonly atMs: number }[]

beforeAll(async () => {
  queues = openQueues(stores.redisUrl)
  stores.closeBefore(() => queues.close())
  mailServer = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      stream.resume()
      stream.on('end', () => {
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, atMs: Date.now() })
        done()
      })
    },
  })
  mailServer.on('error', () => undefined)
  await new Promise<void>((ready) => mailServer.listen(0, '127.0.0.1', ready))
  smtpUrl = `smtp://127.0.0.1:${(mailServer.server.address() as AddressInfo).port}`
  stores.closeBefore(() => new Promise<void>((closed) => mailServer.close(closed)))
})

/** A tick of the real schedule in the middle of a test would be one more sweep than the test asked for. */
beforeEach(async () => {
  mails = []
  parts.clock.set(await systemClock.now())
  const isFar = async () => {
    const now = await systemClock.now()
    return nextTick(now) - now > 30 * MICROS_PER_SECOND
  }
  await waitFor('the next tick to be far', isFar, { limitMs: 40_000 })
}, 45_000)

afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

async function worker(): Promise<RunningWorker> {
  const started = await startWorker(stores, {
    DWELL_TEST_CLOCK: '0',
    SMTP_URL: smtpUrl,
    DWELL_SIGNING_KEY: 'a signing key for tests',
  })
  running.push(started)
  await waitFor('the sweep of the boot', async () => (await sweeps('boot')).length > 0)
  // Its row is written before its job ends.
  await waitFor('its job to end', async () => (await queues.sweep.getActiveCount()) === 0)
  return started
}

/** Steps that sweeps of this kind sent off, oldest first. */
const sweeps = (trigger: string) =>
  parts.column<number>('SELECT steps FROM sweeps WHERE trigger = $1 ORDER BY id', [trigger])

/** Members whose first wait of an hour ends in so many ms, taken as ingest takes them. */
async function enter(...waits: readonly (readonly [member: string, ms: number])[]): Promise<void> {
  const now = await systemClock.now()
  const events = waits.map(([id, ms]) => {
    const at = formatInstant((now + (ms - HOUR_MS) * MICROS_PER_MILLISECOND) as Micros)
    const member = { id, name: 'Ann Lee', email: `${id}@example.com`, enable_updates_and_announcements: true }
    return parsed({ ...memberEvent('member_signed_up', { at, member }), account_id: parts.account })
  })
  const { earliestDue } = await takeBatch(parts.pool, new RuleBooks(), events, now)
  if (earliestDue !== null) await new Wake(queues.sweep, parts.redis).bringForward(earliestDue, await systemClock.now())
}

const pending = async () =>
  (await parts.column<number>(`SELECT count(*)::int FROM automation_steps WHERE status = 'pending'`))[0] ?? 0
const lateness = () =>
  parts.column<number>(
    `SELECT (extract(epoch FROM finished_at - ready_at) * 1000)::float8 FROM automation_steps WHERE status = 'finished'`,
  )

test(
  'steps are carried out within a second of their time, never before, and nobody asks in between',
  async () => {
    await scene.automation(WELCOME)
    await worker()
    const soon = Date.now()
    await enter(['m1', 1_000], ['m2', 2_200], ['m3', 3_400])
    await waitFor('three mails', () => mails.length === 3)
    const late = await lateness()
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    const byMember = [...mails]
      .sort((a, b) => (a.to < b.to ? -1 : 1))
      .map(({ atMs }, n) => atMs - soon - 1_000 - n * 1_200)
    // Of three the middle one: a machine that is busy with other things may hold one up.
    expect(byMember.sort((a, b) => a - b)[1]).toBeLessThan(1_000)
    expect(await sweeps('schedule')).toEqual([])
    // One for each wait and one for each mail behind it.
    expect((await sweeps('wake')).every((steps) => steps > 0)).toBe(true)
    expect((await sweeps('wake')).length).toBeLessThanOrEqual(6)
  },
  LIMIT_MS,
)

test(
  '250 steps that are ready at the same instant need one wake',
  async () => {
    await scene.automation([['W', 1]])
    await worker()
    await enter(...Array.from({ length: 250 }, (_, n) => [`m${n}`, 2_500] as const))
    await waitFor('all of them', async () => (await pending()) === 0)
    expect(await sweeps('wake')).toEqual([250])
    expect(await parts.column('SELECT DISTINCT end_reason FROM automation_runs')).toEqual(['completed'])
  },
  LIMIT_MS,
)

test(
  'a step whose worker vanished is carried out when its lock ends, though nothing else happens',
  async () => {
    await scene.automation([['W', 1]])
    await enter(['m1', -1_000])
    await parts.redis.flushdb()
    const locked = (await systemClock.now()) - 1_800 * MICROS_PER_SECOND + 2_500 * MICROS_PER_MILLISECOND
    await parts.pool.query(
      `UPDATE automation_steps SET lock_token = gen_random_uuid(), locked_at = dwell_instant($1), attempts = 1`,
      [locked],
    )
    await worker()
    await waitFor('the step', async () => (await pending()) === 0)
    const [afterLock] = await parts.column<number>(
      `SELECT (extract(epoch FROM finished_at - dwell_instant($1)) * 1000)::float8 FROM automation_steps`,
      [locked + 1_800 * MICROS_PER_SECOND],
    )
    expect(afterLock).toBeGreaterThan(0)
    expect(afterLock).toBeLessThan(1_500)
    expect(await parts.column('SELECT attempts FROM automation_steps')).toEqual([2])
    expect([await sweeps('boot'), await sweeps('wake'), await sweeps('schedule')]).toEqual([[0], [1], []])
  },
  LIMIT_MS,
)

test('while steps wait nobody asks for them: one job stands for all of them, at the time of the first', async () => {
  await scene.automation([['W', 1]])
  await worker()
  const before = Date.now()
  await enter(...Array.from({ length: 50 }, (_, n) => [`m${n}`, 20_000 - n * 10] as const))
  const wakes = (await queues.sweep.getDelayed()).filter((job) => job.name === 'wake')
  expect(wakes).toHaveLength(1)
  expect((wakes[0]?.timestamp ?? 0) + (wakes[0]?.delay ?? 0) - before).toBeGreaterThan(19_000)
  expect(await queues.sweep.getJobCountByTypes('waiting', 'prioritized', 'active')).toBe(0)
  expect(await sweeps('wake')).toEqual([])
})
