import type { CustomAttributeDefinition } from '@dwell/contracts/rule'
import { ACTIONS, actionFaults, actionKind } from './actions'

const definitions: CustomAttributeDefinition[] = [
  { attribute_key: 'tier', attribute_display_type: 'text', attribute_model: 'conversation_attribute' },
  { attribute_key: 'site', attribute_display_type: 'link', attribute_model: 'contact_attribute' },
  { attribute_key: 'seats', attribute_display_type: 'number', attribute_model: 'contact_attribute' },
  { attribute_key: 'renewal', attribute_display_type: 'date', attribute_model: 'contact_attribute' },
  { attribute_key: 'vip', attribute_display_type: 'checkbox', attribute_model: 'contact_attribute' },
  {
    attribute_key: 'level',
    attribute_display_type: 'list',
    attribute_model: 'contact_attribute',
    attribute_values: ['Gold', 'Silver'],
  },
  { attribute_key: 'open', attribute_display_type: 'list', attribute_model: 'contact_attribute' },
]

function found(action_name: unknown, action_params?: unknown): string[] {
  return actionFaults({ action_name, action_params }, '/actions/0', definitions).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  )
}
const P = '/actions/0/action_params'
const attribute = (attribute_key: unknown, value: unknown, custom_attribute_type: unknown = 'contact_attribute') => [
  { attribute_key, value, custom_attribute_type },
]

const accepted: [string, ...unknown[][]][] = [
  ['send_message', ['Hi {{ contact.name }}'], ['{% if contact.name %}x{% endif %}'], ['nil']],
  ['add_private_note', ['note']],
  ['send_attachment', [9], ['9'], ['eyJfcmFpbHMi--signed'], [1, 2]],
  ['add_label', ['a'], ['a', 'b'], Array(100).fill('a'), ['x'.repeat(255)]],
  ['remove_label', ['a']],
  ['assign_agent', [7], ['7'], ['nil'], ['last_responding_agent']],
  ['remove_assigned_agent', []],
  ['assign_team', [3], ['nil'], [0], []],
  ['remove_assigned_team', []],
  ['change_status', ['open'], ['resolved'], ['pending'], ['snoozed']],
  ['open_conversation', []],
  ['pending_conversation', []],
  ['resolve_conversation', []],
  ['snooze_conversation', [], [{ duration_minutes: 1 }], [{ duration_minutes: 525_600 }]],
  ['change_priority', ['low'], ['medium'], ['high'], ['urgent'], ['nil']],
  ['mute_conversation', []],
  ['add_sla', [4]],
  [
    'set_custom_attribute',
    attribute('tier', 'a', 'conversation_attribute'),
    attribute('tier', null, 'conversation_attribute'),
    attribute('site', 'https://x'),
    attribute('seats', 5.5),
    attribute('renewal', '2026-09-01'),
    attribute('vip', false),
    attribute('level', 'Gold'),
    attribute('open', 'anything'),
    attribute('tier', 'x'.repeat(5000), 'conversation_attribute'),
  ],
  ['send_email_to_team', [{ team_ids: [3, '4'], message: 'look' }], [{ team_ids: Array(50).fill(1), message: 'x' }]],
  ['send_email_transcript', ['a@x.com'], ['a@x.com, b@y.com,'], ['{{contact.email}}'], ['a@x.com, {{contact.email}}']],
  [
    'send_webhook_event',
    ['https://x.example/hook?a=1'],
    ['http://127.0.0.1:8080/hook'],
    [`https://x.example/${'x'.repeat(1982)}`],
  ],
]

describe('every action takes its parameters', () => {
  test.each(accepted.flatMap(([name, ...sets]) => sets.map((params) => [name, params] as const)))(
    '%s %j',
    (name, params) => {
      expect(found(name, params)).toEqual([])
    },
  )

  test('the table has every action once, and each is tried here', () => {
    expect(ACTIONS.map(({ name }) => name).toSorted()).toEqual(accepted.map(([name]) => name).toSorted())
  })

  test('parameters may be left out where there are none', () => {
    for (const name of ['mute_conversation', 'assign_team', 'snooze_conversation']) {
      expect(found(name)).toEqual([])
      expect(found(name, null)).toEqual([])
    }
  })
})

const long = 'x'.repeat(150_001)
const refused: [unknown, unknown, ...string[]][] = [
  ['launch_rocket', [], '/actions/0/action_name unknown_action'],
  [undefined, [], '/actions/0/action_name action_missing'],
  [null, [], '/actions/0/action_name action_missing'],
  [['add_label'], [], '/actions/0/action_name unknown_action'],
  ['constructor', [], '/actions/0/action_name unknown_action'],
  ['add_label', 'x', `${P} params_not_a_list`],
  ['add_label', { 0: 'x' }, `${P} params_not_a_list`],
  ['send_message', undefined, `${P} params_missing`],
  ['send_message', [], `${P} params_missing`],
  ['send_message', ['a', 'b'], `${P} params_too_many`],
  ['send_message', [''], `${P}/0 param_type`],
  ['send_message', [' \n'], `${P}/0 param_type`],
  ['send_message', [5], `${P}/0 param_type`],
  ['send_message', ['Hi {{ contact.name'], `${P}/0 invalid_template`],
  ['send_message', ['{% if x %}'], `${P}/0 invalid_template`],
  ['send_message', ['{{ x | no_such_filter }}'], `${P}/0 invalid_template`],
  ['send_message', [long], `${P}/0 invalid_template`],
  ['add_private_note', ["{% include 'secrets' %}"], `${P}/0 invalid_template`],
  ['send_attachment', [], `${P} params_missing`],
  ['send_attachment', [0], `${P}/0 param_type`],
  ['send_attachment', [''], `${P}/0 param_type`],
  ['send_attachment', Array(51).fill(1), `${P} params_too_many`],
  ['add_label', [], `${P} params_missing`],
  ['add_label', ['a', 5, ''], `${P}/1 param_type`, `${P}/2 param_type`],
  ['add_label', ['x'.repeat(256)], `${P}/0 param_type`],
  ['add_label', Array(101).fill('a'), `${P} params_too_many`],
  ['remove_label', [{}], `${P}/0 param_type`],
  ['assign_agent', [], `${P} params_missing`],
  ['assign_agent', ['someone'], `${P}/0 param_type`],
  ['assign_agent', [0], `${P}/0 param_type`],
  ['assign_agent', [null], `${P}/0 param_type`],
  ['assign_agent', [1, 2], `${P} params_too_many`],
  ['remove_assigned_agent', [7], `${P} params_not_allowed`],
  ['assign_team', ['none'], `${P}/0 param_type`],
  ['assign_team', [1, 2], `${P} params_too_many`],
  ['assign_team', [-1], `${P}/0 param_type`],
  ['change_status', ['closed'], `${P}/0 param_type`],
  ['change_status', [], `${P} params_missing`],
  ['open_conversation', ['x'], `${P} params_not_allowed`],
  ['snooze_conversation', [60], `${P} param_type`],
  ['snooze_conversation', [{}], `${P}/0/duration_minutes param_type`],
  ['snooze_conversation', [{ duration_minutes: 0 }], `${P}/0/duration_minutes param_type`],
  ['snooze_conversation', [{ duration_minutes: 525_601 }], `${P}/0/duration_minutes param_type`],
  ['snooze_conversation', [{ duration_minutes: '60' }], `${P}/0/duration_minutes param_type`],
  ['snooze_conversation', [{ duration_minutes: 60 }, {}], `${P} param_type`],
  ['change_priority', ['highest'], `${P}/0 param_type`],
  ['change_priority', [3], `${P}/0 param_type`],
  ['add_sla', ['gold'], `${P}/0 param_type`],
  ['set_custom_attribute', [], `${P} param_type`],
  ['set_custom_attribute', ['tier'], `${P} param_type`],
  ['set_custom_attribute', [[]], `${P} param_type`],
  ['set_custom_attribute', attribute('tier', 'a', ''), `${P}/0/custom_attribute_type param_type`],
  ['set_custom_attribute', attribute(5, 'a'), `${P}/0/attribute_key param_type`],
  ['set_custom_attribute', attribute('', 'a'), `${P}/0/attribute_key param_type`],
  ['set_custom_attribute', attribute('tier', 'a'), `${P}/0/attribute_key unknown_custom_attribute`],
  ['set_custom_attribute', attribute('tier', 5, 'conversation_attribute'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('tier', '', 'conversation_attribute'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('tier', 'x'.repeat(5001), 'conversation_attribute'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('site', undefined), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('seats', '5'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('seats', Number.POSITIVE_INFINITY), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('renewal', 'soon'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('vip', 'true'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('level', 'Bronze'), `${P}/0/value param_type`],
  ['set_custom_attribute', attribute('open', 5), `${P}/0/value param_type`],
  ['send_email_to_team', ['look'], `${P} param_type`],
  ['send_email_to_team', [null], `${P} param_type`],
  ['send_email_to_team', [{}], `${P}/0/team_ids param_type`, `${P}/0/message param_type`],
  ['send_email_to_team', [{ team_ids: [], message: 'x' }], `${P}/0/team_ids param_type`],
  ['send_email_to_team', [{ team_ids: ['nil'], message: 'x' }], `${P}/0/team_ids param_type`],
  ['send_email_to_team', [{ team_ids: Array(51).fill(1), message: 'x' }], `${P}/0/team_ids param_type`],
  ['send_email_to_team', [{ team_ids: [1], message: '{{ x' }], `${P}/0/message invalid_template`],
  ['send_email_transcript', ['nobody'], `${P}/0 param_type`],
  ['send_email_transcript', [' , '], `${P}/0 param_type`],
  ['send_email_transcript', ['a@x.com, b@'], `${P}/0 param_type`],
  ['send_email_transcript', ['a@x.com\nBcc: b@y.com'], `${P}/0 param_type`],
  ['send_webhook_event', ['x.example/hook'], `${P}/0 param_type`],
  ['send_webhook_event', ['ftp://x.example'], `${P}/0 param_type`],
  ['send_webhook_event', ['xhttp://x.example'], `${P}/0 param_type`],
  ['send_webhook_event', ['https://:secret@x.example'], `${P}/0 param_type`],
  ['send_webhook_event', ['javascript:alert(1)'], `${P}/0 param_type`],
  ['send_webhook_event', ['https://user:secret@x.example'], `${P}/0 param_type`],
  ['send_webhook_event', ['https://user@x.example'], `${P}/0 param_type`],
  ['send_webhook_event', [`https://x.example/${'x'.repeat(2000)}`], `${P}/0 param_type`],
  ['send_webhook_event', [], `${P} params_missing`],
]

describe('and nothing else', () => {
  test.each(refused)('%j %.40j', (name, params, ...faults) => {
    expect(found(name, params)).toEqual(faults)
  })

  test.each([[null], ['x'], [[]], [5]])('an action that is no object: %j', (action) => {
    expect(actionFaults(action, '/actions/3', definitions)).toEqual([
      { pointer: '/actions/3', code: 'action_not_an_object', message: 'an action must be an object' },
    ])
  })

  test('every fault names the action and what is allowed', () => {
    const message = (name: string, params: unknown) =>
      actionFaults({ action_name: name, action_params: params }, '', definitions)[0]?.message
    expect(message('change_status', ['x'])).toBe('change_status: must be one of open, resolved, pending, snoozed')
    expect(message('assign_agent', ['x'])).toBe('assign_agent: must be an id or "nil" or "last_responding_agent"')
    expect(message('add_label', [])).toBe(
      'add_label: action_params must have 1 to 100 values: a text that is not blank, of at most 255 characters',
    )
    expect(message('add_sla', [])).toContain('exactly 1 value: an id')
    expect(message('set_custom_attribute', attribute('level', 'x'))).toContain('one of Gold, Silver or null')
    expect(message('launch_rocket', [])).toContain('send_message, add_private_note')
    expect(message('send_message', ['{{ x'])).toMatch(/^send_message: must be a Liquid template: .*not closed/)
  })
})

test('a stored attribute action is run without asking whether the attribute is still declared', () => {
  const action = { action_name: 'set_custom_attribute', action_params: attribute('gone', 'x') }
  expect(actionFaults(action, '', null)).toEqual([])
})

test('actions leave by the stream unless Dwell does them itself', () => {
  const targets = (target: string) => ACTIONS.filter((action) => action.target === target).map(({ name }) => name)
  expect(targets('smtp')).toEqual(['send_email_to_team', 'send_email_transcript'])
  expect(targets('webhook')).toEqual(['send_webhook_event'])
  expect(targets('stream')).toHaveLength(18)
  expect(actionKind('toString')).toBeUndefined()
})
