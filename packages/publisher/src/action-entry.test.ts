import { readAction, UnreadableActionError } from './action-entry'

const action = {
  id: '4711-0',
  account_id: 1,
  conversation_id: 101,
  automation_rule_id: 7,
  automation_rule_name: 'Stale',
  execution_id: 4711,
  position: 0,
  action_name: 'add_label',
  action_params: ['stale'],
  content_attributes: { automation_rule_id: 7 },
  performed_by: { type: 'automation_rule', id: 7 },
  due_at: '2026-09-01T14:00:00.000000Z',
  executed_at: '2026-09-01T14:00:01.000000Z',
}

describe('reading an entry of the stream of actions', () => {
  test('the action is what the field holds, wherever the field stands', () => {
    expect(readAction('1-0', ['other', 'x', 'action', JSON.stringify(action)])).toEqual(action)
  })

  test('a key of a newer Dwell is no reason to refuse the action', () => {
    expect(readAction('1-0', ['action', JSON.stringify({ ...action, colour: 'red' })])).toEqual(action)
  })

  test.each([
    ['no field', ['event', '{}'], 'has no field "action"'],
    ['no JSON', ['action', '{'], 'JSON'],
    ['no action', ['action', JSON.stringify({ ...action, conversation_id: null })], 'conversation_id'],
  ])('%s: the error names the entry and the reason', (_what, fields, reason) => {
    expect(() => readAction('17-3', fields)).toThrow(UnreadableActionError)
    expect(() => readAction('17-3', fields)).toThrow('17-3')
    expect(() => readAction('17-3', fields)).toThrow(reason)
  })
})
