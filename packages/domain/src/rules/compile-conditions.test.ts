import type { Micros } from '@dwell/contracts/instant'
import type { Condition, CustomAttributeDefinition } from '@dwell/contracts/rule'
import fc from 'fast-check'
import { ATTRIBUTES } from './attributes'
import { compileConditions } from './compile-conditions'
import type { Situation } from './conditions'
import { UNKNOWN_CONTACT, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'
import { OPERATORS } from './operators'

const NOW = (Date.UTC(2026, 8, 1, 12) * 1000) as Micros

type Facts = { conversation?: object; contact?: object | null; message?: object | null } & Partial<
  Pick<Situation, 'changed' | 'now' | 'timeZone'>
>

function situation({ conversation, contact, message, ...rest }: Facts = {}): Situation {
  return {
    conversation: { ...UNKNOWN_CONVERSATION, ...conversation },
    contact: contact ? { ...UNKNOWN_CONTACT, ...contact } : null,
    message: message ? { ...UNKNOWN_MESSAGE, ...message } : null,
    changed: null,
    now: NOW,
    timeZone: 'UTC',
    ...rest,
  }
}

function condition(
  key: string,
  operator: string,
  values: unknown = [],
  joiner: string | null = null,
  type: string = '',
): Condition {
  return {
    attribute_key: key,
    filter_operator: operator,
    values: values as never,
    query_operator: joiner,
    custom_attribute_type: type,
  }
}

function holds(conditions: Condition[], facts: Facts = {}, definitions: CustomAttributeDefinition[] = []): boolean {
  const compiled = compileConditions(conditions, definitions)
  expect(compiled.broken).toEqual([])
  return compiled.matches(situation(facts))
}

function declare(
  type: CustomAttributeDefinition['attribute_display_type'],
  model: CustomAttributeDefinition['attribute_model'] = 'contact_attribute',
  key = 'x',
): CustomAttributeDefinition {
  return { attribute_key: key, attribute_display_type: type, attribute_model: model }
}

describe('the chain is one boolean expression', () => {
  const chain = (and = 'and', or = 'or', trailing: string | null = null) => [
    condition('status', 'equal_to', ['open'], or),
    condition('priority', 'equal_to', ['urgent'], and),
    condition('team_id', 'equal_to', [3], trailing),
  ]
  test.each([
    ['open', null, null, true],
    ['resolved', 'urgent', 3, true],
    ['resolved', 'urgent', 4, false],
    ['resolved', null, 3, false],
  ])('AND binds tighter than OR, in any letter case: %s, %s, team %s', (status, priority, team_id, expected) => {
    for (const written of [chain(), chain('AND', 'Or'), chain('And', 'OR', 'and'), chain('and', 'or', 'XOR')]) {
      expect(holds(written, { conversation: { status, priority, team_id } })).toBe(expected)
    }
  })

  test('groups before and after an OR are whole', () => {
    const written = [
      condition('status', 'equal_to', ['open'], 'and'),
      condition('priority', 'equal_to', ['urgent'], 'or'),
      condition('team_id', 'equal_to', [3], 'and'),
      condition('inbox_id', 'equal_to', [5]),
    ]
    expect(holds(written, { conversation: { status: 'open', inbox_id: 5 } })).toBe(false)
    expect(holds(written, { conversation: { status: 'open', priority: 'urgent' } })).toBe(true)
    expect(holds(written, { conversation: { team_id: 3, inbox_id: 5 } })).toBe(true)
    expect(holds(written, { conversation: { priority: 'urgent', team_id: 3 } })).toBe(false)
  })

  test('without conditions every event is taken', () => {
    expect(compileConditions([], [])).toMatchObject({ onlyStatusAndInbox: true, broken: [] })
    expect(holds([])).toBe(true)
  })

  test('the order of conditions joined alike never matters', () => {
    const pool = [
      condition('assignee_id', 'is_present'),
      condition('labels', 'equal_to', ['bug']),
      condition('labels', 'not_equal_to', ['vip']),
      condition('content', 'contains', ['x']),
      condition('status', 'equal_to', ['open']),
    ]
    const facts = fc.record({
      conversation: fc.record({
        assignee_id: fc.constantFrom(null, 7),
        labels: fc.subarray(['bug', 'vip']),
        status: fc.constantFrom('open', 'pending'),
      }),
      message: fc.record({ content: fc.constantFrom('x', 'y', null) }),
    })
    fc.assert(
      fc.property(
        fc.shuffledSubarray(pool, { minLength: 2 }),
        fc.constantFrom('and', 'or'),
        facts,
        (order, joiner, known) => {
          const joined = (list: Condition[]) => list.map((entry) => ({ ...entry, query_operator: joiner }))
          expect(holds(joined(order), known)).toBe(holds(joined(order.toReversed()), known))
        },
      ),
    )
  })
})

describe('any-of and none-of', () => {
  test.each([
    [['bug'], true, false],
    [['feature', 'vip'], true, false],
    [['vip'], false, true],
    [[], false, true],
  ])('labels %j against bug or feature', (labels, equal, notEqual) => {
    const facts = { conversation: { labels } }
    expect(holds([condition('labels', 'equal_to', ['bug', 'feature'])], facts)).toBe(equal)
    expect(holds([condition('labels', 'not_equal_to', ['bug', 'feature'])], facts)).toBe(notEqual)
  })

  test('one excluded label vetoes whatever else is there', () => {
    const facts = { conversation: { labels: ['bug', 'feature'] } }
    expect(holds([condition('labels', 'not_equal_to', ['feature'])], facts)).toBe(false)
  })

  test('fragments and prefixes: any of them, none of them', () => {
    const says = (content: string) => ({ message: { content } })
    expect(holds([condition('content', 'contains', ['refund', 'cancel'])], says('I want to Cancel'))).toBe(true)
    expect(holds([condition('content', 'does_not_contain', ['refund', 'cancel'])], says('I want to Cancel'))).toBe(
      false,
    )
    expect(holds([condition('content', 'does_not_contain', ['refund', 'cancel'])], says('thanks'))).toBe(true)
    const phone = { contact: { phone_number: '+4712345' } }
    expect(holds([condition('phone_number', 'starts_with', ['+46', '+47'])], phone)).toBe(true)
    expect(holds([condition('phone_number', 'starts_with', ['47'])], phone)).toBe(false)
  })
})

describe('an absent value satisfies not_equal_to, does_not_contain, is_not_present and nothing else', () => {
  const SATISFIED = new Set(['not_equal_to', 'does_not_contain', 'is_not_present'])
  const sample: Record<string, unknown[]> = { id: [5], name: ['open'], text: ['x'], boolean: [true], number: [1] }
  const custom = (['text', 'link', 'number', 'date', 'list', 'checkbox'] as const).flatMap((type) => [
    declare(type, 'contact_attribute', `c_${type}`),
    declare(type, 'conversation_attribute', `v_${type}`),
  ])
  const cases = [
    ...ATTRIBUTES.flatMap(({ key, operators, kind, names }) =>
      operators.map((operator) => [key, operator, names ? [names[0]] : sample[kind], ''] as const),
    ),
    ...custom.flatMap(({ attribute_key: key, attribute_display_type: type, attribute_model: model }) =>
      (type === 'number' || type === 'date'
        ? (['equal_to', 'not_equal_to', 'is_greater_than', 'is_less_than', 'is_present', 'is_not_present'] as const)
        : (['equal_to', 'not_equal_to', 'is_present', 'is_not_present'] as const)
      ).map(
        (operator) =>
          [
            key,
            operator,
            type === 'number' ? [1] : type === 'date' ? ['2026-09-01'] : type === 'checkbox' ? [false] : ['x'],
            model,
          ] as const,
      ),
    ),
    ['c_date', 'days_before', [0], 'contact_attribute'] as const,
    ['c_text', 'contains', ['x'], 'contact_attribute'] as const,
    ['c_text', 'does_not_contain', ['x'], 'contact_attribute'] as const,
  ]
  test.each(cases)('%s %s', (key, operator, values, type) => {
    const written = [condition(key, operator, operator === 'attribute_changed' ? {} : values, null, type)]
    const empty = Object.fromEntries([...ATTRIBUTES, { key: `c_${key}` }].map(({ key: name }) => [name, '']))
    const nothing: Facts[] = [
      {},
      { contact: {}, message: { private: null } },
      {
        conversation: { labels: [''], additional_attributes: empty, custom_attributes: { [key]: '' } },
        contact: { email: '', phone_number: '', additional_attributes: empty, custom_attributes: { [key]: [] } },
        message: { content: '', private: undefined },
      },
    ]
    for (const facts of nothing) expect(holds(written, facts, custom)).toBe(SATISFIED.has(operator))
  })

  test('what is none of its kind is present, and different', () => {
    const facts = { contact: { custom_attributes: { x: { deep: 1 } } } }
    const definitions = [declare('number')]
    expect(holds([condition('x', 'is_present')], facts, definitions)).toBe(true)
    expect(holds([condition('x', 'equal_to', [1])], facts, definitions)).toBe(false)
    expect(holds([condition('x', 'not_equal_to', [1])], facts, definitions)).toBe(true)
  })
})

describe('each attribute is read from its place', () => {
  const places: [string, Facts, unknown][] = [
    ['status', { conversation: { status: 'open' } }, 'open'],
    ['inbox_id', { conversation: { inbox_id: 5 } }, 5],
    ['assignee_id', { conversation: { assignee_id: 7 } }, 7],
    ['team_id', { conversation: { team_id: 3 } }, 3],
    ['priority', { conversation: { priority: 'high' } }, 'high'],
    ['labels', { conversation: { labels: ['bug'] } }, 'bug'],
    ['browser_language', { conversation: { additional_attributes: { browser_language: 'de' } } }, 'de'],
    ['conversation_language', { conversation: { additional_attributes: { conversation_language: 'de' } } }, 'de'],
    ['referer', { conversation: { additional_attributes: { referer: 'https://x' } } }, 'https://x'],
    ['mail_subject', { conversation: { additional_attributes: { mail_subject: 'Hi' } } }, 'Hi'],
    ['country_code', { contact: { additional_attributes: { country_code: 'IN' } } }, 'IN'],
    ['city', { contact: { additional_attributes: { city: 'Oslo' } } }, 'Oslo'],
    ['company_name', { contact: { additional_attributes: { company_name: 'ACME' } } }, 'ACME'],
    ['email', { contact: { email: 'a@x.com' } }, 'a@x.com'],
    ['phone_number', { contact: { phone_number: '+47' } }, '+47'],
    ['message_type', { message: { message_type: 'incoming' } }, 'incoming'],
    ['content', { message: { content: 'hello' } }, 'hello'],
    ['private_note', { message: { private: true } }, true],
  ]
  test.each(places)('%s', (key, facts, value) => {
    expect(holds([condition(key, 'equal_to', [value])], facts)).toBe(true)
    expect(holds([condition(key, 'not_equal_to', [value])], facts)).toBe(false)
    if (key !== 'private_note') {
      expect(holds([condition(key, 'is_present')], facts)).toBe(true)
      expect(holds([condition(key, 'is_not_present')], facts)).toBe(false)
    }
  })

  test('the table has every attribute once', () => {
    expect(places.map(([key]) => key)).toEqual(ATTRIBUTES.map(({ key }) => key))
  })
})

describe('values', () => {
  test('ids compare by number, whether number or text', () => {
    for (const value of [5, '5', '05']) {
      expect(holds([condition('inbox_id', 'equal_to', [value])], { conversation: { inbox_id: 5 } })).toBe(true)
      expect(holds([condition('inbox_id', 'equal_to', [value])], { conversation: { inbox_id: '5' } })).toBe(true)
      expect(holds([condition('inbox_id', 'equal_to', [value])], { conversation: { inbox_id: 55 } })).toBe(false)
    }
    expect(holds([condition('inbox_id', 'equal_to', [4, '5'])], { conversation: { inbox_id: 5 } })).toBe(true)
  })

  test('a bot that owns the conversation is an assignee for presence only', () => {
    const bot = { conversation: { assignee_bot_id: 4 } }
    expect(holds([condition('assignee_id', 'is_present')], bot)).toBe(true)
    expect(holds([condition('assignee_id', 'is_not_present')], bot)).toBe(false)
    expect(holds([condition('assignee_id', 'equal_to', [4])], bot)).toBe(false)
    expect(holds([condition('assignee_id', 'is_not_present')])).toBe(true)
  })

  test('"all" is any status, but not none', () => {
    for (const status of ['open', 'snoozed']) {
      expect(holds([condition('status', 'equal_to', ['ALL'])], { conversation: { status } })).toBe(true)
      expect(holds([condition('status', 'not_equal_to', ['all'])], { conversation: { status } })).toBe(false)
    }
    for (const status of [null, '']) {
      expect(holds([condition('status', 'equal_to', ['all'])], { conversation: { status } })).toBe(false)
    }
  })

  test.each([
    ['content', 'equal_to', 'HELLO', true],
    ['content', 'equal_to', 'hell', false],
    ['content', 'contains', 'a_b%', false],
    ['content', 'contains', 'ELL', true],
    ['content', 'contains', 'h,e', false],
  ])('text of %s %s %s: %s', (key, operator, value, expected) => {
    expect(holds([condition(key, operator, [value])], { message: { content: 'Hello' } })).toBe(expected)
  })

  test('wildcards of other languages are ordinary characters', () => {
    const says = { message: { content: 'save 100% of a_b, c\\d' } }
    for (const phrase of ['100%', 'a_b', ', ', 'c\\d']) {
      expect(holds([condition('content', 'contains', [phrase])], says)).toBe(true)
    }
    expect(holds([condition('content', 'contains', ['s%e', 'a.b'])], says)).toBe(false)
  })

  test('booleans compare as booleans', () => {
    const definitions = [declare('checkbox')]
    for (const x of [true, 'true']) {
      const facts = { contact: { custom_attributes: { x } } }
      expect(holds([condition('x', 'equal_to', [true])], facts, definitions)).toBe(true)
      expect(holds([condition('x', 'equal_to', [false])], facts, definitions)).toBe(false)
    }
    expect(
      holds([condition('x', 'equal_to', [true])], { contact: { custom_attributes: { x: 'ja' } } }, definitions),
    ).toBe(false)
    expect(holds([condition('private_note', 'equal_to', [false])], { message: { private: false } })).toBe(true)
  })

  test('numbers compare as numbers', () => {
    const is = (x: unknown, operator: string, value: unknown) =>
      holds([condition('x', operator, [value])], { contact: { custom_attributes: { x } } }, [declare('number')])
    expect([is(10, 'equal_to', '10.0'), is('10', 'equal_to', 10), is(100, 'equal_to', 10)]).toEqual([true, true, false])
    expect([is(9, 'is_greater_than', 10), is(10, 'is_greater_than', 10), is(11, 'is_greater_than', 10)]).toEqual([
      false,
      false,
      true,
    ])
    expect([is('9', 'is_less_than', 10), is(10, 'is_less_than', 10), is(-1, 'is_less_than', '0')]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('a list attribute is any of the listed values, whether it holds one or several', () => {
    const definitions = [declare('list')]
    const facts = (x: unknown) => ({ contact: { custom_attributes: { x } } })
    const gold = [condition('x', 'equal_to', ['Gold', 'Platinum'])]
    expect(
      [facts('gold'), facts(['Silver', 'PLATINUM']), facts('Silver'), facts(null)].map((f) =>
        holds(gold, f, definitions),
      ),
    ).toEqual([true, true, false, false])
    const notGold = [condition('x', 'not_equal_to', ['Gold', 'Platinum'])]
    expect([facts('gold'), facts('Silver'), facts(null)].map((f) => holds(notGold, f, definitions))).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('dates are days of the account’s zone', () => {
  const is = (x: unknown, operator: string, value: unknown, more: Partial<Situation> = {}) =>
    holds([condition('x', operator, [value])], { ...more, contact: { custom_attributes: { x } } }, [declare('date')])

  test('equal, before, after', () => {
    expect(is('2026-09-01', 'equal_to', '2026-09-01')).toBe(true)
    expect(is('2026-09-01', 'not_equal_to', '2026-09-02')).toBe(true)
    expect(is('2026-09-01', 'is_less_than', '2026-09-02')).toBe(true)
    expect(is('2026-09-02', 'is_less_than', '2026-09-02')).toBe(false)
    expect(is('2026-09-03', 'is_greater_than', '2026-09-02')).toBe(true)
    expect(is('2026-09-02', 'is_greater_than', '2026-09-02')).toBe(false)
  })

  test('an instant falls on another day in another zone', () => {
    const late = '2026-09-01T22:30:00Z'
    expect(is(late, 'equal_to', '2026-09-01')).toBe(true)
    expect(is(late, 'equal_to', '2026-09-02', { timeZone: 'Europe/Berlin' })).toBe(true)
    expect(is('2026-09-02', 'equal_to', late, { timeZone: 'Europe/Berlin' })).toBe(true)
  })

  test('days_before: more than so many days before today', () => {
    expect(is('2026-08-26', 'days_before', 5)).toBe(true)
    expect(is('2026-08-27', 'days_before', 5)).toBe(false)
    expect(is('2026-08-26', 'days_before', '5')).toBe(true)
    expect(is('2026-08-31', 'days_before', 0)).toBe(true)
    expect(is('2026-09-01', 'days_before', 0)).toBe(false)
    expect(is('2026-10-05', 'days_before', 5)).toBe(false)
  })

  test('today is the account’s today at the instant of judging', () => {
    const now = (Date.UTC(2026, 8, 1, 22, 30) * 1000) as Micros
    expect(is('2026-08-27', 'days_before', 5, { now })).toBe(false)
    expect(is('2026-08-27', 'days_before', 5, { now, timeZone: 'Europe/Berlin' })).toBe(true)
    expect(is('2026-08-27', 'days_before', 5, { now, timeZone: 'Nowhere/Land' })).toBe(false)
  })

  test('what is no date is false', () => {
    for (const operator of ['equal_to', 'is_less_than', 'is_greater_than']) {
      expect(is('soon', operator, '2026-09-01')).toBe(false)
    }
    expect(is('soon', 'days_before', 0)).toBe(false)
  })
})

describe('attribute_changed', () => {
  const changed = (pair: unknown, values: unknown, key = 'status') =>
    holds([condition(key, 'attribute_changed', values)], { changed: { [key]: pair } as never })

  test.each([
    [['open', 'pending'], { from: ['open'], to: ['pending'] }, true],
    [['pending', 'open'], { from: ['open'], to: ['pending'] }, false],
    [['snoozed', 'pending'], { from: ['open'], to: ['pending'] }, false],
    [['open', 'snoozed'], { from: ['open'], to: ['pending'] }, false],
    [['Open', 'PENDING'], { from: ['open', 'resolved'], to: ['pending', 'snoozed'] }, true],
    [['open', 'pending'], { from: ['open'] }, true],
    [['snoozed', 'pending'], { to: ['pending'] }, true],
    [['snoozed', 'open'], {}, true],
    [['snoozed', 'open'], [], true],
    [['open', 'open'], {}, false],
    [['open', 'pending'], { to: ['all'] }, true],
    ['pending', { to: ['pending'] }, false],
    [['open'], {}, false],
    [null, {}, false],
  ])('%j with %j: %s', (pair, values, expected) => {
    expect(changed(pair, values)).toBe(expected)
  })

  test('null in a list stands for nothing', () => {
    expect(changed([null, 7], { from: [null], to: [7] }, 'assignee_id')).toBe(true)
    expect(changed([3, 7], { from: [null], to: ['7'] }, 'assignee_id')).toBe(false)
    expect(changed([3, 7], { from: [null, 3] }, 'assignee_id')).toBe(true)
    expect(changed([7, null], { to: [7] }, 'assignee_id')).toBe(false)
  })

  test('labels are a set', () => {
    expect(changed([['a'], ['a', 'b']], { to: ['b'] }, 'labels')).toBe(true)
    expect(
      changed(
        [
          ['a', 'b'],
          ['b', 'A'],
        ],
        {},
        'labels',
      ),
    ).toBe(false)
    expect(changed([[], ['a']], { from: [null] }, 'labels')).toBe(true)
    expect(changed([['a', 'b'], ['a']], {}, 'labels')).toBe(true)
    expect(
      changed(
        [
          ['a', 'b'],
          ['a', 'c'],
        ],
        {},
        'labels',
      ),
    ).toBe(true)
  })

  test('is false where the event changed something else, or nothing is known of changes', () => {
    const written = [condition('status', 'attribute_changed', {})]
    expect(holds(written, { changed: { priority: ['low', 'high'] } })).toBe(false)
    expect(holds(written)).toBe(false)
    expect(
      holds([condition('team_id', 'attribute_changed', {})], { changed: Object.create({ team_id: [1, 2] }) }),
    ).toBe(false)
  })

  test('takes part in the expression like any other', () => {
    const written = [
      condition('status', 'attribute_changed', { to: ['pending'] }, 'and'),
      condition('priority', 'equal_to', ['urgent']),
    ]
    const facts = (priority: string) => ({
      conversation: { priority },
      changed: { status: ['open', 'pending'] as const },
    })
    expect([facts('low'), facts('urgent')].map((known) => holds(written, known))).toEqual([false, true])
  })
})

describe('custom attributes', () => {
  const both = [declare('text', 'contact_attribute', 'tier'), declare('text', 'conversation_attribute', 'tier')]

  test('are read from the model that the condition names', () => {
    const facts = { conversation: { custom_attributes: { tier: 'a' } }, contact: { custom_attributes: { tier: 'b' } } }
    const tier = (value: string, type: string) => [condition('tier', 'equal_to', [value], null, type)]
    expect(holds(tier('a', 'conversation_attribute'), facts, both)).toBe(true)
    expect(holds(tier('b', 'conversation_attribute'), facts, both)).toBe(false)
    expect(holds(tier('b', 'contact_attribute'), facts, both)).toBe(true)
  })

  test('may go by their key alone while it is declared once', () => {
    const facts = { contact: { custom_attributes: { tier: 'b' } } }
    expect(holds([condition('tier', 'equal_to', ['b'])], facts, both.slice(0, 1))).toBe(true)
    expect(compileConditions([condition('tier', 'equal_to', ['b'])], both).broken).toMatchObject([
      { pointer: '/conditions/0/custom_attribute_type', code: 'ambiguous_attribute' },
    ])
  })

  test('may share their key with a standard attribute: the type tells them apart', () => {
    const city = [declare('text', 'contact_attribute', 'city')]
    const facts = { contact: { additional_attributes: { city: 'Oslo' }, custom_attributes: { city: 'Rome' } } }
    expect(holds([condition('city', 'equal_to', ['Oslo'])], facts, city)).toBe(true)
    expect(holds([condition('city', 'equal_to', ['Rome'], null, 'contact_attribute')], facts, city)).toBe(true)
  })

  test('that are deleted are false and break the rule; the rest is judged, and they heal', () => {
    const written = [
      condition('status', 'equal_to', ['open'], 'or'),
      condition('tier', 'not_equal_to', ['a'], null, 'contact_attribute'),
    ]
    const compiled = compileConditions(written, [])
    expect(compiled.broken).toMatchObject([
      {
        pointer: '/conditions/1/attribute_key',
        code: 'unknown_custom_attribute',
        message: expect.stringContaining('tier'),
      },
    ])
    expect(compiled.matches(situation({ conversation: { status: 'open' } }))).toBe(true)
    expect(compiled.matches(situation({ conversation: { status: 'pending' } }))).toBe(false)
    expect(compileConditions(written, both)).toMatchObject({ broken: [] })
    expect(holds(written, { conversation: { status: 'pending' } }, both)).toBe(true)
  })

  test('that came back as another type break the rule where the operator does not fit', () => {
    const written = [condition('tier', 'contains', ['a'], null, 'contact_attribute')]
    expect(compileConditions(written, [declare('number', 'contact_attribute', 'tier')]).broken).toMatchObject([
      { pointer: '/conditions/0/filter_operator', code: 'operator_not_allowed' },
    ])
  })

  test('named like something on every object are not found there', () => {
    const definitions = ['constructor', '__proto__', 'toString'].map((key) => declare('text', 'contact_attribute', key))
    for (const { attribute_key: key } of definitions) {
      expect(holds([condition(key, 'is_present', [], null, 'contact_attribute')], { contact: {} }, definitions)).toBe(
        false,
      )
    }
  })
})

test('a wait counts from the change of status only where status and inbox alone are asked for', () => {
  const only = (...written: Condition[]) => compileConditions(written, []).onlyStatusAndInbox
  expect(only(condition('status', 'equal_to', ['open'], 'and'), condition('inbox_id', 'equal_to', [5]))).toBe(true)
  expect(only(condition('status', 'equal_to', ['open'], 'and'), condition('labels', 'is_present'))).toBe(false)
  expect(only(condition('gone', 'is_present'))).toBe(false)
})

describe('explain', () => {
  test('shows each condition in its group with the value it saw', () => {
    const written = [
      condition('status', 'equal_to', ['open'], 'or'),
      condition('assignee_id', 'is_present', [], 'and'),
      condition('gone', 'equal_to', ['x'], 'and'),
      condition('priority', 'attribute_changed', { to: ['high'] }),
    ]
    const facts = situation({
      conversation: { status: 'pending', assignee_bot_id: 4 },
      changed: { priority: [null, 'high'] },
    })
    expect(compileConditions(written, []).explain(facts)).toEqual([
      {
        attribute_key: 'status',
        filter_operator: 'equal_to',
        values: ['open'],
        group: 0,
        seen: 'pending',
        result: false,
      },
      { attribute_key: 'assignee_id', filter_operator: 'is_present', values: [], group: 1, seen: 4, result: true },
      {
        attribute_key: 'gone',
        filter_operator: 'equal_to',
        values: ['x'],
        group: 1,
        seen: null,
        result: false,
        broken: expect.stringContaining('gone'),
      },
      {
        attribute_key: 'priority',
        filter_operator: 'attribute_changed',
        values: { to: ['high'] },
        group: 1,
        seen: [null, 'high'],
        result: true,
      },
    ])
  })

  test('absent is null', () => {
    const written = [condition('city', 'is_not_present'), condition('status', 'attribute_changed', {})]
    expect(compileConditions(written, []).explain(situation())).toMatchObject([
      { seen: null, result: true },
      { seen: null, result: false },
    ])
  })
})

describe('evaluation is total', () => {
  const garbage = fc.anything({ maxDepth: 2, withNullPrototype: true, withBigInt: true, withDate: true })
  const bag = fc.oneof(garbage, fc.dictionary(fc.constantFrom('city', 'x', '__proto__'), garbage))
  const anySituation = fc.record({
    conversation: fc.record({
      status: garbage,
      inbox_id: garbage,
      assignee_id: garbage,
      assignee_bot_id: garbage,
      team_id: garbage,
      priority: garbage,
      labels: garbage,
      additional_attributes: bag,
      custom_attributes: bag,
    }),
    contact: fc.option(
      fc.record({ email: garbage, phone_number: garbage, additional_attributes: bag, custom_attributes: bag }),
    ),
    message: fc.option(fc.record({ message_type: garbage, content: garbage, private: garbage })),
    changed: fc.option(fc.dictionary(fc.constantFrom('status', 'labels', 'team_id'), garbage)),
    now: fc.oneof(fc.constant(NOW), fc.double()),
    timeZone: fc.oneof(fc.constantFrom('UTC', 'Europe/Berlin', 'Mars/Base'), fc.string()),
  })
  const anyCondition = fc.oneof(
    fc.record({
      attribute_key: fc.constantFrom(...ATTRIBUTES.map(({ key }) => key), 'x', 'gone'),
      filter_operator: fc.constantFrom(...OPERATORS),
      values: fc.oneof(
        fc.array(fc.oneof(fc.constantFrom('open', 'x', 5, true, '2026-09-01'), garbage), { maxLength: 3 }),
        fc.record({ from: fc.array(garbage), to: fc.array(garbage) }, { requiredKeys: [] }),
        garbage,
      ),
      query_operator: fc.constantFrom('and', 'or', 'AND', null, 'XOR', 5),
      custom_attribute_type: fc.constantFrom('', null, 'contact_attribute', 'conversation_attribute', 'x'),
    }),
    garbage,
  )
  const types = fc.constantFrom('text', 'number', 'date', 'list', 'checkbox', 'link')

  test('whatever is saved and whatever the facts are, it answers', () => {
    fc.assert(
      fc.property(fc.array(anyCondition, { maxLength: 4 }), types, anySituation, (saved, type, facts) => {
        const compiled = compileConditions(saved as Condition[], [declare(type as never)])
        expect(typeof compiled.matches(facts as never)).toBe('boolean')
        expect(compiled.explain(facts as never)).toHaveLength(saved.length)
        expect(compiled.matches(facts as never)).toBe(compiled.matches(facts as never))
      }),
      { numRuns: 2000 },
    )
  })

  test('a positive test and its negation never agree', () => {
    const opposites = [
      ['equal_to', 'not_equal_to'],
      ['contains', 'does_not_contain'],
      ['is_present', 'is_not_present'],
    ] as const
    fc.assert(
      fc.property(fc.constantFrom(...opposites), anySituation, ([positive, negative], facts) => {
        const ask = (operator: string) =>
          compileConditions([condition('city', operator, ['Oslo'])], []).matches(facts as never)
        expect(ask(positive)).toBe(!ask(negative))
      }),
    )
  })
})

describe('facts that no host should send', () => {
  const odd: unknown[] = [undefined, null, {}, [], [[]], [null], Number.NaN, '', ' ', 'x'.repeat(50), 'soon', 7.1, -1]

  test.each(ATTRIBUTES.flatMap(({ key, operators }) => operators.map((operator) => [key, operator] as const)))(
    'are judged all the same: %s %s',
    (key, operator) => {
      const values = operator === 'attribute_changed' ? {} : ['open', '5', true]
      const fits = ['open', '5', true].filter(
        (value) => compileConditions([condition(key, operator, [value])], []).broken.length === 0,
      )
      const compiled = compileConditions([condition(key, operator, Array.isArray(values) ? fits : values)], [])
      for (const value of odd) {
        const bag = { [key]: value }
        const facts = {
          conversation: { ...bag, additional_attributes: bag },
          contact: { ...bag, additional_attributes: bag },
          message: { ...bag, private: value },
        }
        const isNegation = operator.startsWith('not_') || operator.startsWith('does_not')
        const answer = compiled.matches(situation(facts))
        if (!operator.startsWith('is_') && fits.length > 0) expect(answer).toBe(isNegation)
        expect(typeof answer).toBe('boolean')
      }
    },
  )

  test.each(['text', 'number', 'checkbox', 'date', 'list', 'link'] as const)('in custom attributes too: %s', (type) => {
    const value = { text: 'a', number: 5, checkbox: true, date: '2026-09-01', list: 'a', link: 'a' }[type]
    const operators = ['equal_to', 'contains', 'is_greater_than', 'is_less_than', 'days_before']
    for (const operator of operators) {
      const written = condition('x', operator, [operator === 'days_before' ? 5 : value])
      const compiled = compileConditions([written], [declare(type)])
      if (compiled.broken.length > 0) continue
      for (const fact of [undefined, null, {}, [], [[]], [{}], '', 'x'.repeat(50)]) {
        expect(compiled.matches(situation({ contact: { custom_attributes: { x: fact } } }))).toBe(false)
      }
    }
  })

  test('"all" means every status there is, and none that is no text', () => {
    const all = [condition('status', 'equal_to', ['all'])]
    for (const status of ['open', 'resolved', 'of another host'])
      expect(holds(all, { conversation: { status } })).toBe(true)
    for (const status of [null, '', {}, []]) expect(holds(all, { conversation: { status } })).toBe(false)
  })

  test('an id is no decimal and a yes is no text', () => {
    expect(holds([condition('inbox_id', 'equal_to', [5])], { conversation: { inbox_id: '5.0' } })).toBe(false)
    const vip = (fact: unknown) =>
      holds([condition('x', 'equal_to', [true])], { contact: { custom_attributes: { x: fact } } }, [
        declare('checkbox'),
      ])
    expect([true, 'true', 'TRUE', 'yes', 1].map(vip)).toEqual([true, true, false, false, false])
  })
})

test('several dates mean any of them, and none of them in a negation', () => {
  const renewal = [declare('date')]
  const facts = (x: string) => ({ contact: { custom_attributes: { x } } })
  const days = ['2026-09-01', '2026-09-03']
  for (const [fact, isOne] of [
    ['2026-09-01', true],
    ['2026-09-02', false],
    ['2026-09-03T23:00:00Z', true],
  ] as const) {
    expect(holds([condition('x', 'equal_to', days)], facts(fact), renewal)).toBe(isOne)
    expect(holds([condition('x', 'not_equal_to', days)], facts(fact), renewal)).toBe(!isOne)
  }
})

describe('what a condition saw', () => {
  const explained = (written: Condition, facts: Facts) => compileConditions([written], []).explain(situation(facts))[0]

  test('a presence looks at the bot as well, a comparison at the agent alone', () => {
    const owned = { conversation: { assignee_bot_id: 4 } }
    expect(explained(condition('assignee_id', 'is_present'), owned)).toMatchObject({ seen: 4, result: true })
    expect(explained(condition('assignee_id', 'is_not_present'), owned)).toMatchObject({ seen: 4, result: false })
    expect(explained(condition('assignee_id', 'equal_to', [4]), owned)).toMatchObject({ seen: null, result: false })
  })

  test('values that were left out are shown as none', () => {
    const { values: _values, ...written } = condition('status', 'is_present')
    expect(explained(written as Condition, {})).toMatchObject({ values: [], seen: null, result: false })
  })

  test('what is saved but is no list of conditions is one that is broken', () => {
    const compiled = compileConditions('x' as never, [])
    expect(compiled.broken).toMatchObject([{ pointer: '/conditions/0', code: 'condition_not_an_object' }])
    expect(compiled.matches(situation())).toBe(false)
    expect(compiled.explain(situation())).toMatchObject([
      { seen: null, result: false, broken: 'a condition must be an object' },
    ])
  })
})
