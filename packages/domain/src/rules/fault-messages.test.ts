import type { CustomAttributeDefinition, RuleDefinition } from '@dwell/contracts/rule'
import { patchFaults, ruleFaults } from './rule-faults'

// Faults are read by the people who wrote the rule: each says what is allowed, in words that stay as they are.

const definitions: CustomAttributeDefinition[] = [
  { attribute_key: 'tier', attribute_display_type: 'text', attribute_model: 'conversation_attribute' },
  { attribute_key: 'site', attribute_display_type: 'link', attribute_model: 'contact_attribute' },
  { attribute_key: 'seats', attribute_display_type: 'number', attribute_model: 'contact_attribute' },
  { attribute_key: 'renewal', attribute_display_type: 'date', attribute_model: 'contact_attribute' },
  { attribute_key: 'vip', attribute_display_type: 'checkbox', attribute_model: 'contact_attribute' },
  { attribute_key: 'open', attribute_display_type: 'list', attribute_model: 'contact_attribute' },
  {
    attribute_key: 'size',
    attribute_display_type: 'list',
    attribute_model: 'contact_attribute',
    attribute_values: Array.from({ length: 60 }, (_, i) => `s${i + 1}`),
  },
  { attribute_key: 'both', attribute_display_type: 'text', attribute_model: 'contact_attribute' },
  { attribute_key: 'both', attribute_display_type: 'text', attribute_model: 'conversation_attribute' },
]

const pending = {
  attribute_key: 'status',
  filter_operator: 'equal_to',
  values: ['pending'],
  query_operator: null,
  custom_attribute_type: '',
}
const changed = { ...pending, filter_operator: 'attribute_changed', values: { from: ['open'] } }
const content = { ...pending, attribute_key: 'content', values: ['x'] }
const label = { action_name: 'add_label', action_params: ['x'] }
const valid = { name: 'R1', event_name: 'conversation_updated', conditions: [pending], actions: [label] }

function messages(change: object): string[] {
  return ruleFaults({ ...valid, ...change }, definitions).faults.map(({ message }) => message)
}

test.each([
  [{ name: '' }, 'name must be a text of 1 to 255 characters, not blank'],
  [{ description: ['a'] }, 'description must be null or a text of at most 5000 characters'],
  [
    { event_name: 'x' },
    'event_name must be one of conversation_created, conversation_updated, conversation_opened, conversation_resolved, message_created',
  ],
  [{ active: 'x' }, 'active must be true or false'],
  [{ conditions: 'x' }, 'conditions must be a list; an empty one takes every event of the kind'],
  [
    { conditions: Array(101).fill({ ...pending, query_operator: 'and' }) },
    'conditions may have at most 100 entries, not 101',
  ],
  [{ conditions: ['x'] }, 'a condition must be an object'],
  [{ actions: [] }, 'actions must be a list of at least one action'],
  [{ actions: Array(51).fill(label) }, 'actions may have at most 50 entries, not 51'],
  [{ conditions: [content] }, 'content is an attribute of messages; event_name must be message_created'],
  [
    { conditions: [changed], event_name: 'message_created' },
    'attribute_changed needs an event of the conversation; event_name must be one of conversation_created, conversation_updated, conversation_opened, conversation_resolved',
  ],
  [
    { conditions: [changed], execution_delay: 60 },
    'execution_delay must be null while a condition uses attribute_changed',
  ],
  [{ name: 'a\0' }, 'a text must not contain a NUL or an unpaired surrogate'],
  [{ conditions: [{ ...pending, 'k\0': 1 }] }, 'a key must not contain a NUL or an unpaired surrogate'],
])('a rule %#: %.60j', (change, message) => {
  expect(messages(change)).toEqual([message])
})

test('what is nested too deep says how deep it may be', () => {
  const deep = Array.from({ length: 40 }).reduce((value) => [value], 'x' as unknown)
  expect(messages({ conditions: [{ ...pending, note: deep }] })).toEqual(['must not be nested deeper than 32 levels'])
})

test.each([
  [{ attribute_key: '' }, 'attribute_key must be the key of an attribute'],
  [{ attribute_key: 'shoe_size' }, 'shoe_size is no attribute and no custom attribute of that name is declared'],
  [
    { attribute_key: 'tier', custom_attribute_type: 'contact_attribute' },
    'no custom attribute tier of type contact_attribute is declared',
  ],
  [
    { attribute_key: 'tier', custom_attribute_type: 'x' },
    'custom_attribute_type must be empty, conversation_attribute or contact_attribute',
  ],
  [
    { attribute_key: 'both' },
    'both is declared for conversations and contacts; custom_attribute_type must say conversation_attribute or contact_attribute',
  ],
  [
    { filter_operator: null },
    'filter_operator must be one of equal_to, not_equal_to, is_present, is_not_present, attribute_changed',
  ],
  [{ values: 'pending' }, 'values of status equal_to must be a list, e.g. ["open"]'],
  [{ values: Array(201).fill('open') }, 'values of status equal_to takes at most 200 values, not 201'],
  [{ values: [5] }, 'a value of status equal_to must be a text, one of open, resolved, pending, snoozed, all'],
  [{ attribute_key: 'priority', values: ['x'] }, 'a value of priority must be one of low, medium, high, urgent'],
  [
    { attribute_key: 'inbox_id', values: ['x'] },
    'a value of inbox_id equal_to must be an id: a positive whole number, or its digits as text',
  ],
  [{ attribute_key: 'tier', values: [''] }, 'a value of tier equal_to must be a text that is not empty'],
  [{ attribute_key: 'tier', values: ['x'.repeat(2001)] }, 'a value may have at most 2000 characters'],
  [{ attribute_key: 'vip', values: ['true'] }, 'a value of vip equal_to must be true or false, not a text'],
  [{ attribute_key: 'seats', values: ['x'] }, 'a value of seats equal_to must be a number'],
  [
    { attribute_key: 'renewal', values: ['x'] },
    'a value of renewal equal_to must be a date as YYYY-MM-DD or an ISO 8601 instant',
  ],
  [
    { attribute_key: 'renewal', filter_operator: 'days_before', values: ['x'] },
    'a value of renewal days_before must be a whole number of days from 0 to 36500',
  ],
  [
    { ...changed, values: 'open' },
    'values of status attribute_changed must be an object with the lists from and to, either may be left out',
  ],
  [{ ...changed, values: { from: 'open' } }, 'from of status attribute_changed must be a list, e.g. ["open"]'],
  [
    { ...changed, values: { to: [] } },
    'to of status attribute_changed must not be empty; leave it out to allow any value',
  ],
  [
    { ...changed, values: { to: Array(201).fill('open') } },
    'to of status attribute_changed takes at most 200 values, not 201',
  ],
  [
    { ...changed, values: { from: [5] } },
    'a value of status attribute_changed must be a text, one of open, resolved, pending, snoozed, all',
  ],
])('a condition %#: %.60j', (change, message) => {
  expect(messages({ conditions: [{ ...pending, ...change }] })).toEqual([message])
})

test('a condition without a joiner to the next one', () => {
  expect(messages({ conditions: [pending, pending] })).toEqual([
    'query_operator must be and or or: it joins this condition to the next one',
  ])
})

const attribute = (attribute_key: unknown, value: unknown, custom_attribute_type: unknown = 'contact_attribute') => [
  { attribute_key, value, custom_attribute_type },
]

test.each<[string, unknown, string]>([
  ['add_label', 'x', 'action_params must be a list'],
  ['mute_conversation', ['x'], 'mute_conversation: action_params must be an empty list'],
  ['add_label', [' '], 'add_label: must be a text that is not blank, of at most 255 characters'],
  ['send_attachment', [' '], 'send_attachment: must be an id: a positive whole number or a text'],
  ['send_message', [' '], 'send_message: must be a text that is not blank'],
  ['add_sla', ['x'], 'add_sla: must be an id: a positive whole number, or its digits as text'],
  ['send_email_transcript', ['x'], 'send_email_transcript: must be e-mail addresses separated by commas'],
  ['send_email_to_team', [], 'send_email_to_team: action_params must be [{"team_ids": [1], "message": "text"}]'],
  [
    'send_email_to_team',
    [{ team_ids: [1, 'x'], message: 'x' }],
    'send_email_to_team: team_ids must be a list of 1 to 50 ids',
  ],
  ['snooze_conversation', [5], 'snooze_conversation: action_params must be [{"duration_minutes": 240}]'],
  [
    'snooze_conversation',
    [{}],
    'snooze_conversation: duration_minutes must be a whole number of minutes from 1 to 525600',
  ],
  [
    'set_custom_attribute',
    [null],
    'set_custom_attribute: action_params must be [{"custom_attribute_type": "conversation_attribute", "attribute_key": "key", "value": "text"}]',
  ],
  [
    'set_custom_attribute',
    attribute('tier', 'x', 'x'),
    'set_custom_attribute: custom_attribute_type must be one of conversation_attribute, contact_attribute',
  ],
  [
    'set_custom_attribute',
    attribute('', 'x'),
    'set_custom_attribute: attribute_key must be the key of a custom attribute',
  ],
  [
    'set_custom_attribute',
    attribute('x'.repeat(300), 'x'),
    `set_custom_attribute: no custom attribute ${'x'.repeat(255)} of type contact_attribute is declared`,
  ],
  [
    'set_custom_attribute',
    attribute('site', ''),
    'set_custom_attribute: value must be a text of at most 5000 characters or null',
  ],
  [
    'set_custom_attribute',
    attribute('open', ''),
    'set_custom_attribute: value must be one of the values of the list or null',
  ],
  [
    'set_custom_attribute',
    attribute('size', 'x'),
    `set_custom_attribute: value must be one of ${Array.from({ length: 50 }, (_, i) => `s${i + 1}`).join(', ')} or null`,
  ],
  ['set_custom_attribute', attribute('seats', '5'), 'set_custom_attribute: value must be a number or null'],
  ['set_custom_attribute', attribute('vip', 'x'), 'set_custom_attribute: value must be true or false or null'],
  [
    'set_custom_attribute',
    attribute('renewal', 'x'),
    'set_custom_attribute: value must be a date as YYYY-MM-DD or null',
  ],
  [
    'send_webhook_event',
    ['ftp://x'],
    'send_webhook_event: must be an http or https address without user and password, of at most 2000 characters',
  ],
])('an action %#: %s', (action_name, action_params, message) => {
  expect(messages({ actions: [{ action_name, action_params }] })).toEqual([message])
})

test('a change of a rule repeats no fault that lies in the rule alone', () => {
  const stored = { ...valid, description: null, active: true, execution_delay: 60 } as RuleDefinition
  const misfits = [{ conditions: [content] }, { conditions: [changed] }]
  for (const misfit of misfits) {
    const rule = { ...stored, ...misfit } as unknown as RuleDefinition
    expect(patchFaults(rule, { name: 'renamed' }, definitions).faults).toEqual([])
  }
})

test('conditions are not held against an event that does not exist', () => {
  expect(ruleFaults({ ...valid, event_name: 'x', conditions: [content] }, definitions).faults).toMatchObject([
    { pointer: '/event_name', code: 'unknown_event' },
  ])
  expect(ruleFaults({ ...valid, event_name: null }, definitions).faults).toMatchObject([{ code: 'event_missing' }])
})
