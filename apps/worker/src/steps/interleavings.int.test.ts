import type { StepStatus } from '@dwell/contracts/automations'
import { claimReadySteps } from '@dwell/database/automations/step-claims'
import { classifyRun } from '@dwell/domain/automations/classification'
import type { SendOutcome } from '@dwell/mail/smtp-sender'
import { useStores } from '@dwell/testing/stores'
import fc from 'fast-check'
import { type PathEntry, useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'
import { runStep } from './run-step'

// Workers, editors, members and the clock at the same time, on real Postgres.

const worker = useWorkerParts(useStores())
const scene = useStepScene(worker)
const never = new AbortController().signal

const ACTIONS: readonly PathEntry[] = [
  ['a', 1],
  ['b', 'Bee'],
  ['c', 2],
  ['d', 'Dee'],
  ['e', 'Eee'],
]
const MEMBERS = ['m1', 'm2', 'm3']

type Edit = { readonly path: readonly PathEntry[]; readonly status: 'active' | 'inactive' } | 'off'
type Told = 'pays' | 'unsubscribes' | 'is deleted' | 'changes address'

const paths = fc.shuffledSubarray([...ACTIONS], { minLength: 2 })
const statuses = fc.oneof(
  { weight: 7, arbitrary: fc.constant('active' as const) },
  { weight: 1, arbitrary: fc.constant('inactive' as const) },
)
const edits = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ path: paths, status: statuses }) },
    { weight: 1, arbitrary: fc.constant('off' as const) },
  ),
  { minLength: 1, maxLength: 6 },
)
const outcomes = fc.constantFrom<SendOutcome>(
  { outcome: 'delivered' },
  { outcome: 'delivered' },
  { outcome: 'delivered' },
  { outcome: 'retry', error: '451 later', retryAfter: null },
  { outcome: 'unknown', error: 'no answer came' },
  { outcome: 'failed', error: '550 no' },
)
const plans = fc.record({
  path: paths,
  edits,
  told: fc.array(
    fc.record({
      member: fc.constantFrom(...MEMBERS),
      does: fc.constantFrom<Told>('pays', 'unsubscribes', 'is deleted', 'changes address'),
    }),
    { maxLength: 3 },
  ),
  answers: fc.array(outcomes, { maxLength: 20 }),
  minutes: fc.array(fc.constantFrom(1, 10, 31, 60, 120), { minLength: 4, maxLength: 10 }),
})

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function work(until: () => boolean): Promise<void> {
  while (!until()) {
    for (const claim of await claimReadySteps(worker.pool, await worker.clock.now(), 2))
      await runStep(scene.deps(), claim, never)
    await turns(1)
  }
}

async function edit(id: string, list: readonly Edit[]): Promise<void> {
  // An action that was removed cannot come back: it is another one from then on.
  const present = new Map<string, string>()
  let generation = 0
  for (const one of list) {
    if (one === 'off') await scene.turnOff(id)
    else {
      generation += 1
      const keys = new Set(one.path.map(([key]) => key))
      for (const [key] of ACTIONS) if (!keys.has(key)) present.set(key, `${key}${generation}`)
      const path = one.path.map(
        ([key, content]): PathEntry => [
          present.get(key) ?? key,
          typeof content === 'number' ? content : `${content} ${generation}`,
        ],
      )
      await scene.edit(id, path, { status: one.status })
    }
    await turns(60)
  }
}

async function tell(member: string, does: Told): Promise<void> {
  if (does === 'pays') return scene.tell('member_updated', member, { status: 'paid' })
  if (does === 'unsubscribes') return scene.tell('member_updated', member, { enable_updates_and_announcements: false })
  if (does === 'is deleted') return scene.tell('member_deleted', member)
  return scene.tell('member_updated', member, { email: `${member}-new@example.com` })
}

interface SeenRun {
  readonly id: string
  readonly end_reason: string | null
  readonly status: string
  readonly steps: readonly StepStatus[]
}

async function runs(): Promise<SeenRun[]> {
  const { rows } = await worker.pool.query<SeenRun>(
    `SELECT run.id, run.end_reason, run.status,
       (SELECT json_agg(s.status ORDER BY s.created_at, s.id) FROM automation_steps s WHERE s.run_id = run.id) AS steps
     FROM automation_runs run`,
  )
  return rows
}

test('any interleaving of edits, switching, members and workers leaves a run at one place, and its end agrees with its steps', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ path, edits: list, told, answers, minutes }) => {
      scene.reset()
      await worker.pool.query(
        'TRUNCATE automations, automation_runs, automation_steps, automation_emails, members CASCADE',
      )
      const deliveries: string[] = []
      const scripted = [...answers]
      scene.answers = Array.from({ length: 200 }, () => async (mail) => {
        const answer = scripted.shift() ?? { outcome: 'delivered' }
        await turns(3)
        if (answer.outcome === 'delivered' || answer.outcome === 'unknown') deliveries.push(mail.messageId)
        return answer
      })
      const id = await scene.automation(path)
      let over = false
      const working = Promise.all([work(() => over), work(() => over), work(() => over)])
      await Promise.all([
        (async () => {
          for (let entry = 0; entry < 3; entry += 1) {
            for (const member of MEMBERS) await scene.signUp(member)
            await turns(60)
          }
        })(),
        edit(id, list),
        (async () => {
          for (const { member, does } of told) {
            await turns(30)
            await tell(member, does)
          }
        })(),
        (async () => {
          for (const by of minutes) {
            await turns(40)
            worker.clock.advance({ minutes: by })
          }
        })(),
      ])
      over = true
      await working
      // Nothing is edited any more: whoever is still inside walks to the end.
      for (let round = 0; round < 60 && (await runs()).some(({ end_reason }) => end_reason === null); round += 1) {
        await scene.sweepAll()
        worker.clock.advance({ minutes: 31 })
      }

      for (const run of await runs()) {
        const pending = run.steps.filter((status) => status === 'pending')
        expect(pending).toHaveLength(run.end_reason === null ? 1 : 0)
        expect(run.steps.slice(0, -1).every((status) => status === 'finished')).toBe(true)
        expect(run.status).toBe(classifyRun(run.steps)?.status)
      }
      expect((await runs()).filter(({ end_reason }) => end_reason === null)).toEqual([])
      expect(new Set(deliveries).size).toBe(deliveries.length)
      // No constraint was run into, no circle of waiting transactions was left to chance.
      expect(worker.lines.filter(({ level }) => level === 'error')).toEqual([])
    }),
    { numRuns: 20 },
  )
}, 120_000)
