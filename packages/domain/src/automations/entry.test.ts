import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { type MemberEvent, memberEvent } from '@dwell/contracts/member-events'
import fc from 'fast-check'
import type { RunningAutomation } from './automation'
import { mayEnter, type PlannedRun, takeMemberEvents } from './entry'
import { type ProjectedMember, unknownMember } from './member'

const instant = (text: string) => parseInstant(text) as Micros
const DAY = 86_400_000_000

let count = 0
function event(name: string, at: string, member: object = {}): MemberEvent {
  return memberEvent.parse({
    id: `e${++count}`,
    event: name,
    occurred_at: at,
    account_id: 1,
    member: { id: 1, ...member },
  })
}

const WAIT = { id: 'w', type: 'wait', revisionId: 'w1', waitHours: 24 } as const
const MAIL = { id: 'm', type: 'send_email', revisionId: 'm1', waitHours: null } as const

function automation(overrides: Partial<RunningAutomation> = {}): RunningAutomation {
  return {
    id: 'A',
    accountId: 1,
    status: 'active',
    trigger: { scope: 'free', tierIds: [] },
    policy: { reEntry: 'always', days: null },
    path: [WAIT, MAIL],
    ...overrides,
  }
}

const FREE = automation({ id: 'free' })
const PAID = automation({ id: 'all_paid', trigger: { scope: 'all_paid', tierIds: [] } })
const TIERS = automation({ id: 'selected', trigger: { scope: 'selected_paid', tierIds: ['t1', 't2'] } })
const ALL = [FREE, PAID, TIERS, automation({ id: 'none', trigger: { scope: null, tierIds: [] } })]

/** Takes the events one batch after the other, in the order given, and says which automations each batch started. */
function play(events: readonly (MemberEvent | readonly MemberEvent[])[], automations = ALL): string[][] {
  let member: ProjectedMember = unknownMember(1, '1')
  const entries = new Map<string, Micros[]>()
  return events.map((batch) => {
    const taken = takeMemberEvents(member, [batch].flat(), automations, entries)
    member = taken.member
    for (const run of taken.runs)
      entries.set(run.automationId, [...(entries.get(run.automationId) ?? []), run.createdAt])
    return taken.runs.map((run) => run.automationId)
  })
}

const signedUp = (at: string, member: object = { status: 'free' }) => event('member_signed_up', at, member)
const subscribed = (at: string, status: string, tier_ids = ['t1']) =>
  event('member_subscription_changed', at, { status, tier_ids })
const updated = (at: string, member: object) => event('member_updated', at, member)
const DAYS = Array.from({ length: 28 }, (_, i) => `2026-09-${String(i + 1).padStart(2, '0')}T10:00:00Z`) as [string]
const day = (n: number) => DAYS[n - 1] ?? ''

describe('a run begins', () => {
  test('with the sign-up of a free member, at the instant of the event, at the head of the path', () => {
    const taken = takeMemberEvents(
      unknownMember(1, '1'),
      [signedUp('2026-09-14T12:00:00.123456Z', { status: 'free', email: 'ann@example.com' })],
      ALL,
      new Map(),
    )
    expect(taken.runs).toEqual<PlannedRun[]>([
      {
        accountId: 1,
        automationId: 'free',
        memberId: '1',
        memberEmail: 'ann@example.com',
        eventId: expect.any(String),
        createdAt: instant('2026-09-14T12:00:00.123Z'),
        keepsOut: null,
        firstStep: {
          actionId: 'w',
          revisionId: 'w1',
          createdAt: instant('2026-09-14T12:00:00.123456Z'),
          readyAt: instant('2026-09-15T12:00:00.123456Z'),
          followed: true,
        },
      },
    ])
  })

  test('with an e-mail at the head: ready at once', () => {
    const [run] = takeMemberEvents(
      unknownMember(1, '1'),
      [signedUp(day(1))],
      [automation({ path: [MAIL] })],
      new Map(),
    ).runs
    expect(run?.firstStep).toMatchObject({ readyAt: instant(day(1)), followed: false })
  })

  test('with a subscription that is paid or a gift, in every automation whose audience the member joins', () => {
    expect(play([subscribed(day(1), 'paid', ['t2'])])).toEqual([['all_paid', 'selected']])
    expect(play([subscribed(day(1), 'gift', ['t9'])])).toEqual([['all_paid']])
  })

  test('with nothing else', () => {
    const none = [
      subscribed(day(1), 'comped'),
      subscribed(day(2), 'free', []),
      signedUp(day(3), { status: 'paid', tier_ids: ['t1'] }),
      updated(day(4), { status: 'paid', tier_ids: ['t1'] }),
      event('member_deleted', day(5), { status: 'paid' }),
    ]
    expect(play(none)).toEqual(none.map(() => []))
  })

  test('only in active automations that have actions', () => {
    const automations = [automation({ id: 'off', status: 'inactive' }), automation({ id: 'empty', path: [] })]
    expect(play([signedUp(day(1))], automations)).toEqual([[]])
  })
})

describe('the member’s real status decides', () => {
  test('a late sign-up of somebody who pays meanwhile starts no free flow', () => {
    expect(play([subscribed(day(2), 'paid'), signedUp(day(1))])).toEqual([['all_paid', 'selected'], []])
  })

  test('a late purchase that was cancelled meanwhile starts no paid flow', () => {
    expect(play([updated(day(3), { status: 'free', tier_ids: [] }), subscribed(day(2), 'paid')])).toEqual([[], []])
    const paidAgain = [
      updated(day(3), { status: 'free' }),
      updated(day(4), { status: 'paid' }),
      subscribed(day(2), 'paid'),
    ]
    expect(play(paidAgain)).toEqual([[], [], []])
  })

  test('events of a deleted member start nothing, one who signs up anew does', () => {
    expect(
      play([event('member_deleted', day(3)), signedUp(day(2)), subscribed(day(4), 'paid'), signedUp(day(5))]),
    ).toEqual([[], [], [], ['free']])
  })
})

describe('one membership starts a paid automation once', () => {
  test('not again when a gift turns into a purchase, also where another event reported the payment first', () => {
    expect(play([subscribed(day(1), 'gift'), subscribed(day(9), 'paid')])).toEqual([['all_paid', 'selected'], []])
    const reported = [subscribed(day(1), 'gift'), updated(day(9), { status: 'paid' }), subscribed(day(10), 'paid')]
    expect(play(reported)).toEqual([['all_paid', 'selected'], [], []])
  })

  test('but at the purchase where the gift started none', () => {
    const { member } = takeMemberEvents(unknownMember(1, '1'), [subscribed(day(1), 'gift')], [], new Map())
    expect(takeMemberEvents(member, [subscribed(day(9), 'paid')], [PAID], new Map()).runs).toHaveLength(1)
  })

  test('although the payment was reported by member_updated before the subscription event', () => {
    const purchase = [signedUp(day(1)), updated(day(2), { status: 'paid' }), subscribed(day(2), 'paid')]
    expect(play(purchase)).toEqual([['free'], [], ['all_paid', 'selected']])
  })

  test('not at a renewal or a change of tier; a listed tier that is new starts its own flow', () => {
    const t2 = automation({ id: 't2', trigger: { scope: 'selected_paid', tierIds: ['t2'] } })
    const changes = [
      subscribed(day(1), 'paid', ['t1']),
      subscribed(day(5), 'paid', ['t1']),
      subscribed(day(9), 'paid', ['t2']),
    ]
    expect(play(changes, [PAID, TIERS, t2])).toEqual([['all_paid', 'selected'], [], ['t2']])
  })

  test('not at the renewal of somebody who paid before the automation existed', () => {
    const { member } = takeMemberEvents(unknownMember(1, '1'), [subscribed(day(1), 'paid')], [], new Map())
    expect(takeMemberEvents(member, [subscribed(day(9), 'paid')], [PAID], new Map()).runs).toEqual([])
  })

  test('again after a time without payment', () => {
    const back = [subscribed(day(1), 'paid'), subscribed(day(5), 'free', []), subscribed(day(9), 'paid')]
    expect(play(back)).toEqual([['all_paid', 'selected'], [], ['all_paid', 'selected']])
    const cancelled = [subscribed(day(1), 'paid'), updated(day(5), { status: 'free' }), subscribed(day(9), 'gift')]
    expect(play(cancelled)).toEqual([['all_paid', 'selected'], [], ['all_paid', 'selected']])
  })

  test('also where sign-up and purchase bear the same instant', () => {
    expect(play([[signedUp(day(1)), subscribed(day(1), 'paid')]], [PAID])).toEqual([['all_paid']])
    expect(play([[signedUp(day(1)), subscribed(day(1), 'gift')], subscribed(day(2), 'paid')], [PAID])).toEqual([
      ['all_paid'],
      [],
    ])
  })
})

describe('re-entry', () => {
  test('always: every sign-up is a run, also while one is open', () => {
    expect(play([signedUp(day(1)), signedUp(day(1)), [signedUp(day(2)), signedUp(day(3))]])).toEqual([
      ['free'],
      ['free'],
      ['free', 'free'],
    ])
  })

  test('once: never again, also within one batch', () => {
    const once = automation({ policy: { reEntry: 'once', days: null } })
    expect(play([[signedUp(day(1)), signedUp(day(2))], signedUp(day(28))], [once])).toEqual([['A'], []])
  })

  test('after_days: exactly so many days after the last entry is enough', () => {
    const weekly = automation({ policy: { reEntry: 'after_days', days: 7 } })
    const events = ['2026-09-01T10:00:00Z', '2026-09-08T09:59:59Z', '2026-09-08T10:00:00Z'].map((at) => signedUp(at))
    expect(play(events, [weekly])).toEqual([['A'], [], ['A']])
  })

  test('keeps out by a span that the database can check', () => {
    const run = (policy: RunningAutomation['policy']) =>
      takeMemberEvents(unknownMember(1, '1'), [signedUp(day(1))], [automation({ policy })], new Map()).runs[0]?.keepsOut
    expect(run({ reEntry: 'once', days: null })).toEqual({ policy: 'once', until: 'forever' })
    expect(run({ reEntry: 'after_days', days: 7 })).toEqual({ policy: 'after_days:7', until: instant(day(8)) })
  })

  test('leaves any two entries of a member so many days apart, in whatever order they come', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 * 24 }), { maxLength: 30 })
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 10 }), (hours, days) => {
        const entries: Micros[] = []
        for (const hour of hours) {
          const at = (hour * 3_600_000_000) as Micros
          if (mayEnter({ reEntry: 'after_days', days }, at, entries)) entries.push(at)
        }
        const sorted = [...entries].sort((a, b) => a - b)
        for (const [i, entry] of sorted.slice(1).entries()) {
          expect(entry - (sorted[i] ?? 0)).toBeGreaterThanOrEqual(days * DAY)
        }
      }),
    )
  })
})

describe('events of one batch', () => {
  test('are taken in the order in which they occurred', () => {
    expect(play([[event('member_deleted', day(5)), signedUp(day(1))]])).toEqual([['free']])
    expect(play([[subscribed(day(9), 'paid'), subscribed(day(1), 'gift')]], [PAID])).toEqual([['all_paid']])
  })
})

describe('a renewal', () => {
  const known = (...events: MemberEvent[]) => takeMemberEvents(unknownMember(1, '1'), events, [], new Map()).member
  const starts = (member: ProjectedMember, next: MemberEvent) =>
    takeMemberEvents(member, [next], [PAID], new Map()).runs.length

  test('is told by the last payment that came before it, not by a later one', () => {
    expect(starts(known(subscribed(day(9), 'paid')), subscribed(day(1), 'paid'))).toBe(1)
    expect(starts(known(subscribed(day(5), 'paid')), subscribed(day(5), 'paid'))).toBe(1)
    expect(starts(known(subscribed(day(1), 'paid')), subscribed(day(5), 'paid'))).toBe(0)
  })

  test('is one also where the member was free before the payment', () => {
    const member = known(signedUp(day(1)), subscribed(day(2), 'paid'))
    expect(starts(member, subscribed(day(9), 'paid'))).toBe(0)
  })

  test('is none where the member has stopped paying since', () => {
    const member = known(subscribed(day(2), 'paid'), updated(day(5), { status: 'free' }))
    expect(starts(member, subscribed(day(9), 'paid'))).toBe(1)
  })
})

test('neither updates nor deletions start anything, whatever they report', () => {
  for (const name of ['member_updated', 'member_deleted'])
    expect(
      play([event(name, day(1), { status: 'free' }), event(name, day(2), { status: 'paid', tier_ids: ['t1'] })]),
    ).toEqual([[], []])
})
