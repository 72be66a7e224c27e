import type { Micros } from '@dwell/contracts/instant'
import type { Condition, CustomAttributeDefinition } from '@dwell/contracts/rule'
import { compileConditions } from './compile-conditions'
import type { Situation } from './conditions'
import { UNKNOWN_CONTACT, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'

const NOW = (Date.UTC(2026, 8, 1, 12) * 1000) as Micros

type Facts = { conversation?: object; contact?: object | null; message?: object | null } & Partial<
  Pick<Situation, 'changed' | 'now' | 'timeZone'>
>

function situation({ conversation, contact, message, ...rest }: Facts = {}): Situation {
  return {
    conversation: { ...UNKNOWN_CONVERSATION, ...conversation },
    contact: contact === undefined ? null : contact === null ? null : { ...UNKNOWN_CONTACT, ...contact },
    message: message === undefined || message === null ? null : { ...UNKNOWN_MESSAGE, ...message },
    changed: null,
    now: NOW,
    timeZone: 'UTC',
    ...rest,
  }
}

function condition(key: string, operator: string, values: unknown = [], joiner: string | null = null): Condition {
  return { attribute_key: key, filter_operator: operator, values: values as never, query_operator: joiner }
}

function holds(conditions: Condition[], facts: Facts, definitions: CustomAttributeDefinition[] = []): boolean {
  return compileConditions(conditions, definitions).matches(situation(facts))
}

describe('AND binds tighter than OR', () => {
  const chain = (and = 'and', or = 'or') => [
    condition('status', 'equal_to', ['open'], or),
    condition('priority', 'equal_to', ['urgent'], and),
    condition('team_id', 'equal_to', [3], or),
  ]
  test.each([
    ['open', null, null, true],
    ['resolved', 'urgent', 3, true],
    ['resolved', 'urgent', 4, false],
    ['resolved', null, 3, false],
  ])('%s, %s, team %s', (status, priority, team_id, expected) => {
    for (const written of [chain(), chain('AND', 'Or')]) {
      expect(holds(written, { conversation: { status, priority, team_id } })).toBe(expected)
    }
  })

  test('a rule without conditions holds always', () => {
    expect(compileConditions([], [])).toMatchObject({ onlyStatusAndInbox: true, broken: [] })
    expect(holds([], {})).toBe(true)
  })
})
