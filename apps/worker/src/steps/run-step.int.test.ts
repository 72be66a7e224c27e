import { claimReadySteps } from '@dwell/database/automations/step-claims'
import type { SendOutcome } from '@dwell/mail/smtp-sender'
import { instant } from '@dwell/testing/fixed-clock'
import { useStores } from '@dwell/testing/stores'
import { type PathEntry, useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'
import { runStep } from './run-step'
import { sweepSteps } from './sweep-steps'

// automations.md sections 4 and 6: one step from its claim to its end, and what goes wrong on the way.

const worker = useWorkerParts(useStores())
const scene = useStepScene(worker)
const never = new AbortController().signal
const MAIL: readonly PathEntry[] = [['E', 'Hi {{ member.first_name }}']]
const LATER: SendOutcome = { outcome: 'retry', error: '451 later', retryAfter: null }

const attempts = () => worker.column<number>('SELECT attempts FROM automation_steps')
const sentCount = () => worker.column<number>('SELECT sum(sent_count)::int FROM automation_action_revisions')

async function claimOne() {
  const [claim] = await claimReadySteps(worker.pool, await worker.clock.now())
  if (claim === undefined) throw new Error('nobody took the step')
  return claim
}

describe('a run', () => {
  test('goes along its path: each step once, the next timed from the end of the last, and ends with a reason', async () => {
    await scene.automation([
      ['W1', 24],
      ['E1', 'One'],
      ['W2', 1],
      ['E2', 'Two'],
    ])
    await scene.signUp('m1')
    // A day and 17 minutes: nothing was swept meanwhile.
    worker.clock.set('2026-09-02T09:17:00Z')
    expect(await scene.sweepAll()).toEqual(['finished', 'finished'])
    expect(await scene.ready()).toEqual(['2026-09-02T10:17:00'])
    expect(await scene.reasons()).toEqual([null])
    worker.clock.set('2026-09-02T10:17:00Z')
    expect(await scene.sweepAll()).toEqual(['finished', 'finished'])
    expect(await scene.steps()).toEqual(['W1 24 finished', 'E1 One finished', 'W2 1 finished', 'E2 Two finished'])
    expect([await scene.reasons(), await scene.records()]).toEqual([['completed'], ['sent', 'sent']])
    expect(await worker.column('SELECT ended_at::text FROM automation_runs')).toEqual(['2026-09-02 10:17:00+00'])
  })

  test('that ends with a wait is completed by it', async () => {
    await scene.automation([['W', 24]])
    await scene.signUp('m1')
    worker.clock.set('2026-09-02T09:00:00Z')
    expect(await scene.sweepAll()).toEqual(['finished'])
    expect([await scene.steps(), await scene.reasons()]).toEqual([['W 24 finished'], ['completed']])
  })

  test('waits elapsed hours over a change of the clocks', async () => {
    await worker.pool.query(`UPDATE accounts SET settings = '{"timezone": "Europe/Berlin"}' WHERE id = $1`, [
      worker.account,
    ])
    worker.clock.set('2026-10-24T12:00:00Z')
    await scene.automation([['W', 24]])
    await scene.signUp('m1')
    expect(await scene.ready()).toEqual(['2026-10-25T12:00:00'])
  })

  test('asks for a wake at the next step, at once for an e-mail', async () => {
    await scene.automation([
      ['W1', 1],
      ['E', 'Hi'],
      ['W2', 3],
    ])
    await scene.signUp('m1')
    worker.clock.set('2026-09-01T10:00:00Z')
    await scene.sweepAll()
    expect(scene.wakes).toEqual([instant('2026-09-01T10:00:00Z'), instant('2026-09-01T13:00:00Z')])
  })
})

describe('a mail', () => {
  test('has a way out by one click and a Message-ID of its step', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    await scene.sweep()
    const [step] = await worker.column<string>('SELECT id FROM automation_steps')
    expect(scene.mails).toMatchObject([
      {
        to: 'm1@example.com',
        subject: 'Hi Ann',
        messageId: `${step}@desk.example`,
        headers: {
          'List-Unsubscribe': expect.stringMatching(/^<https:\/\/desk\.example\/unsubscribe\/[^>]+>$/),
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      },
    ])
    expect(scene.mails[0]?.html).not.toContain('/mail/open')
    expect(await sentCount()).toEqual([1])
  })

  test('has its record before the mail server is asked', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    let seen: unknown
    scene.answers = [
      async () => {
        seen = await worker.column(`SELECT status || ' ' || recipient_email FROM automation_emails`)
        return { outcome: 'delivered' }
      },
    ]
    await scene.sweep()
    expect(seen).toEqual(['sending m1@example.com'])
  })

  test('that cannot be sent keeps no other from being sent', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    worker.clock.advance({ seconds: 1 })
    await scene.signUp('m2')
    scene.answers = [() => Promise.reject(new Error('scripted: this one only'))]
    expect(await scene.sweep()).toEqual(['retry', 'finished'])
    expect(scene.mails.map(({ to }) => to)).toEqual(['m1@example.com', 'm2@example.com'])
  })

  test('is counted by what came of it', async () => {
    const counts = async () => [
      await worker.counted('dwell_automation_emails_total', { outcome: 'deferred' }),
      await worker.counted('dwell_automation_emails_total', { outcome: 'sent' }),
      await worker.counted('dwell_steps_total', { outcome: 'finished' }),
    ]
    const [deferred = 0, sent = 0, finished = 0] = await counts()
    await scene.automation(MAIL)
    await scene.signUp('m1')
    scene.answers = [() => LATER]
    await scene.sweep()
    worker.clock.advance({ minutes: 10 })
    await scene.sweep()
    expect(await counts()).toEqual([deferred + 1, sent + 1, finished + 1])
  })
})

describe('a refusal', () => {
  test('that may pass: again ten minutes later, ten times in all, always the same mail', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    scene.answers = Array.from({ length: 10 }, () => () => LATER)
    for (let attempt = 1; attempt < 10; attempt += 1) {
      expect(await scene.sweep()).toEqual(['retry'])
      expect([await scene.records(), await attempts()]).toEqual([['deferred'], [attempt]])
      expect(scene.wakes.at(-1)).toBe((await worker.clock.now()) + 600_000_000)
      worker.clock.advance({ minutes: 9, seconds: 59 })
      expect(await scene.sweep()).toEqual([])
      worker.clock.advance({ seconds: 1 })
    }
    expect(await scene.sweep()).toEqual(['failed'])
    worker.clock.advance({ minutes: 600 })
    expect(await scene.sweep()).toEqual([])
    expect([await scene.reasons(), await scene.records(), await sentCount()]).toEqual([['failed'], ['failed'], [0]])
    expect(scene.mails).toHaveLength(10)
    expect(new Set(scene.mails.map(({ messageId }) => messageId)).size).toBe(1)
  })

  test('for good: the step fails at once', async () => {
    await scene.automation([...MAIL, ['W', 1]])
    await scene.signUp('m1')
    scene.answers = [() => ({ outcome: 'failed', error: '550 no such mailbox' })]
    expect(await scene.sweep()).toEqual(['failed'])
    expect([await scene.reasons(), await scene.records()]).toEqual([['failed'], ['failed']])
    expect(await worker.column('SELECT error FROM automation_steps')).toEqual(['550 no such mailbox'])
  })

  test('by our own templates: what cannot be rendered fails at once, and no server is asked', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    await worker.pool.query(`UPDATE automation_action_revisions SET email_body = '{% if %}'`)
    expect(await scene.sweep()).toEqual(['failed'])
    expect([scene.mails, await scene.reasons()]).toEqual([[], ['failed']])
  })
})

describe('after crashes', () => {
  test('an eleventh attempt sends nothing', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    await worker.pool.query('UPDATE automation_steps SET attempts = 10')
    expect(await scene.sweep()).toEqual(['failed'])
    expect([scene.mails, await scene.reasons()]).toEqual([[], ['failed']])
  })

  /** A worker begins, gets as far as the mail server and is never heard of again. */
  async function dieWhileSending(): Promise<void> {
    scene.answers = [() => new Promise(() => undefined)]
    void runStep(scene.deps(), await claimOne(), never)
    while (scene.mails.length === 0) await new Promise((resolve) => setImmediate(resolve))
    worker.clock.advance({ minutes: 31 })
  }

  test('while a mail was sent: it is not sent again, its record shows unknown, and the run goes on', async () => {
    await scene.automation([...MAIL, ['W', 1]])
    await scene.signUp('m1')
    await dieWhileSending()
    expect(await scene.sweep()).toEqual(['finished'])
    expect(scene.mails).toHaveLength(1)
    expect([await scene.records(), await scene.reasons()]).toEqual([['unknown'], [null]])
    expect(await scene.steps()).toEqual(['E Hi {{ member.first_name }} finished', 'W 1 pending'])
  })

  test.each<[string, (id: string) => Promise<unknown>, string]>([
    ['the automation was turned off', (id) => scene.turnOff(id), 'automation_disabled'],
    ['the member was deleted', () => scene.tell('member_deleted', 'm1'), 'member_unsubscribed'],
    ['the member pays by now', () => scene.tell('member_updated', 'm1', { status: 'paid' }), 'member_status_changed'],
    ['it was the tenth attempt', () => worker.pool.query('UPDATE automation_steps SET attempts = 10'), 'failed'],
  ])('while a mail was sent, and %s: the record does not stay open', async (_what, meanwhile, reason) => {
    const id = await scene.automation(MAIL)
    await scene.signUp('m1')
    await dieWhileSending()
    await meanwhile(id)
    expect(await scene.sweep()).toEqual([reason])
    expect([scene.mails.length, await scene.records(), await scene.reasons()]).toEqual([1, ['unknown'], [reason]])
  })

  test('and the worker that was thought dead comes back: the mail it had sent is known as sent, nothing is doubled', async () => {
    await scene.automation([...MAIL, ['W', 1]])
    await scene.signUp('m1')
    let answer: (outcome: SendOutcome) => void = () => undefined
    scene.answers = [() => new Promise((resolve) => (answer = resolve))]
    const slow = runStep(scene.deps(), await claimOne(), never)
    while (scene.mails.length === 0) await new Promise((resolve) => setImmediate(resolve))
    worker.clock.advance({ minutes: 31 })
    expect(await scene.sweep()).toEqual(['finished'])
    answer({ outcome: 'delivered' })
    expect(await slow).toBe('lost')
    expect([await scene.records(), scene.mails.length]).toEqual([['sent'], 1])
    expect(await scene.steps()).toHaveLength(2)
    expect(await sentCount()).toEqual([1])
  })

  test('no answer after the message was on its way: the step finishes, the record shows unknown', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    scene.answers = [() => ({ outcome: 'unknown', error: 'no answer came' })]
    expect(await scene.sweep()).toEqual(['finished'])
    worker.clock.advance({ minutes: 90 })
    expect(await scene.sweep()).toEqual([])
    expect([await scene.records(), await scene.reasons()]).toEqual([['unknown'], ['completed']])
  })

  test('a worker that is told to end before anything was sent gives the step back; the attempt does not count', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    const ending = new AbortController()
    scene.answers = [
      (_mail, signal) => {
        ending.abort(new Error('the process is ending'))
        signal.throwIfAborted()
        return { outcome: 'delivered' }
      },
    ]
    expect(await runStep(scene.deps(), await claimOne(), ending.signal)).toBe('released')
    expect([await attempts(), await scene.records()]).toEqual([[0], ['deferred']])
    expect(scene.wakes).toEqual([await worker.clock.now()])
    expect(await scene.sweep()).toEqual(['finished'])
    expect([scene.mails.length, await scene.records()]).toEqual([2, ['sent']])
  })
})

describe('the database fails', () => {
  test.each<[string, number, 'before' | 'after', string, readonly string[]]>([
    ['finish-step', 1, 'before', 'sent', ['retry', 'finished']],
    ['finish-step', 1, 'after', 'sent', ['retry', 'finished']],
    ['mark-sent', 1, 'before', 'sent', ['finished']],
    ['mark-sent', 1, 'after', 'sent', ['finished']],
    ['mark-sent', Number.POSITIVE_INFINITY, 'before', 'unknown', ['finished']],
  ])(
    'after the mail was taken, at %s (%s times, %s it is in effect): it is not sent again',
    async (name, times, when, record, outcomes) => {
      await scene.automation(MAIL)
      await scene.signUp('m1')
      const pool = scene.failing(name, times, when)
      const seen = await scene.sweep(pool)
      worker.clock.advance({ minutes: 10 })
      seen.push(...(await scene.sweep(pool)))
      expect(seen).toEqual(outcomes)
      expect(scene.mails).toHaveLength(1)
      expect([await scene.records(), await scene.reasons()]).toEqual([[record], ['completed']])
      expect(await sentCount()).toEqual([record === 'sent' ? 1 : 0])
    },
  )

  test.each<[string, 'before' | 'after']>([
    ['take-over-step', 'before'],
    ['take-over-step', 'after'],
    ['load-step', 'before'],
    ['begin-send', 'before'],
    ['begin-send', 'after'],
  ])(
    'at %s (%s it is in effect): a failed attempt like any other, and the mail goes out ten minutes later',
    async (name, when) => {
      await scene.automation(MAIL)
      await scene.signUp('m1')
      expect(await scene.sweep(scene.failing(name, 1, when))).toEqual(['retry'])
      expect(await scene.ready()).toEqual(['2026-09-01T09:10:00'])
      expect(scene.mails).toEqual([])
      worker.clock.advance({ minutes: 10 })
      expect(await scene.sweep()).toEqual(['finished'])
      expect([scene.mails.length, await scene.records(), await scene.reasons()]).toEqual([1, ['sent'], ['completed']])
    },
  )

  test('when a failure is to be written: it is written a moment later', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    scene.answers = [() => LATER]
    expect(await scene.sweep(scene.failing('retry-step', 2))).toEqual(['retry'])
    expect([await scene.ready(), await scene.records()]).toEqual([['2026-09-01T09:10:00'], ['deferred']])
  })

  test('for longer than anybody waits: the job fails and the lock ends after half an hour', async () => {
    await scene.automation(MAIL)
    await scene.signUp('m1')
    const away = scene.failing('step-attempts', Number.POSITIVE_INFINITY)
    scene.answers = [() => LATER]
    await expect(scene.sweep(away)).rejects.toThrow('scripted: the database hiccups')
    worker.clock.advance({ minutes: 31 })
    // Whether the first mail went out is known to nobody.
    expect(await scene.sweep()).toEqual(['finished'])
    expect([scene.mails.length, await scene.records()]).toEqual([1, ['unknown']])
  })
})

test('steps that the queue refuses wait again, and no attempt is counted', async () => {
  await scene.automation([['W', 1]])
  await scene.signUp('m1')
  worker.clock.advance({ minutes: 60 })
  const base = { pool: worker.pool, clock: worker.clock, logger: worker.logger, stepHasEnded: async () => true }
  const enqueueSteps = () => Promise.reject(new Error('scripted: Redis is away'))
  expect(await sweepSteps({ ...base, enqueueSteps, waitingSteps: async () => 0 })).toEqual([])
  expect(await worker.column('SELECT attempts FROM automation_steps WHERE lock_token IS NULL')).toEqual([0])
  expect(await scene.sweep()).toEqual(['finished'])
})
