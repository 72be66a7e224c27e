import { randomUUID } from 'node:crypto'
import { claimReadySteps } from '@dwell/database/automations/step-claims'
import type { Pool } from '@dwell/database/pool'
import { useStores } from '@dwell/testing/stores'
import type { OutgoingMail } from '../targets/smtp-sender'
import type { DeliveryOutcome } from '../targets/target'
import { useWorkerParts } from '../testing/worker-parts'
import { runStep, type StepDependencies } from './run-step'
import { sweepSteps } from './sweep-steps'

const worker = useWorkerParts(useStores())
const never = new AbortController().signal
const NOW = '2026-09-01T09:00:00Z'

let mails: OutgoingMail[]
/** What the mail server does with the next mails; it takes them unless told otherwise. */
let answers: (() => DeliveryOutcome | Promise<DeliveryOutcome>)[]

beforeEach(async () => {
  mails = []
  answers = []
  await worker.pool.query('TRUNCATE automations, automation_runs, automation_steps, automation_emails, members CASCADE')
})

function deps(pool: Pool = worker.pool): StepDependencies {
  return {
    pool,
    clock: worker.clock,
    logger: worker.logger,
    metrics: worker.metrics,
    sender: {
      async send(mail) {
        mails.push(mail)
        return (await answers.shift()?.()) ?? { outcome: 'delivered' }
      },
      close: () => undefined,
    },
    mails: { key: Buffer.from('a key for tests'), publicUrl: 'https://desk.example' },
    mailFrom: 'Dwell <dwell@desk.example>',
    bringWakeForward: async () => undefined,
  }
}

/** Carries out all that is ready; answers what became of each. */
async function sweep(pool?: Pool): Promise<string[]> {
  const outcomes: string[] = []
  for (const claim of await claimReadySteps(worker.pool, await worker.clock.now()))
    outcomes.push(await runStep(deps(pool), claim, never))
  return outcomes
}

/** An automation whose actions are waits of so many hours, or e-mails with so a subject. Free members, unless said. */
async function automation(actions: readonly (number | string)[], scope = 'free'): Promise<string> {
  const id = randomUUID()
  await worker.pool.query(
    `INSERT INTO automations (id, account_id, name, description, status, trigger_tier_scope, created_at, updated_at)
     VALUES ($1, $2, $3, '', 'active', $4, $5::timestamptz, $5::timestamptz)`,
    [id, worker.account, id, scope, NOW],
  )
  for (const [position, action] of actions.entries()) {
    const email = typeof action === 'string'
    await worker.pool.query(
      `WITH action AS (
         INSERT INTO automation_actions (id, account_id, automation_id, type, position, created_at)
         VALUES (gen_random_uuid(), $1, $2, $3, $4, $5) RETURNING id)
       INSERT INTO automation_action_revisions (id, account_id, action_id, wait_hours, email_subject, email_body, email_format, created_at)
       SELECT gen_random_uuid(), $1, id, $6, $7, $8, $9, $5 FROM action`,
      [
        worker.account,
        id,
        email ? 'send_email' : 'wait',
        position,
        NOW,
        email ? null : action,
        email ? action : null,
        email ? 'Hello {{ member.first_name }}' : null,
        email ? 'markdown' : null,
      ],
    )
  }
  return id
}

/** A member who stands before the first action, ready now. Answers the step's id. */
async function enter(automationId: string, member: Record<string, unknown> = {}): Promise<string> {
  const [memberId, run, step] = [randomUUID(), randomUUID(), randomUUID()]
  const facts = { status: 'free', email: 'ann@example.com', consent: true, ...member }
  await worker.pool.query(
    `INSERT INTO members (account_id, id, name, email, status, enable_updates_and_announcements, signed_up_at, revision)
     VALUES ($1, $2, 'Ann Lee', $3, $4, $5, $6, 1)`,
    [worker.account, memberId, facts.email, facts.status, facts.consent, NOW],
  )
  await worker.pool.query(
    `INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status)
     VALUES ($1::uuid, $2, $3, $4, $1::uuid::text, $5, 'in_progress')`,
    [run, worker.account, automationId, memberId, NOW],
  )
  await worker.pool.query(
    `INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at, created_at, updated_at)
     SELECT $1, $2, $3, $4, a.id, r.id, EXISTS (SELECT FROM automation_actions b WHERE b.automation_id = $3 AND b.position = 1), $5, $5, $5
     FROM automation_actions a JOIN automation_action_revisions r ON r.action_id = a.id
     WHERE a.automation_id = $3 AND a.position = 0`,
    [step, worker.account, automationId, run, NOW],
  )
  return step
}

const statuses = () => worker.column<string>('SELECT status FROM automation_steps ORDER BY created_at, id')
const reasons = () => worker.column<string | null>('SELECT end_reason FROM automation_runs ORDER BY id')
const records = () => worker.column<string>('SELECT status FROM automation_emails')
const readyAt = () =>
  worker.column<string>(
    `SELECT to_char(ready_at, 'HH24:MI:SS') FROM automation_steps WHERE status = 'pending' AND lock_token IS NULL`,
  )
const turnOff = () => worker.pool.query(`UPDATE automations SET status = 'inactive'`)

/** The pool, with statements of this name failing so often. */
function failing(name: string, times: number): Pool {
  let left = times
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(inner, key) {
        const value: unknown = Reflect.get(inner, key, inner)
        if (typeof value !== 'function') return value
        return (...parameters: unknown[]) => {
          const [statement] = parameters as [{ name?: string } | undefined]
          if (key === 'query' && statement?.name === name && left-- > 0)
            return Promise.reject(new Error('scripted: the database hiccups'))
          const result: unknown = value.apply(inner, parameters)
          return key === 'connect' && result instanceof Promise
            ? result.then((client: object) => guarded(client))
            : result
        }
      },
    })
  return guarded(worker.pool)
}

test('a run goes along its path: each step once, the next timed from the end of the last, and ends with a reason', async () => {
  await enter(await automation([1, 'Hi']))
  expect(await sweep()).toEqual(['finished'])
  // The e-mail behind the wait is ready at once.
  expect(await sweep()).toEqual(['finished'])
  expect(await sweep()).toEqual([])
  expect(await statuses()).toEqual(['finished', 'finished'])
  expect(await reasons()).toEqual(['completed'])
  expect(await worker.column('SELECT sent_count FROM automation_action_revisions WHERE wait_hours IS NULL')).toEqual([
    1,
  ])
})

test('a mail has a way out by one click, and goes to the present address', async () => {
  const step = await enter(await automation(['Hi {{ member.first_name }}']))
  await sweep()
  expect(mails).toHaveLength(1)
  expect(mails[0]).toMatchObject({ to: 'ann@example.com', subject: 'Hi Ann', messageId: `${step}@desk.example` })
  expect(mails[0]?.headers).toEqual({
    'List-Unsubscribe': expect.stringMatching(/^<https:\/\/desk\.example\/unsubscribe\/[^>]+>$/),
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  expect(mails[0]?.html).not.toContain('/mail/open')
})

test.each<[string, Record<string, unknown>]>([
  ['member_status_changed', { status: 'paid', consent: false }],
  ['member_unsubscribed', { consent: false }],
  ['failed', { email: null }],
])('who is not to be sent a mail is not: %s', async (status, member) => {
  await enter(await automation(['Hi', 1]), member)
  expect(await sweep()).toEqual([status])
  expect(await reasons()).toEqual([status])
  expect(mails).toEqual([])
})

test('a lock holds for 30 minutes; then another has the step, and the first can change nothing', async () => {
  await enter(await automation([1, 'Hi']))
  const [first] = await claimReadySteps(worker.pool, await worker.clock.now())
  worker.clock.advance({ minutes: 30 })
  expect(await claimReadySteps(worker.pool, await worker.clock.now())).toEqual([])
  worker.clock.advance({ micros: 1 })
  const [second] = await claimReadySteps(worker.pool, await worker.clock.now())
  expect(await worker.column('SELECT attempts FROM automation_steps')).toEqual([2])
  if (first === undefined || second === undefined) throw new Error('nobody took the step')
  expect(await runStep(deps(), first, never)).toBe('lost')
  expect(await runStep(deps(), second, never)).toBe('finished')
  expect(await runStep(deps(), second, never)).toBe('lost')
  expect(await statuses()).toEqual(['finished', 'pending'])
})

test('a refusal that may pass is tried again ten minutes later, ten times in all', async () => {
  await enter(await automation(['Hi']))
  answers = Array.from({ length: 10 }, () => () => ({ outcome: 'retry', error: '451 later', retryAfter: null }))
  for (let attempt = 1; attempt < 10; attempt += 1) {
    expect(await sweep()).toEqual(['retry'])
    expect(await records()).toEqual(['deferred'])
    worker.clock.advance({ minutes: 9, seconds: 59 })
    expect(await sweep()).toEqual([])
    worker.clock.advance({ seconds: 1 })
  }
  expect(await sweep()).toEqual(['failed'])
  expect(await reasons()).toEqual(['failed'])
  expect(mails).toHaveLength(10)
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1)
})

test('a refusal for good ends the step at once', async () => {
  await enter(await automation(['Hi']))
  answers = [() => ({ outcome: 'failed', error: '550 no' })]
  expect(await sweep()).toEqual(['failed'])
  expect([await reasons(), await records()]).toEqual([['failed'], ['failed']])
})

test('an eleventh attempt, after crashes, sends nothing', async () => {
  await enter(await automation(['Hi']))
  await worker.pool.query('UPDATE automation_steps SET attempts = 10')
  expect(await sweep()).toEqual(['failed'])
  expect(mails).toEqual([])
})

test('a worker that dies while it sends: the mail is not sent again, its record shows unknown, the run goes on', async () => {
  await enter(await automation(['Hi']))
  // It never comes back from the mail server, and its lock runs out.
  answers = [() => new Promise(() => undefined)]
  const [claim] = await claimReadySteps(worker.pool, await worker.clock.now())
  if (claim === undefined) throw new Error('nobody took the step')
  void runStep(deps(), claim, never)
  while (mails.length === 0) await new Promise((resolve) => setImmediate(resolve))
  worker.clock.advance({ minutes: 31 })
  expect(await sweep()).toEqual(['finished'])
  expect(mails).toHaveLength(1)
  expect([await records(), await reasons()]).toEqual([['unknown'], ['completed']])
})

test('no answer after the message was sent: the step finishes, the record shows unknown', async () => {
  await enter(await automation(['Hi']))
  answers = [() => ({ outcome: 'unknown', error: 'no answer came' })]
  expect(await sweep()).toEqual(['finished'])
  expect([await records(), await reasons()]).toEqual([['unknown'], ['completed']])
})

test.each([
  ['finish-step', 1, 'sent', ['retry', 'finished']],
  ['mark-sent', 3, 'unknown', ['finished']],
])('a mail that was taken is not sent again when %s fails', async (name, times, record, outcomes) => {
  await enter(await automation(['Hi']))
  const pool = failing(String(name), Number(times))
  const seen = await sweep(pool)
  worker.clock.advance({ minutes: 10 })
  seen.push(...(await sweep(pool)))
  expect(seen).toEqual(outcomes)
  expect(mails).toHaveLength(1)
  expect([await records(), await reasons()]).toEqual([[record], ['completed']])
})

test('loading that fails once counts as an attempt: again after ten minutes, not only when the lock runs out', async () => {
  await enter(await automation(['Hi']))
  expect(await sweep(failing('load-step', 1))).toEqual(['retry'])
  expect(await readyAt()).toEqual(['09:10:00'])
})

test('turned off while its mail is sent: that step finishes and nothing follows', async () => {
  await enter(await automation(['Hi', 1]))
  answers = [async () => turnOff().then(() => ({ outcome: 'delivered' }) as const)]
  expect(await sweep()).toEqual(['finished'])
  expect([await statuses(), await reasons()]).toEqual([['finished'], ['turned_off']])
})

test('turned off while its mail is refused: no further attempt', async () => {
  await enter(await automation(['Hi', 1]))
  answers = [async () => turnOff().then(() => ({ outcome: 'retry', error: '451', retryAfter: null }) as const)]
  expect(await sweep()).toEqual(['automation_disabled'])
  expect(await reasons()).toEqual(['automation_disabled'])
})

test('the action of a waiting step that was removed is carried out, and the run says that its path was cut', async () => {
  await enter(await automation(['Hi', 1]))
  await worker.pool.query('UPDATE automation_actions SET position = NULL, deleted_at = $1 WHERE position = 0', [NOW])
  expect(await sweep()).toEqual(['finished'])
  expect(mails).toHaveLength(1)
  expect(await reasons()).toEqual(['path_cut'])
})

test('one sweep claims 250 ready steps, each once', async () => {
  const id = await automation([1])
  for (let member = 0; member < 250; member += 1) await enter(id)
  const batches: number[] = []
  const claims = await sweepSteps({
    pool: worker.pool,
    clock: worker.clock,
    logger: worker.logger,
    enqueueSteps: async (steps) => void batches.push(steps.length),
    waitingSteps: async () => 0,
    stepHasEnded: async () => true,
  })
  expect(batches).toEqual([100, 100, 50])
  expect(new Set(claims.map((claim) => claim.id)).size).toBe(250)
})

test('steps that the queue refuses wait again, and the attempt does not count', async () => {
  await enter(await automation([1]))
  const enqueueSteps = () => Promise.reject(new Error('scripted: Redis is away'))
  const base = { pool: worker.pool, clock: worker.clock, logger: worker.logger }
  const stepHasEnded = async () => true
  expect(await sweepSteps({ ...base, enqueueSteps, waitingSteps: async () => 0, stepHasEnded })).toEqual([])
  expect(await worker.column('SELECT attempts FROM automation_steps WHERE lock_token IS NULL')).toEqual([0])
})
