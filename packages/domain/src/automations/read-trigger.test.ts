import type { StoredAutomation } from './check-save'
import { BODY, contentOf, created, STORED } from './testing/save-bodies'

describe('the trigger', () => {
  test.each<[object, string[]]>([
    [{ trigger_tier_scope: null }, []],
    [{ trigger_tier_scope: undefined }, []],
    [{ trigger_tier_scope: 'all_paid', trigger_tier_ids: [] }, []],
    [{ trigger_tier_scope: 'vip' }, ['/trigger_tier_scope unknown_scope']],
    [{ trigger_tier_ids: ['t1'] }, ['/trigger_tier_ids tiers_not_allowed']],
    [{ trigger_tier_scope: null, trigger_tier_ids: ['t1'] }, ['/trigger_tier_ids tiers_not_allowed']],
    [{ trigger_tier_scope: 'selected_paid' }, ['/trigger_tier_ids tiers_missing']],
    [{ trigger_tier_scope: 'selected_paid', trigger_tier_ids: [] }, ['/trigger_tier_ids tiers_missing']],
    [{ trigger_tier_scope: 'selected_paid', trigger_tier_ids: 't1' }, ['/trigger_tier_ids tiers_not_a_list']],
    [
      { trigger_tier_scope: 'selected_paid', trigger_tier_ids: ['t1', '', 5] },
      ['/trigger_tier_ids/1 invalid_tier', '/trigger_tier_ids/2 invalid_tier'],
    ],
  ])('%j: %j', (change, faults) => {
    expect(created(change)).toEqual(faults)
  })

  test('names each tier once', () => {
    const trigger = { trigger_tier_scope: 'selected_paid', trigger_tier_ids: ['t1', 't2', 't1'] }
    expect(contentOf(trigger).trigger).toEqual({ scope: 'selected_paid', tierIds: ['t1', 't2'] })
  })

  test('stays as it is where an edit does not speak of it; tiers go when the scope goes', () => {
    const stored: StoredAutomation = { ...STORED, trigger: { scope: 'selected_paid', tierIds: ['t1'] } }
    const { actions, edges } = BODY
    const trigger = (body: object) => contentOf({ status: 'inactive', actions, edges, ...body }, stored).trigger
    expect(trigger({})).toEqual(stored.trigger)
    expect(trigger({ trigger_tier_scope: 'selected_paid' })).toEqual(stored.trigger)
    expect(trigger({ trigger_tier_ids: ['t2'] })).toEqual({ scope: 'selected_paid', tierIds: ['t2'] })
    expect(trigger({ trigger_tier_scope: 'all_paid' })).toEqual({ scope: 'all_paid', tierIds: [] })
    expect(trigger({ trigger_tier_scope: null })).toEqual({ scope: null, tierIds: [] })
  })
})

describe('re-entry', () => {
  test.each<[object, string[]]>([
    [{ re_entry: 'once' }, []],
    [{ re_entry: 'after_days', re_entry_days: 7 }, []],
    [{ re_entry: 'always', re_entry_days: null }, []],
    [{ re_entry: 'sometimes' }, ['/re_entry unknown_re_entry']],
    [{ re_entry: 'after_days' }, ['/re_entry_days days_missing']],
    [{ re_entry: 'after_days', re_entry_days: 0 }, ['/re_entry_days invalid_days']],
    [{ re_entry: 'after_days', re_entry_days: '7' }, ['/re_entry_days invalid_days']],
    [{ re_entry_days: 7 }, ['/re_entry_days days_not_allowed']],
  ])('%j: %j', (change, faults) => {
    expect(created(change)).toEqual(faults)
  })

  test('stays as it is where an edit does not speak of it', () => {
    const stored: StoredAutomation = { ...STORED, policy: { reEntry: 'after_days', days: 7 } }
    const { actions, edges } = BODY
    expect(contentOf({ status: 'inactive', actions, edges }, stored).policy).toEqual(stored.policy)
    expect(contentOf({ status: 'inactive', actions, edges, re_entry: 'once' }, stored).policy).toEqual({
      reEntry: 'once',
      days: null,
    })
  })
})
