import type { EndReason, SendStatus, StepStatus } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import fc from 'fast-check'
import type { PathAction, RunningAutomation } from './automation'
import { classificationOf, classifyRun } from './classification'
import { type ProjectedMember, unknownMember } from './member'
import {
  afterFailure,
  compareSteps,
  continueRun,
  isTakeable,
  judgeStep,
  type StepSituation,
  type WaitingStep,
  wakeAt,
} from './step'
import { planStep } from './step-plan'

const MINUTE = 60_000_000
const HOUR = 60 * MINUTE
const minutes = (count: number) => (count * MINUTE) as Micros

const WAITING: WaitingStep = { id: 'a', status: 'pending', readyAt: minutes(60), createdAt: minutes(0), lockedAt: null }

describe('a step is taken', () => {
  test('exactly at its time, not before', () => {
    expect(isTakeable(WAITING, (minutes(60) - 1) as Micros)).toBe(false)
    expect(isTakeable(WAITING, minutes(60))).toBe(true)
  })

  test('from a worker that has not been heard of for more than 30 minutes, not earlier', () => {
    const locked = { ...WAITING, lockedAt: minutes(100) }
    expect(isTakeable(locked, minutes(129))).toBe(false)
    expect(isTakeable(locked, minutes(130))).toBe(false)
    expect(isTakeable(locked, minutes(131))).toBe(true)
  })

  test('only while it is pending', () => {
    expect(isTakeable({ ...WAITING, status: 'finished' }, minutes(99))).toBe(false)
  })

  test('in order of its time, then of its creation, then of its id', () => {
    const steps = [
      { ...WAITING, id: 'd', readyAt: minutes(61) },
      { ...WAITING, id: 'c', createdAt: minutes(1) },
      { ...WAITING, id: 'b' },
      WAITING,
    ]
    expect(steps.sort(compareSteps).map((step) => step.id)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('at the instant it asks to be woken for', () => {
    const steps = fc.record({
      id: fc.constant('a'),
      status: fc.constant<StepStatus>('pending'),
      readyAt: fc.nat(10 * HOUR).map((at) => at as Micros),
      createdAt: fc.constant(minutes(0)),
      lockedAt: fc.option(fc.nat(10 * HOUR).map((at) => at as Micros)),
    })
    fc.assert(
      fc.property(steps, (step) => {
        const wake = wakeAt(step)
        if (wake === null) throw new Error('a pending step always needs a wake')
        expect(isTakeable(step, wake)).toBe(true)
        expect(isTakeable(step, (wake - 1) as Micros)).toBe(false)
      }),
    )
  })
})

const MEMBER: ProjectedMember = {
  ...unknownMember(1, '1'),
  facts: {
    uuid: null,
    name: 'Ann',
    email: 'ann@example.com',
    status: 'free',
    tier_ids: [],
    enable_updates_and_announcements: true,
    newsletter_ids: [],
  },
}
const memberWith = (facts: object): ProjectedMember => ({ ...MEMBER, facts: { ...MEMBER.facts, ...facts } })
const trigger = (scope: 'free' | 'all_paid' | 'selected_paid' | null, tierIds: string[] = []) => ({
  automation: { status: 'active' as const, trigger: { scope, tierIds } },
})

const MAIL: StepSituation = { attempts: 1, type: 'send_email', ...trigger('free'), member: MEMBER, sent: null }
const OFF = { automation: { ...MAIL.automation, status: 'inactive' as const } }

describe('a step that was taken', () => {
  const outcomes: [string, Partial<StepSituation>, string][] = [
    ['is sent to the present address', {}, 'send'],
    ['ends when the automation is off', OFF, 'automation_disabled'],
    [
      'ends when the automation is off, before anything about the member',
      { ...OFF, member: null },
      'automation_disabled',
    ],
    ['runs at its tenth attempt', { attempts: 10 }, 'send'],
    ['fails at its eleventh', { attempts: 11 }, 'failed'],
    ['fails at its eleventh, before anything about the member', { attempts: 11, member: null }, 'failed'],
    ['ends without a member', { member: null }, 'member_unsubscribed'],
    ['ends with a deleted member', { member: { ...MEMBER, deletedAt: minutes(1) } }, 'member_unsubscribed'],
    ['ends when a free member pays', { member: memberWith({ status: 'paid' }) }, 'member_status_changed'],
    ['ends when a free member is comped', { member: memberWith({ status: 'comped' }) }, 'member_status_changed'],
    ['ends when nobody knows the status', { member: memberWith({ status: null }) }, 'member_status_changed'],
    [
      'ends so for a wait that matures, too',
      { type: 'wait', member: memberWith({ status: 'paid' }) },
      'member_status_changed',
    ],
    ['goes on for a gift in a paid flow', { ...trigger('all_paid'), member: memberWith({ status: 'gift' }) }, 'send'],
    [
      'does not care for tiers where any will do',
      { ...trigger('all_paid'), member: memberWith({ status: 'paid', tier_ids: ['t2'] }) },
      'send',
    ],
    [
      'ends when none of the chosen tiers is left',
      { ...trigger('selected_paid', ['t1']), member: memberWith({ status: 'paid', tier_ids: ['t2'] }) },
      'member_tier_changed',
    ],
    [
      'names the status before the tier',
      { ...trigger('selected_paid', ['t1']), member: memberWith({ status: 'free' }) },
      'member_status_changed',
    ],
    ['goes on where the trigger was taken away', { ...trigger(null) }, 'send'],
    [
      'ends where e-mail is not wanted',
      { member: memberWith({ enable_updates_and_announcements: null }) },
      'member_unsubscribed',
    ],
    [
      'does not ask whether e-mail is wanted when it waits',
      { type: 'wait', member: memberWith({ enable_updates_and_announcements: false }) },
      'finish',
    ],
    ['fails without an address', { member: memberWith({ email: null }) }, 'failed'],
    ['is not sent again once it was sent', { sent: 'sent', attempts: 2 }, 'finish'],
    ['is finished once it was sent, whatever became of the member', { sent: 'sent', member: null }, 'finish'],
    ['is not sent again where nobody knows whether it was', { sent: 'sending', attempts: 2 }, 'finish_unknown'],
    ['is sent again where the server refused it for now', { sent: 'deferred', attempts: 2 }, 'send'],
    ['is not sent again where the server refused it for good', { sent: 'failed', attempts: 2 }, 'failed'],
  ]
  test.each(outcomes)('%s', (_guarantee, situation, outcome) => {
    const judged = judgeStep({ ...MAIL, ...situation })
    expect(judged.do === 'end' ? judged.status : judged.do).toBe(outcome)
  })

  test('failed for the moment is tried again in ten minutes, nine times', () => {
    const { automation } = MAIL
    expect(afterFailure({ attempts: 1, automation }, 'transient', minutes(60))).toEqual({
      do: 'retry',
      readyAt: minutes(70),
    })
    expect(afterFailure({ attempts: 9, automation }, 'transient', minutes(60))).toMatchObject({ do: 'retry' })
    expect(afterFailure({ attempts: 10, automation }, 'transient', minutes(60))).toEqual({
      do: 'end',
      status: 'failed',
    })
  })

  test('failed for good is not tried again, nor when the automation was turned off meanwhile', () => {
    const { automation } = MAIL
    expect(afterFailure({ attempts: 1, automation }, 'permanent', minutes(60))).toEqual({ do: 'end', status: 'failed' })
    expect(afterFailure({ attempts: 1, ...OFF }, 'transient', minutes(60))).toEqual({
      do: 'end',
      status: 'automation_disabled',
    })
  })
})

const wait = (id: string, waitHours: number, revisionId = `${id}1`): PathAction => ({
  id,
  type: 'wait',
  revisionId,
  waitHours,
})
const mail = (id: string): PathAction => ({ id, type: 'send_email', revisionId: `${id}1`, waitHours: null })
const on = (...path: PathAction[]) => ({ status: 'active' as const, path })

describe('after a step', () => {
  test('comes what follows it now, at its latest revision, timed from when it finished', () => {
    expect(continueRun({ actionId: 'a', followed: true }, on(wait('a', 1), wait('b', 24, 'b7')), minutes(90))).toEqual({
      next: {
        actionId: 'b',
        revisionId: 'b7',
        createdAt: minutes(90),
        readyAt: minutes(90 + 24 * 60),
        followed: false,
      },
      endReason: null,
    })
    const inserted = on(wait('a', 1), mail('new'), wait('b', 24))
    expect(continueRun({ actionId: 'a', followed: true }, inserted, minutes(90)).next).toMatchObject({
      actionId: 'new',
      readyAt: minutes(90),
    })
  })

  test('the run ends with the reason that is true', () => {
    const reason = (
      followed: boolean,
      automation: ReturnType<typeof on> | { status: 'inactive'; path: PathAction[] },
    ) => continueRun({ actionId: 'a', followed }, automation, minutes(90)).endReason
    expect(reason(false, on(mail('z'), wait('a', 1)))).toBe('completed')
    expect(reason(true, on(wait('a', 1)))).toBe('path_cut')
    expect(reason(true, on(mail('z'), wait('a', 1)))).toBe('path_cut')
    expect(reason(true, on(wait('b', 1)))).toBe('path_cut')
    expect(reason(true, { status: 'inactive', path: [wait('a', 1), mail('b')] })).toBe('turned_off')
  })
})

/** A run in a world in which anything may happen between two of its steps. */
interface World {
  automation: Pick<RunningAutomation, 'status' | 'trigger' | 'path'>
  member: ProjectedMember
  sent: SendStatus | null
  now: number
  steps: {
    actionId: string
    followed: boolean
    type: PathAction['type']
    status: StepStatus
    attempts: number
    held: boolean
  }[]
  endReason: EndReason | null
}

type Move = (world: World) => void

const POOL = [wait('a', 1), mail('b'), wait('c', 2), mail('d'), wait('e', 3)]
const editPath =
  (path: PathAction[]): Move =>
  (world) => {
    world.automation = { ...world.automation, path }
  }
const turn =
  (status: 'active' | 'inactive'): Move =>
  (world) => {
    world.automation = { ...world.automation, status }
    const open = world.steps.find((step) => step.status === 'pending' && !step.held)
    if (status === 'active' || open === undefined) return
    open.status = 'automation_disabled'
    world.endReason = 'automation_disabled'
  }
const changeMember =
  (facts: object): Move =>
  (world) => {
    world.member = { ...world.member, facts: { ...world.member.facts, ...facts } }
  }
const take: Move = (world) => {
  const open = world.steps.find((step) => step.status === 'pending' && !step.held)
  if (open === undefined) return
  open.held = true
  open.attempts += 1
}
const crash: Move = (world) => {
  for (const step of world.steps) step.held = false
}
const carryOut =
  (failure: 'transient' | 'permanent' | null): Move =>
  (world) => {
    const held = world.steps.find((step) => step.held)
    if (held === undefined) return
    held.held = false
    const { automation, member, sent } = world
    const judged = judgeStep({ attempts: held.attempts, type: held.type, automation, member, sent })
    const end = (status: Exclude<StepStatus, 'pending' | 'finished'>) => {
      held.status = status
      world.endReason = status
    }
    if (judged.do === 'end') return end(judged.status)
    if (failure !== null) {
      const after = afterFailure({ attempts: held.attempts, automation }, failure, world.now as Micros)
      return after.do === 'end' ? end(after.status) : undefined
    }
    held.status = 'finished'
    const { next, endReason } = continueRun(held, automation, world.now as Micros)
    world.endReason = endReason
    if (next === null) return
    const type = POOL.find((action) => action.id === next.actionId)?.type ?? 'wait'
    world.steps.push({ ...next, type, status: 'pending', attempts: 0, held: false })
  }

describe('any interleaving of edits, switching, members, crashes and work', () => {
  const moves = fc.oneof(
    { weight: 4, arbitrary: fc.constant(take) },
    { weight: 4, arbitrary: fc.constant(carryOut(null)) },
    { weight: 1, arbitrary: fc.constantFrom(carryOut('transient'), carryOut('permanent'), crash) },
    { weight: 1, arbitrary: fc.constantFrom(turn('active'), turn('inactive')) },
    { weight: 1, arbitrary: fc.shuffledSubarray(POOL, { minLength: 1 }).map(editPath) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<object>({ status: 'paid' }, { status: 'free' }, { email: null }).map(changeMember),
    },
  )

  test('leaves at most one pending step, and what is stored with the run agrees with its steps', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(POOL, { minLength: 1 }), fc.array(moves, { maxLength: 60 }), (path, played) => {
        const first = planStep(path, 0, 0 as Micros)
        if (first === null) throw new Error('a path has a head')
        const world: World = {
          automation: { status: 'active', trigger: { scope: 'free', tierIds: [] }, path },
          member: MEMBER,
          sent: null,
          now: 0,
          steps: [{ ...first, type: path[0]?.type ?? 'wait', status: 'pending', attempts: 0, held: false }],
          endReason: null,
        }
        for (const move of played) {
          world.now += MINUTE
          move(world)
          const statuses = world.steps.map((step) => step.status)
          expect(statuses.filter((status) => status === 'pending')).toHaveLength(world.endReason === null ? 1 : 0)
          expect(statuses.slice(0, -1).every((status) => status === 'finished')).toBe(true)
          expect(classificationOf(world.endReason)).toEqual(classifyRun(statuses))
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('in words', () => {
  const base: StepSituation = {
    attempts: 1,
    type: 'send_email',
    automation: { status: 'active', trigger: { scope: null, tierIds: [] } },
    member: null,
    sent: null,
  }
  const known = (email: string | null): ProjectedMember => {
    const member = unknownMember(1, '1')
    return { ...member, facts: { ...member.facts, email, enable_updates_and_announcements: true } }
  }

  test('a step that is given up says why', () => {
    expect(judgeStep({ ...base, attempts: 11 })).toEqual({
      do: 'end',
      status: 'failed',
      error: 'given up after 10 attempts',
    })
    expect(judgeStep({ ...base, member: known('a@example.com'), sent: 'failed' })).toEqual({
      do: 'end',
      status: 'failed',
      error: 'the mail was refused for good',
    })
    for (const email of [null, ''])
      expect(judgeStep({ ...base, member: known(email) })).toEqual({
        do: 'end',
        status: 'failed',
        error: 'the member has no e-mail address',
      })
  })

  test('a step whose mail may be out is finished, and never sent again', () => {
    for (const sent of ['sent', 'unknown'] as const)
      expect(judgeStep({ ...base, attempts: 99, sent })).toEqual({ do: 'finish' })
  })
})

test('steps have one order, whichever of two is asked about first', () => {
  const step = (id: string, change: Partial<WaitingStep> = {}): WaitingStep => ({ ...WAITING, id, ...change })
  expect(compareSteps(step('a'), step('b'))).toBeLessThan(0)
  expect(compareSteps(step('b'), step('a'))).toBeGreaterThan(0)
  expect(compareSteps(step('a'), step('a'))).toBe(0)
  expect(compareSteps(step('b'), step('a', { createdAt: minutes(1) }))).toBeLessThan(0)
  expect(compareSteps(step('b', { createdAt: minutes(9) }), step('a', { readyAt: minutes(61) }))).toBeLessThan(0)
})

test('a step that has ended wakes nobody', () => {
  for (const lockedAt of [null, minutes(100)]) expect(wakeAt({ ...WAITING, status: 'finished', lockedAt })).toBeNull()
})
