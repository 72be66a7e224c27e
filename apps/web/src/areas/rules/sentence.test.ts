import i18next from 'i18next'
import { startTexts } from '../../i18n/texts'
import type { SavedRule } from './rule-draft'
import { tellRule } from './sentence'
import type { Definition } from './vocabulary'

const DEFINITIONS: Definition[] = [
  {
    attribute_key: 'plan',
    attribute_display_name: 'Plan',
    attribute_display_type: 'list',
    attribute_model: 'contact_attribute',
  },
]

beforeAll(() => startTexts())

const is = (attribute_key: string, values: readonly unknown[], query_operator: string | null = null) => ({
  attribute_key,
  filter_operator: 'equal_to',
  values,
  query_operator,
})
const tell = (rule: Partial<SavedRule>) =>
  tellRule(
    {
      name: '',
      description: null,
      event_name: 'conversation_updated',
      conditions: [],
      actions: [{ action_name: 'add_label', action_params: ['stale'] }],
      execution_delay: null,
      ...rule,
    },
    DEFINITIONS,
    i18next.getFixedT('en', 'rules'),
  )

describe('a rule in plain words', () => {
  test.each<[string, Partial<SavedRule>]>([
    [
      'If a conversation stays pending for 4 hours, add the label “stale”.',
      { conditions: [is('status', ['pending'])], execution_delay: 240 },
    ],
    [
      'If a conversation stays pending or open for 90 minutes and the inbox is 5, resolve the conversation.',
      {
        conditions: [is('status', ['pending', 'open'], 'and'), is('inbox_id', [5])],
        execution_delay: 90,
        actions: [{ action_name: 'resolve_conversation', action_params: [] }],
      },
    ],
    [
      'If no agent answers a customer within 30 minutes, unassign the agent.',
      {
        event_name: 'message_created',
        conditions: [is('message_type', ['incoming'])],
        execution_delay: 30,
        actions: [{ action_name: 'assign_agent', action_params: ['nil'] }],
      },
    ],
    [
      'If the customer does not answer our message within 1 day and it is no private note, send the message “Hello?”, then snooze the conversation.',
      {
        event_name: 'message_created',
        conditions: [is('message_type', ['outgoing'], 'and'), is('private_note', [false])],
        execution_delay: 1_440,
        actions: [
          { action_name: 'send_message', action_params: ['Hello?'] },
          { action_name: 'snooze_conversation', action_params: [] },
        ],
      },
    ],
    [
      'As soon as a conversation is created where it has the label “vip” and the city is “Rome”, or Plan is “gold”, assign team 3.',
      {
        event_name: 'conversation_created',
        conditions: [is('labels', ['vip'], 'and'), is('city', ['Rome'], 'or'), is('plan', ['gold'])],
        actions: [{ action_name: 'assign_team', action_params: [3] }],
      },
    ],
    [
      '2 days after a conversation is resolved, add the label “stale”, unless the status has changed since.',
      { event_name: 'conversation_resolved', execution_delay: 2_880 },
    ],
    [
      'As soon as a conversation is updated where the priority changed from nothing to urgent, add the label “stale”.',
      {
        conditions: [
          { attribute_key: 'priority', filter_operator: 'attribute_changed', values: { from: [null], to: ['urgent'] } },
        ],
      },
    ],
    [
      'As soon as a conversation is updated where …, …',
      {
        conditions: [{ attribute_key: '', filter_operator: '', values: [] }],
        actions: [{ action_name: '', action_params: [] }],
      },
    ],
  ])('%s', (sentence, rule) => {
    expect(tell(rule).sentence).toBe(sentence)
  })

  test('says what people stumble over when we wait for the customer, and only then', () => {
    const waits = { event_name: 'message_created', execution_delay: 60 } as const
    expect(tell({ ...waits, conditions: [is('message_type', ['outgoing'])] }).notes).toHaveLength(2)
    const careful = [
      is('message_type', ['outgoing'], 'and'),
      is('private_note', [false], 'and'),
      is('status', ['open']),
    ]
    expect(tell({ ...waits, conditions: careful }).notes).toEqual([])
    expect(tell({ ...waits, conditions: [is('message_type', ['incoming'])] }).notes).toEqual([])
    expect(tell({ conditions: [is('status', ['open'])], execution_delay: 60 }).notes).toEqual([])
  })
})
