import type { MemberSnapshot } from '@dwell/contracts/member-events'
import { useStores } from '@dwell/testing/stores'
import { type PathEntry, useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'

// automations.md section 4: judge. What members do between their entry and the step that is carried out.

const worker = useWorkerParts(useStores())
const scene = useStepScene(worker)

const WAIT: readonly PathEntry[] = [
  ['W', 1],
  ['E', 'Hi'],
]
const MAIL: readonly PathEntry[] = [['E', 'Hi']]

interface Case {
  readonly name: string
  readonly scope?: 'free' | 'all_paid' | 'selected_paid'
  readonly path?: readonly PathEntry[]
  readonly meanwhile: () => Promise<unknown>
  readonly outcome: string
}

const updated = (facts: Partial<MemberSnapshot>) => () => scene.tell('member_updated', 'm1', facts)

const CASES: Case[] = [
  { name: 'nothing changed: the wait matures', meanwhile: async () => undefined, outcome: 'finished' },
  {
    name: 'deleted while a wait runs: no error, no further attempt',
    meanwhile: () => scene.tell('member_deleted', 'm1'),
    outcome: 'member_unsubscribed',
  },
  {
    name: 'unknown: as if they had unsubscribed',
    meanwhile: () => worker.pool.query('DELETE FROM members WHERE account_id = $1', [worker.account]),
    outcome: 'member_unsubscribed',
  },
  { name: 'pays by now: a free wait ends', meanwhile: updated({ status: 'paid' }), outcome: 'member_status_changed' },
  { name: 'comped by now: fits no flow', meanwhile: updated({ status: 'comped' }), outcome: 'member_status_changed' },
  {
    name: 'free by now: a paid wait ends',
    scope: 'all_paid',
    meanwhile: updated({ status: 'free', tier_ids: [] }),
    outcome: 'member_status_changed',
  },
  {
    name: 'comped by now: a paid wait ends',
    scope: 'all_paid',
    meanwhile: updated({ status: 'comped' }),
    outcome: 'member_status_changed',
  },
  { name: 'a gift by now: goes on', scope: 'all_paid', meanwhile: updated({ status: 'gift' }), outcome: 'finished' },
  {
    name: 'another tier where any will do: goes on',
    scope: 'all_paid',
    meanwhile: updated({ tier_ids: ['t9'] }),
    outcome: 'finished',
  },
  {
    name: 'none of the chosen tiers is left',
    scope: 'selected_paid',
    meanwhile: updated({ tier_ids: ['t9'] }),
    outcome: 'member_tier_changed',
  },
  {
    name: 'another of the chosen tiers: goes on',
    scope: 'selected_paid',
    meanwhile: updated({ tier_ids: ['t9', 't2'] }),
    outcome: 'finished',
  },
  {
    name: 'neither status nor tier fit: the status is named',
    scope: 'selected_paid',
    meanwhile: updated({ status: 'free', tier_ids: [] }),
    outcome: 'member_status_changed',
  },
  {
    name: 'unsubscribed while a wait runs: the wait matures',
    meanwhile: updated({ enable_updates_and_announcements: false }),
    outcome: 'finished',
  },
  {
    name: 'unsubscribed: no mail',
    path: MAIL,
    meanwhile: updated({ enable_updates_and_announcements: false }),
    outcome: 'member_unsubscribed',
  },
  {
    name: 'said nothing and has no newsletter: no mail',
    path: MAIL,
    meanwhile: updated({ enable_updates_and_announcements: null, newsletter_ids: [] }),
    outcome: 'member_unsubscribed',
  },
  {
    name: 'said nothing and has a newsletter: mailed',
    path: MAIL,
    meanwhile: updated({ enable_updates_and_announcements: null, newsletter_ids: ['n1'] }),
    outcome: 'finished',
  },
  {
    name: 'said yes and has no newsletter: mailed',
    path: MAIL,
    meanwhile: updated({ enable_updates_and_announcements: true, newsletter_ids: [] }),
    outcome: 'finished',
  },
  {
    name: 'deleted: no mail',
    path: MAIL,
    meanwhile: () => scene.tell('member_deleted', 'm1'),
    outcome: 'member_unsubscribed',
  },
  {
    name: 'without an address: cannot be mailed, now or later',
    path: MAIL,
    meanwhile: updated({ email: null }),
    outcome: 'failed',
  },
]

test.each(CASES)('$name', async ({ scope = 'free', path = WAIT, meanwhile, outcome }) => {
  const tiers = scope === 'selected_paid' ? { trigger_tier_ids: ['t1', 't2'] } : {}
  await scene.automation(path, { trigger_tier_scope: scope, ...tiers })
  if (scope === 'free') await scene.signUp('m1')
  else await scene.pay('m1', { tier_ids: ['t1'] })
  worker.clock.advance({ minutes: 60 })
  await meanwhile()
  expect(await scene.sweep()).toEqual([outcome])
  const isMail = path[0]?.[0] === 'E'
  expect(scene.mails).toHaveLength(isMail && outcome === 'finished' ? 1 : 0)
  const ended = outcome === 'finished' ? (isMail ? 'completed' : null) : outcome
  expect(await scene.reasons()).toEqual([ended])
  // A step that has ended is not in anybody's hands and says when it ended.
  const [step] = (
    await worker.pool.query('SELECT status, lock_token, finished_at FROM automation_steps ORDER BY created_at')
  ).rows
  expect(step).toEqual({ status: outcome, lock_token: null, finished_at: '2026-09-01 10:00:00+00' })
})

test('judged anew at every attempt: who pays while a mail waits to be tried again is not mailed', async () => {
  await scene.automation(MAIL)
  await scene.signUp('m1')
  scene.answers = [() => ({ outcome: 'retry', error: '451 later', retryAfter: null })]
  expect(await scene.sweep()).toEqual(['retry'])
  await scene.tell('member_updated', 'm1', { status: 'paid' })
  worker.clock.advance({ minutes: 10 })
  expect(await scene.sweep()).toEqual(['member_status_changed'])
  expect([scene.mails.length, await scene.reasons(), await scene.records()]).toEqual([
    1,
    ['member_status_changed'],
    ['failed'],
  ])
})

test('mailed at the present address and by the present name, with the content that was queued', async () => {
  const id = await scene.automation(MAIL)
  await scene.signUp('m1')
  await scene.tell('member_updated', 'm1', { email: 'new@example.com', name: 'Bea Lee' })
  await scene.edit(id, [['E', 'Edited']])
  expect(await scene.sweep()).toEqual(['finished'])
  expect(scene.mails).toMatchObject([
    { to: 'new@example.com', subject: 'Hi', text: expect.stringContaining('Hello Bea') },
  ])
})

test('who unsubscribes between the judgement and the mail is not mailed', async () => {
  await scene.automation(MAIL)
  await scene.signUp('m1')
  const pool = scene.failing('never', 0)
  const leaving = new Proxy(pool, {
    get(inner, key) {
      const value: unknown = Reflect.get(inner, key, inner)
      if (key !== 'query' || typeof value !== 'function') return value
      return async (...parameters: unknown[]) => {
        const answer: unknown = await value.apply(inner, parameters)
        if ((parameters[0] as { name?: string }).name === 'load-step')
          await scene.tell('member_updated', 'm1', { enable_updates_and_announcements: false })
        return answer
      }
    },
  })
  expect(await scene.sweep(leaving)).toEqual(['member_unsubscribed'])
  expect([scene.mails, await scene.records()]).toEqual([[], []])
})
