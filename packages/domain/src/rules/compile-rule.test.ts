import { compileRule } from './compile-rule'

const stored = {
  id: 7,
  accountId: 1,
  name: 'R1',
  eventName: 'conversation_updated',
  active: true,
  executionDelay: 240,
  conditions: [{ attribute_key: 'gone', filter_operator: 'is_present' }],
  actions: [{ action_name: 'add_label', action_params: ['x'] }],
} as const

test('a stored rule becomes one that can be judged: its delay in µs, its conditions compiled', () => {
  const rule = compileRule(stored, [])
  expect(rule).toMatchObject({
    id: 7,
    accountId: 1,
    name: 'R1',
    eventName: 'conversation_updated',
    active: true,
    delay: 14_400_000_000,
    actions: stored.actions,
  })
  expect(rule.conditions.broken).toMatchObject([{ code: 'unknown_attribute' }])
})

test('without a delay it is immediate', () => {
  expect(compileRule({ ...stored, executionDelay: null }, []).delay).toBeNull()
})

test('the account’s custom attributes are known to its conditions', () => {
  const definition = {
    attribute_key: 'gone',
    attribute_display_type: 'text',
    attribute_model: 'contact_attribute',
  } as const
  expect(compileRule(stored, [definition]).conditions.broken).toEqual([])
})
