import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { type MemberEvent, memberEvent } from '@dwell/contracts/member-events'
import fc from 'fast-check'
import { acceptsEmail, isGone, type ProjectedMember, projectMember, unknownMember } from './member'

const at = (minute: number) => ((parseInstant('2026-09-01T10:00:00Z') ?? 0) + minute * 60_000_000) as Micros

function event(name: string, minute: number, member: object = {}, rest: object = {}): MemberEvent {
  const occurred_at = new Date(at(minute) / 1000).toISOString()
  return memberEvent.parse({
    id: `e${minute}`,
    event: name,
    occurred_at,
    account_id: 1,
    member: { id: 1, ...member },
    ...rest,
  })
}

const learnt = (...events: MemberEvent[]) => events.reduce(projectMember, unknownMember(1, '1'))
const ANN = { name: 'Ann', email: 'ann@example.com', status: 'free', newsletter_ids: ['n1'] }

describe('a member', () => {
  test('is what the youngest event says, fact by fact, however late the older one comes', () => {
    const member = learnt(
      event('member_updated', 40, { enable_updates_and_announcements: false, email: 'new@example.com' }),
      event('member_signed_up', 20, { ...ANN, enable_updates_and_announcements: true }),
    )
    expect(member.facts).toMatchObject({
      name: 'Ann',
      email: 'new@example.com',
      enable_updates_and_announcements: false,
      status: 'free',
    })
  })

  test('that was deleted keeps no fact of its own, not even those of the deleting event or of a late one', () => {
    const member = learnt(
      event('member_signed_up', 0, ANN),
      event('member_deleted', 10, ANN),
      event('member_updated', 5, { name: 'Ann B.' }),
    )
    expect(isGone(member)).toBe(true)
    expect(JSON.stringify(member.facts)).not.toMatch(/Ann|example/)
  })

  test('that signs up again after a deletion is there again, with nothing from before', () => {
    const again = [
      event('member_signed_up', 0, { ...ANN, tier_ids: ['t1'] }),
      event('member_deleted', 10),
      event('member_signed_up', 20, { name: 'Ann', email: 'ann@example.org', status: 'free' }),
    ] as const
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      const member = learnt(...order.map((i) => again[i as 0 | 1 | 2]))
      expect(isGone(member)).toBe(false)
      expect(member.facts).toMatchObject({ email: 'ann@example.org', tier_ids: [] })
    }
  })

  test('accepts e-mail by explicit answer, without one by having a newsletter', () => {
    const accepts = (answer: boolean | null, newsletters: string[]) =>
      acceptsEmail(
        learnt(event('member_signed_up', 0, { enable_updates_and_announcements: answer, newsletter_ids: newsletters })),
      )
    expect(accepts(true, [])).toBe(true)
    expect(accepts(false, ['n1'])).toBe(false)
    expect(accepts(null, ['n1'])).toBe(true)
    expect(accepts(null, [])).toBe(false)
  })

  test('who unsubscribed by one click stays so while the upstream application repeats what it does not know better', () => {
    const member = {
      ...learnt(event('member_signed_up', 0, { ...ANN, enable_updates_and_announcements: true })),
      optedOutAt: at(30),
    }
    expect(acceptsEmail(member)).toBe(false)
    const repeated = projectMember(member, event('member_updated', 40, { enable_updates_and_announcements: true }))
    expect(acceptsEmail(repeated)).toBe(false)
    const changed = { changed_attributes: { enable_updates_and_announcements: [false, true] } }
    const late = projectMember(
      repeated,
      event('member_updated', 20, { enable_updates_and_announcements: true }, changed),
    )
    expect(acceptsEmail(late)).toBe(false)
    const back = projectMember(
      repeated,
      event('member_updated', 50, { enable_updates_and_announcements: true }, changed),
    )
    expect(acceptsEmail(back)).toBe(true)
  })

  test('who unsubscribed, was deleted and signed up again is asked anew', () => {
    const consents = { ...ANN, enable_updates_and_announcements: true }
    const member = { ...learnt(event('member_signed_up', 0, consents)), optedOutAt: at(30) }
    const again = event('member_signed_up', 50, consents)
    expect(acceptsEmail(projectMember(projectMember(member, event('member_deleted', 40, {})), again))).toBe(true)
    // An older deletion that comes late says nothing about it.
    expect(acceptsEmail(projectMember(projectMember(member, event('member_deleted', 20, {})), again))).toBe(false)
  })

  test('is the same after its events in any order and number', () => {
    const names = fc.constantFrom('member_signed_up', 'member_subscription_changed', 'member_updated', 'member_deleted')
    const snapshot = fc.record(
      {
        name: fc.constantFrom('Ann', 'Bert', null),
        email: fc.constantFrom('a@example.com', 'b@example.com'),
        status: fc.constantFrom('free', 'paid', 'comped', 'gift'),
        tier_ids: fc.subarray(['t1', 't2']),
        enable_updates_and_announcements: fc.constantFrom(true, false, null),
      },
      { requiredKeys: ['status', 'tier_ids'] },
    )
    const events = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 1000 }), names, snapshot), {
        selector: ([minute]) => minute,
        maxLength: 8,
      })
      .map((all) => all.map(([minute, name, member]) => event(name, minute, member)))
    const shuffled = events.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2, maxLength: all.length * 2 }),
      ),
    )
    const comparable = ({ revision: _, ...member }: ProjectedMember) => member
    fc.assert(
      fc.property(shuffled, ([all, delivered]) => {
        const inOrder = [...all].sort((a, b) => a.occurred_at - b.occurred_at)
        expect(comparable(learnt(...delivered))).toEqual(comparable(learnt(...inOrder)))
      }),
    )
  })
})

describe('a membership', () => {
  test('is known not to be paid since the latest event that says so, and since a deletion', () => {
    const unpaid = (...events: MemberEvent[]) => learnt(...events).unpaidAt
    expect(unpaid(event('member_signed_up', 5, { status: 'free' }))).toBe(at(5))
    expect(unpaid(event('member_signed_up', 5, { status: 'comped' }))).toBe(at(5))
    expect(unpaid(event('member_signed_up', 5, { status: 'paid' }))).toBeNull()
    expect(
      unpaid(event('member_signed_up', 5, { status: 'gift' }), event('member_updated', 9, { name: 'Ann' })),
    ).toBeNull()
    expect(unpaid(event('member_updated', 9, { status: 'free' }), event('member_updated', 5, { status: 'free' }))).toBe(
      at(9),
    )
    expect(unpaid(event('member_signed_up', 5, { status: 'paid' }), event('member_deleted', 7))).toBe(at(7))
    expect(unpaid(event('member_updated', 9, { status: 'free' }), event('member_deleted', 7))).toBe(at(9))
  })

  test('has its latest payment from subscription events only, the youngest one, the last of one instant', () => {
    const subscription = (...events: MemberEvent[]) => learnt(...events).subscription
    const paid = (minute: number, ...tier_ids: string[]) =>
      event('member_subscription_changed', minute, { status: 'paid', tier_ids })
    expect(subscription(event('member_updated', 5, { status: 'paid' }))).toBeNull()
    expect(subscription(event('member_subscription_changed', 5, { status: 'free' }))).toBeNull()
    expect(subscription(event('member_subscription_changed', 5))).toBeNull()
    expect(subscription(paid(5, 't1'))).toEqual({ at: at(5), status: 'paid', tierIds: ['t1'] })
    expect(subscription(paid(9, 't2'), paid(5, 't1'))?.tierIds).toEqual(['t2'])
    expect(subscription(paid(5, 't1'), paid(9, 't2'))?.tierIds).toEqual(['t2'])
    expect(subscription(paid(5, 't1'), paid(5, 't2'))?.tierIds).toEqual(['t2'])
    expect(subscription(paid(5, 't1'), event('member_subscription_changed', 9, { status: 'free' }))?.at).toBe(at(5))
  })
})

describe('in one and the same instant', () => {
  test('a deletion is later than a sign-up and than what the member was', () => {
    const member = learnt(event('member_signed_up', 5, ANN), event('member_deleted', 5))
    expect(isGone(member)).toBe(true)
    expect(member.facts).toMatchObject({ name: null, email: null, newsletter_ids: [] })
  })

  test('an opt-out is later than the change that it answers', () => {
    const member = { ...learnt(event('member_signed_up', 0, ANN)), optedOutAt: at(5) }
    const change = { changed_attributes: { enable_updates_and_announcements: [false, true] } }
    expect(projectMember(member, event('member_updated', 5, {}, change)).optedOutAt).toBe(at(5))
    expect(projectMember(member, event('member_updated', 6, {}, change)).optedOutAt).toBeNull()
  })
})

test('every event raises the revision, and of an unknown member nothing is assumed', () => {
  expect(learnt().revision).toBe(0)
  expect(learnt(event('member_updated', 5), event('member_updated', 5)).revision).toBe(2)
  expect(isGone(learnt())).toBe(false)
  expect(acceptsEmail(learnt())).toBe(false)
})
