import type { CustomAttributeDefinition, RuleDefinition } from '@dwell/contracts/rule'
import fc from 'fast-check'
import { ATTRIBUTES } from './attributes'
import { compileConditions } from './compile-conditions'
import { OPERATORS } from './operators'
import { patchFaults, ruleFaults } from './rule-faults'

const definitions: CustomAttributeDefinition[] = [
  { attribute_key: 'tier', attribute_display_type: 'text', attribute_model: 'conversation_attribute' },
  { attribute_key: 'seats', attribute_display_type: 'number', attribute_model: 'contact_attribute' },
  { attribute_key: 'renewal', attribute_display_type: 'date', attribute_model: 'contact_attribute' },
  { attribute_key: 'vip', attribute_display_type: 'checkbox', attribute_model: 'contact_attribute' },
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
const label = { action_name: 'add_label', action_params: ['x'] }
const valid = { name: 'R1', event_name: 'conversation_updated', conditions: [pending], actions: [label] }

function found(body: unknown): string[] {
  return ruleFaults(body, definitions).faults.map(({ pointer, code }) => `${pointer} ${code}`)
}

function foundIn(condition: object, more: object = {}): string[] {
  return found({ ...valid, conditions: [{ ...pending, ...condition }], ...more })
}

describe('a rule without faults', () => {
  test('comes back as it was sent, with what was left out filled in', () => {
    expect(ruleFaults({ ...valid, id: 7, created_at: 'x', broken: false }, definitions)).toEqual({
      faults: [],
      rule: { ...valid, description: null, active: true, execution_delay: null },
    })
    const full = { ...valid, description: 'd', active: false, execution_delay: 240 }
    expect(ruleFaults(full, definitions).rule).toEqual(full)
  })

  test('keeps conditions and actions exactly as they were written', () => {
    const conditions = [
      { ...pending, attribute_key: 'inbox_id', values: [5, '6'], query_operator: 'OR', note: 'mine' },
      { attribute_key: 'labels', filter_operator: 'is_present' },
    ]
    const actions = [
      { action_name: 'send_email_to_team', action_params: [{ team_ids: [3], message: 'look', note: 1 }] },
      { action_name: 'mute_conversation' },
    ]
    expect(ruleFaults({ ...valid, conditions, actions }, definitions).rule).toMatchObject({
      conditions,
      actions: [actions[0], { action_name: 'mute_conversation', action_params: [] }],
    })
  })

  test('may have no condition at all, but has to say so', () => {
    expect(found({ ...valid, conditions: [] })).toEqual([])
    expect(found({ ...valid, conditions: undefined })).toEqual(['/conditions conditions_missing'])
  })
})

test.each([[null], [undefined], ['text'], [5], [[]], [true]])('a body that is no object is one fault: %j', (body) => {
  expect(ruleFaults(body, definitions)).toEqual({
    faults: [{ pointer: '', code: 'body_not_an_object', message: 'the body must be a JSON object' }],
    rule: null,
  })
  expect(patchFaults(ruleFaults(valid, definitions).rule as RuleDefinition, body, definitions)).toMatchObject({
    faults: [{ pointer: '', code: 'body_not_an_object' }],
    rule: null,
  })
})

test('all faults of a request are reported at once', () => {
  const body = {
    event_name: 'conversation_updated',
    description: 5,
    active: 'yes',
    conditions: [
      { ...pending, attribute_key: 'content', filter_operator: 'contains', values: ['x'], query_operator: 'and' },
      { ...pending, filter_operator: 'sounds_like', query_operator: 'XOR' },
      pending,
    ],
    actions: [{ action_name: 'launch_rocket', action_params: [] }],
    execution_delay: 5,
  }
  expect(found(body)).toEqual([
    '/name name_missing',
    '/description invalid_description',
    '/conditions/1/filter_operator unknown_operator',
    '/conditions/1/query_operator unknown_joiner',
    '/conditions/0/attribute_key attribute_not_for_event',
    '/actions/0/action_name unknown_action',
    '/active invalid_active',
    '/execution_delay invalid_delay',
  ])
})

describe('fields', () => {
  test.each([
    [{ name: undefined }, '/name name_missing'],
    [{ name: null }, '/name name_missing'],
    [{ name: '' }, '/name invalid_name'],
    [{ name: ' \n' }, '/name invalid_name'],
    [{ name: 5 }, '/name invalid_name'],
    [{ name: 'x'.repeat(256) }, '/name invalid_name'],
    [{ name: 'a\0b' }, '/name unstorable_text'],
    [{ name: '\ud800' }, '/name unstorable_text'],
    [{ description: 'x'.repeat(5001) }, '/description invalid_description'],
    [{ description: '\udc00' }, '/description unstorable_text'],
    [{ event_name: undefined }, '/event_name event_missing'],
    [{ event_name: 'conversation_exploded' }, '/event_name unknown_event'],
    [{ event_name: 'conversation_deleted' }, '/event_name unknown_event'],
    [{ event_name: ['message_created'] }, '/event_name unknown_event'],
    [{ active: null }, '/active invalid_active'],
    [{ active: 1 }, '/active invalid_active'],
    [{ conditions: null }, '/conditions conditions_not_a_list'],
    [{ conditions: {} }, '/conditions conditions_not_a_list'],
    [{ conditions: Array(101).fill({ ...pending, query_operator: 'and' }) }, '/conditions too_many_conditions'],
    [{ conditions: ['x'] }, '/conditions/0 condition_not_an_object'],
    [{ conditions: [null] }, '/conditions/0 condition_not_an_object'],
    [{ conditions: [[pending]] }, '/conditions/0 condition_not_an_object'],
    [{ actions: undefined }, '/actions actions_missing'],
    [{ actions: [] }, '/actions actions_missing'],
    [{ actions: label }, '/actions actions_not_a_list'],
    [{ actions: Array(51).fill(label) }, '/actions too_many_actions'],
    [{ actions: ['x'] }, '/actions/0 action_not_an_object'],
  ])('%#: %j', (change, fault) => {
    expect(found({ ...valid, ...change })).toEqual([fault])
  })

  test('at their limits are fine', () => {
    const most = {
      name: 'x'.repeat(255),
      description: 'x'.repeat(5000),
      conditions: Array(100).fill({ ...pending, query_operator: 'and' }),
      actions: Array(50).fill(label),
    }
    expect(found({ ...valid, ...most })).toEqual([])
  })

  test('texts that cannot be stored are found wherever they hide', () => {
    const conditions = [{ ...pending, 'a/b~c': { deep: ['ok', 'x\0'] }, 'k\0': 1 }]
    const actions = [{ ...label, action_params: ['\ud83d'] }]
    expect(found({ ...valid, conditions, actions })).toEqual([
      '/conditions/0/a~1b~0c/deep/1 unstorable_text',
      '/conditions/0 unstorable_text',
      '/actions/0/action_params/0 unstorable_text',
    ])
    expect(found({ ...valid, name: '😀' })).toEqual([])
  })

  test('32 levels of nesting are enough for every rule, 33 are too many', () => {
    const nested = (levels: number) => Array.from({ length: levels }).reduce((value) => [value], 'x' as unknown)
    const within = (levels: number) => found({ ...valid, conditions: [{ ...pending, note: nested(levels) }] })
    expect(within(30)).toEqual([])
    expect(within(31)).toEqual([expect.stringMatching(/nested_too_deep$/)])
  })

  test('nothing may be nested without end, nor reported without end', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 5000; i++) deep = [deep]
    expect(found({ ...valid, conditions: [{ ...pending, deep }] })).toEqual([
      expect.stringMatching(/^\/conditions\/0\/deep\/0.* nested_too_deep$/),
    ])
    expect(found({ ...valid, conditions: [{ ...pending, list: Array(1000).fill('\0') }] })).toHaveLength(20)
  })
})

describe('the delay', () => {
  test.each([[10], [240], [43_200], [null], [undefined]])('%j is accepted', (execution_delay) => {
    expect(ruleFaults({ ...valid, execution_delay }, definitions)).toMatchObject({
      faults: [],
      rule: { execution_delay: execution_delay ?? null },
    })
  })

  test.each([
    [9],
    [0],
    [-10],
    [43_201],
    [10.5],
    ['abc'],
    ['60'],
    [''],
    [true],
    [false],
    [[60]],
    [{ minutes: 60 }],
    [Number.NaN],
  ])('%j is refused', (execution_delay) => {
    expect(ruleFaults({ ...valid, execution_delay }, definitions)).toEqual({
      faults: [
        {
          pointer: '/execution_delay',
          code: 'invalid_delay',
          message: 'execution_delay must be null or a whole number of minutes from 10 to 43200',
        },
      ],
      rule: null,
    })
  })

  test('excludes attribute_changed, wherever it stands in the chain', () => {
    const conditions = [{ ...pending, query_operator: 'or' }, changed]
    expect(found({ ...valid, conditions })).toEqual([])
    expect(found({ ...valid, conditions, execution_delay: 60 })).toEqual([
      '/execution_delay delay_with_attribute_changed',
    ])
  })
})

describe('a condition', () => {
  test.each([
    [{ attribute_key: undefined }, '/conditions/0/attribute_key attribute_missing'],
    [{ attribute_key: 5 }, '/conditions/0/attribute_key attribute_missing'],
    [{ attribute_key: '' }, '/conditions/0/attribute_key attribute_missing'],
    [{ attribute_key: 'x'.repeat(256) }, '/conditions/0/attribute_key unknown_attribute'],
    [{ attribute_key: 'shoe_size' }, '/conditions/0/attribute_key unknown_attribute'],
    [{ attribute_key: 'Status' }, '/conditions/0/attribute_key unknown_attribute'],
    [{ attribute_key: 'constructor' }, '/conditions/0/attribute_key unknown_attribute'],
    [
      { attribute_key: 'status', custom_attribute_type: 'contact_attribute' },
      '/conditions/0/attribute_key unknown_custom_attribute',
    ],
    [
      { attribute_key: 'tier', custom_attribute_type: 'contact_attribute' },
      '/conditions/0/attribute_key unknown_custom_attribute',
    ],
    [
      { attribute_key: 'tier', custom_attribute_type: 'team_attribute' },
      '/conditions/0/custom_attribute_type unknown_custom_attribute_type',
    ],
    [
      { attribute_key: 'tier', custom_attribute_type: 5 },
      '/conditions/0/custom_attribute_type unknown_custom_attribute_type',
    ],
    [{ attribute_key: 'both' }, '/conditions/0/custom_attribute_type ambiguous_attribute'],
    [{ filter_operator: undefined }, '/conditions/0/filter_operator operator_missing'],
    [{ filter_operator: 'sounds_like' }, '/conditions/0/filter_operator unknown_operator'],
    [{ filter_operator: ['equal_to'] }, '/conditions/0/filter_operator unknown_operator'],
    [{ filter_operator: 'contains' }, '/conditions/0/filter_operator operator_not_allowed'],
    [
      { attribute_key: 'seats', filter_operator: 'days_before', values: [1] },
      '/conditions/0/filter_operator operator_not_allowed',
    ],
    [{ values: undefined }, '/conditions/0/values values_not_a_list'],
    [{ values: 'pending' }, '/conditions/0/values values_not_a_list'],
    [{ values: { 0: 'pending' } }, '/conditions/0/values values_not_a_list'],
    [{ values: [] }, '/conditions/0/values values_empty'],
    [{ values: Array(201).fill('open') }, '/conditions/0/values values_too_many'],
    [{ values: ['closed'] }, '/conditions/0/values/0 value_not_allowed'],
    [{ values: ['open', 5] }, '/conditions/0/values/1 value_type'],
    [{ attribute_key: 'priority', values: [3] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'priority', values: ['all'] }, '/conditions/0/values/0 value_not_allowed'],
    [{ attribute_key: 'inbox_id', values: ['five'] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'inbox_id', values: [0] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'inbox_id', values: [5.5] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'inbox_id', values: [null] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'labels', values: [''] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'labels', values: [5] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'labels', values: ['x'.repeat(2001)] }, '/conditions/0/values/0 text_too_long'],
    [{ attribute_key: 'vip', values: ['true'] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'seats', values: ['many'] }, '/conditions/0/values/0 value_type'],
    [{ attribute_key: 'renewal', values: ['2026-02-30'] }, '/conditions/0/values/0 value_type'],
    [
      { attribute_key: 'renewal', filter_operator: 'is_less_than', values: ['2026-01-01', '2026-01-02'] },
      '/conditions/0/values values_too_many',
    ],
    [{ attribute_key: 'renewal', filter_operator: 'days_before', values: [-1] }, '/conditions/0/values/0 value_type'],
    [
      { attribute_key: 'renewal', filter_operator: 'days_before', values: ['soon'] },
      '/conditions/0/values/0 value_type',
    ],
    [
      { attribute_key: 'renewal', filter_operator: 'days_before', values: [36_501] },
      '/conditions/0/values/0 value_type',
    ],
    [{ ...changed, values: 'open' }, '/conditions/0/values values_not_a_change'],
    [{ ...changed, values: ['open'] }, '/conditions/0/values values_not_a_change'],
    [{ ...changed, values: { from: 'open' } }, '/conditions/0/values/from values_not_a_list'],
    [{ ...changed, values: { to: [] } }, '/conditions/0/values/to values_empty'],
    [{ ...changed, values: { to: ['open', 'closed'] } }, '/conditions/0/values/to/1 value_not_allowed'],
    [{ ...changed, values: { from: Array(201).fill('open') } }, '/conditions/0/values/from values_too_many'],
    [
      { attribute_key: 'private_note', filter_operator: 'is_present' },
      '/conditions/0/filter_operator operator_not_allowed',
    ],
  ])('%#: %j', (change, fault) => {
    const event =
      (change as { attribute_key?: string }).attribute_key === 'private_note'
        ? 'message_created'
        : 'conversation_updated'
    expect(foundIn(change, { event_name: event })).toEqual([fault])
  })

  test.each([
    [{ values: ['Pending', 'ALL'] }],
    [{ values: Array(200).fill('open') }],
    [{ ...changed, values: { from: Array(200).fill('open'), to: ['open'] } }],
    [{ attribute_key: 'labels', values: ['x'.repeat(2000)] }],
    [{ attribute_key: 'inbox_id', values: ['5', 6] }],
    [{ attribute_key: 'tier', values: ['a'] }],
    [{ attribute_key: 'tier', values: ['a'], custom_attribute_type: 'conversation_attribute' }],
    [{ attribute_key: 'tier', values: ['a'], custom_attribute_type: null }],
    [{ attribute_key: 'seats', values: ['10', 5.5, -1] }],
    [{ attribute_key: 'renewal', values: ['2026-09-01', '2026-09-01T10:00:00Z'] }],
    [{ attribute_key: 'renewal', filter_operator: 'days_before', values: ['0'] }],
    [{ attribute_key: 'renewal', filter_operator: 'days_before', values: [36_500] }],
    [{ attribute_key: 'vip', values: [false] }],
    [{ filter_operator: 'is_present', values: undefined }],
    [{ filter_operator: 'is_present', values: ['ignored'] }],
    [{ ...changed, values: undefined }],
    [{ ...changed, values: null }],
    [{ ...changed, values: [] }],
    [{ ...changed, values: { from: [null], to: null } }],
    [{ query_operator: 'XOR' }],
    [{ query_operator: undefined }],
  ])('%#: %j is fine', (change) => {
    expect(foundIn(change)).toEqual([])
  })

  test('needs a joiner to the next one, and one that exists', () => {
    const joined = (query_operator: unknown) =>
      found({ ...valid, conditions: [{ ...pending, query_operator }, pending] })
    for (const joiner of ['and', 'OR', 'And']) expect(joined(joiner)).toEqual([])
    for (const joiner of [null, undefined, ''])
      expect(joined(joiner)).toEqual(['/conditions/0/query_operator joiner_missing'])
    expect(found({ ...valid, conditions: ['x', pending] })).toEqual([
      '/conditions/0 condition_not_an_object',
      '/conditions/0/query_operator joiner_missing',
    ])
    for (const joiner of ['XOR', 'AND 1=1 --', 5, ['and'], ' and']) {
      expect(joined(joiner)).toEqual(['/conditions/0/query_operator unknown_joiner'])
    }
  })

  test('on a message needs the event message_created, on a change one of the conversation', () => {
    for (const key of ['message_type', 'content', 'private_note']) {
      const values = key === 'private_note' ? [true] : ['incoming']
      expect(foundIn({ attribute_key: key, values })).toEqual(['/conditions/0/attribute_key attribute_not_for_event'])
      expect(foundIn({ attribute_key: key, values }, { event_name: 'message_created' })).toEqual([])
    }
    expect(foundIn(changed, { event_name: 'message_created' })).toEqual([
      '/conditions/0/filter_operator operator_not_for_event',
    ])
    for (const event_name of ['conversation_created', 'conversation_opened', 'conversation_resolved']) {
      expect(foundIn(changed, { event_name })).toEqual([])
    }
  })

  test('every fault says what is allowed', () => {
    const messages = (change: object) =>
      ruleFaults({ ...valid, conditions: [{ ...pending, ...change }] }, definitions).faults.map(
        ({ message }) => message,
      )
    expect(messages({ filter_operator: 'contains' })[0]).toBe(
      'status does not take contains; filter_operator must be one of equal_to, not_equal_to, is_present, is_not_present, attribute_changed',
    )
    expect(messages({ attribute_key: 'x'.repeat(256) })[0]).toBe('attribute_key may have at most 255 characters')
    expect(messages({ attribute_key: 'x'.repeat(255) })[0]).toContain('is no attribute')
    expect(messages({ filter_operator: 'x' })[0]).toContain('equal_to, not_equal_to, is_present')
    expect(messages({ attribute_key: 'gone', filter_operator: 'x' })[1]).toContain('days_before')
    expect(messages({ values: ['closed'] })[0]).toBe(
      'a value of status must be one of open, resolved, pending, snoozed, all',
    )
    expect(messages({ values: [] })[0]).toBe('values of status equal_to must not be empty, e.g. ["open"]')
    for (const [key, example] of [
      ['inbox_id', '[5]'],
      ['labels', '["text"]'],
      ['vip', '[true]'],
      ['seats', '[10]'],
      ['renewal', '["2026-09-01"]'],
    ]) {
      expect(messages({ attribute_key: key, values: [] })[0]).toContain(`e.g. ${example}`)
    }
    expect(messages({ attribute_key: 'renewal', filter_operator: 'days_before', values: [] })[0]).toContain('e.g. [5]')
    expect(messages({ attribute_key: 'renewal', filter_operator: 'days_before', values: [1, 2] })[0]).toContain(
      'exactly one value, not 2',
    )
  })
})

describe('a change of a stored rule', () => {
  const stored = (change: object = {}) =>
    ({ ...valid, description: null, active: true, execution_delay: null, ...change }) as RuleDefinition
  const patch = (rule: RuleDefinition, change: unknown) => {
    const { faults, rule: merged } = patchFaults(rule, change, definitions)
    return { faults: faults.map(({ pointer, code }) => `${pointer} ${code}`), rule: merged }
  }

  test('leaves alone what it does not name', () => {
    const rule = stored({ execution_delay: 60 })
    expect(patch(rule, { name: 'renamed' })).toEqual({ faults: [], rule: { ...rule, name: 'renamed' } })
    expect(patch(rule, { execution_delay: null, unknown: 1, name: undefined })).toEqual({
      faults: [],
      rule: { ...rule, execution_delay: null },
    })
    expect(patch(rule, {})).toEqual({ faults: [], rule })
  })

  test('is checked like a new rule where it names something', () => {
    expect(
      patch(stored(), { name: null, active: 'x', conditions: null, actions: [], execution_delay: 9 }).faults,
    ).toEqual([
      '/name name_missing',
      '/conditions conditions_not_a_list',
      '/actions actions_missing',
      '/active invalid_active',
      '/execution_delay invalid_delay',
    ])
    expect(patch(stored(), { description: '\0' })).toEqual({ faults: ['/description unstorable_text'], rule: null })
  })

  test('may not bring a delay and attribute_changed together, from either side', () => {
    expect(patch(stored({ conditions: [changed] }), { execution_delay: 60 }).faults).toEqual([
      '/execution_delay delay_with_attribute_changed',
    ])
    expect(patch(stored({ execution_delay: 60 }), { conditions: [changed] }).faults).toEqual([
      '/execution_delay delay_with_attribute_changed',
    ])
    expect(patch(stored({ execution_delay: 60 }), { conditions: [changed], execution_delay: null }).faults).toEqual([])
    expect(patch(stored({ conditions: [changed] }), { execution_delay: 60, conditions: [pending] }).faults).toEqual([])
  })

  test('of the event alone is at fault where the stored conditions do not fit it', () => {
    const content = { ...pending, attribute_key: 'content', values: ['x'] }
    expect(
      patch(stored({ event_name: 'message_created', conditions: [content] }), { event_name: 'conversation_updated' }),
    ).toEqual({
      faults: ['/event_name attribute_not_for_event'],
      rule: null,
    })
    expect(patch(stored({ conditions: [changed] }), { event_name: 'message_created' }).faults).toEqual([
      '/event_name operator_not_for_event',
    ])
    expect(patch(stored(), { conditions: [content] }).faults).toEqual([
      '/conditions/0/attribute_key attribute_not_for_event',
    ])
    expect(patch(stored(), { conditions: [content], event_name: 'message_created' }).faults).toEqual([])
  })

  test('goes through although the stored rule is broken elsewhere', () => {
    const broken = stored({ conditions: [{ ...pending, attribute_key: 'deleted' }] })
    expect(patch(broken, { name: 'x', active: false, execution_delay: 60 }).faults).toEqual([])
    expect(patch(broken, { conditions: broken.conditions }).faults).toEqual([
      '/conditions/0/attribute_key unknown_attribute',
    ])
  })
})

describe('whatever is sent', () => {
  const anything = fc.anything({ maxDepth: 3 })
  const condition = fc.oneof(
    fc.record(
      {
        attribute_key: fc.oneof(
          fc.constantFrom(...ATTRIBUTES.map(({ key }) => key), 'tier', 'seats', 'renewal'),
          anything,
        ),
        filter_operator: fc.oneof(fc.constantFrom(...OPERATORS), anything),
        values: fc.oneof(fc.array(fc.oneof(fc.constantFrom('open', 5, '5', true, '2026-01-01'), anything)), anything),
        query_operator: fc.constantFrom('and', 'or', null, 'xor'),
        custom_attribute_type: fc.constantFrom('', null, 'contact_attribute', 'conversation_attribute', 5),
      },
      { requiredKeys: [] },
    ),
    anything,
  )
  const body = fc.record(
    {
      name: fc.oneof(fc.constant('R'), anything),
      event_name: fc.oneof(fc.constantFrom('message_created', 'conversation_updated'), anything),
      conditions: fc.oneof(fc.array(condition, { maxLength: 3 }), anything),
      actions: fc.oneof(fc.constant([label]), anything),
      execution_delay: fc.oneof(fc.constantFrom(null, 60), anything),
    },
    { requiredKeys: [] },
  )

  test('there is an answer: faults with pointer, code and message, or a rule that compiles unbroken', () => {
    fc.assert(
      fc.property(body, (sent) => {
        const { faults, rule } = ruleFaults(sent, definitions)
        expect(rule === null).toBe(faults.length > 0)
        for (const fault of faults) {
          expect(fault.pointer).toMatch(
            /^\/(name|description|event_name|conditions|actions|active|execution_delay)(\/|$)/,
          )
          expect(fault.code).toMatch(/^[a-z]+(_[a-z]+)*$/)
          expect(fault.message.length).toBeGreaterThan(10)
        }
        if (rule !== null) expect(compileConditions(rule.conditions, definitions).broken).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })
})
