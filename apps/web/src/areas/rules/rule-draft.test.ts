import type { Condition } from '@dwell/contracts/rule'
import { changesOf, draftOf, emptyDraft, groupsOf, ruleOf, type SavedRule, withTiming, withTrigger } from './rule-draft'

const condition = (attribute_key: string, query_operator: string | null = null): Condition => ({
  attribute_key,
  filter_operator: 'equal_to',
  values: ['x'],
  query_operator,
})

const SAVED: SavedRule = {
  name: 'Stale',
  description: null,
  event_name: 'conversation_updated',
  conditions: [condition('status', 'AND'), condition('labels', 'or'), condition('city', 'or')],
  actions: [{ action_name: 'send_email_to_team', action_params: [{ team_ids: ['3'], message: 'x' }] }],
  execution_delay: 240,
}

describe('a draft of a saved rule', () => {
  test('that nobody touched changes nothing, however it was written', () => {
    expect(changesOf(SAVED, draftOf(SAVED))).toEqual({})
  })

  test('names only what was changed', () => {
    expect(changesOf(SAVED, { ...draftOf(SAVED), name: 'New name' })).toEqual({ name: 'New name' })
    expect(changesOf(SAVED, withTiming(draftOf(SAVED), 'now'))).toEqual({ execution_delay: null })
  })
})

describe('the two ways to execute', () => {
  test('keep a draft each: switching there and back loses nothing', () => {
    const now = withTrigger(emptyDraft('now'), {
      event: 'conversation_updated',
      conditions: [{ key: 'a', value: { ...condition('status'), filter_operator: 'attribute_changed', values: {} } }],
    })
    const later = withTiming(now, 'later')
    expect(ruleOf(later).conditions).toEqual([])
    const edited = withTrigger(
      { ...later, delay: { amount: '2', unit: 'days' } },
      { event: 'message_created', conditions: [{ key: 'b', value: condition('content') }] },
    )
    expect(ruleOf(withTiming(edited, 'now'))).toEqual(ruleOf(now))
    expect(ruleOf(withTiming(withTiming(edited, 'now'), 'later'))).toEqual(ruleOf(edited))
    expect(ruleOf(edited).execution_delay).toBe(2_880)
  })
})

describe('a chain of conditions', () => {
  test('is read as groups: AND binds tighter than OR, in any letter case, and the last joiner counts for nothing', () => {
    expect(groupsOf(SAVED.conditions)).toEqual([[0, 1], [2]])
    expect(groupsOf([condition('a', 'or'), condition('b', 'AND'), condition('c')])).toEqual([[0], [1, 2]])
    expect(groupsOf([])).toEqual([[]])
  })

  test('gets the joiner that it lacks', () => {
    const draft = draftOf({ ...SAVED, conditions: [condition('a'), condition('b')] })
    expect(ruleOf(draft).conditions.map(({ query_operator }) => query_operator)).toEqual(['and', null])
  })
})
