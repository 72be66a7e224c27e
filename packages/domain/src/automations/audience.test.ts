import type { Trigger } from '@dwell/contracts/automations'
import { MEMBER_STATUSES } from '@dwell/contracts/member-events'
import { isInAudience } from './audience'

const audience = (trigger: Trigger, tier_ids: string[] = []) =>
  MEMBER_STATUSES.filter((status) => isInAudience(trigger, { status, tier_ids }))

test('a free flow is for free members, a paid one for who pays or was given it; comped fits neither', () => {
  expect(audience({ scope: 'free', tierIds: [] })).toEqual(['free'])
  expect(audience({ scope: 'all_paid', tierIds: [] }).toSorted()).toEqual(['gift', 'paid'])
  expect(audience({ scope: null, tierIds: [] })).toEqual([])
})

test('of several tiers one that fits is enough', () => {
  const selected: Trigger = { scope: 'selected_paid', tierIds: ['t1', 't2'] }
  expect(audience(selected, ['other', 't2']).toSorted()).toEqual(['gift', 'paid'])
  expect(audience(selected, ['other'])).toEqual([])
  expect(audience(selected)).toEqual([])
})

test('nobody is in an audience whose status is unknown', () => {
  for (const scope of ['free', 'all_paid'] as const)
    expect(isInAudience({ scope, tierIds: [] }, { status: null, tier_ids: [] })).toBe(false)
})
