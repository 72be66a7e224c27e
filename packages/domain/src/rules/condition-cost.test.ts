import type { Condition } from '@dwell/contracts/rule'
import { compileConditions } from './compile-conditions'
import type { Situation } from './conditions'
import { UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'

// A rule is asked about every event. What is expensive to look at is looked at last, or not at all.

const condition = (attribute_key: string, filter_operator: string, values: unknown[], query_operator = 'and') =>
  ({ attribute_key, filter_operator, values, query_operator, custom_attribute_type: '' }) as Condition

const CONTENT = condition('content', 'contains', ['refund'])
const NOT_CONTENT = condition('content', 'does_not_contain', ['refund'])
const SUBJECT = condition('mail_subject', 'contains', ['refund'])
const SUBJECT_IS = condition('mail_subject', 'equal_to', ['refund'])
const STATUS = condition('status', 'equal_to', ['pending'])
const PRESENT = condition('content', 'is_present', [])
const ABSENT = condition('content', 'is_not_present', [])
const RENEWED = condition('renewal', 'equal_to', ['2026-09-01'])

/** What was looked at, in this order. */
function lookedAt(conditions: Condition[], facts: { status?: string; subject?: string; content?: string } = {}) {
  const seen: string[] = []
  const look = <T>(name: string, value: T): T => {
    if (seen.at(-1) !== name) seen.push(name)
    return value
  }
  const { status = 'open', subject = '', content = '' } = facts
  const situation: Situation = {
    conversation: {
      ...UNKNOWN_CONVERSATION,
      get status() {
        return look('status', status)
      },
      get additional_attributes() {
        return look('subject', { mail_subject: subject })
      },
      get custom_attributes() {
        return look('renewal', { renewal: '2026-08-01' })
      },
    },
    contact: null,
    message: {
      ...UNKNOWN_MESSAGE,
      get content() {
        return look('content', content)
      },
    },
    changed: null,
    now: 0 as Situation['now'],
    timeZone: 'UTC',
  }
  const renewal = {
    attribute_key: 'renewal',
    attribute_display_type: 'date',
    attribute_model: 'conversation_attribute',
  } as const
  compileConditions(conditions, [renewal]).matches(situation)
  return seen
}

test('the text of a message is not searched where something cheaper has decided', () => {
  for (const search of [CONTENT, NOT_CONTENT]) {
    for (const cheap of [STATUS, SUBJECT_IS, RENEWED]) {
      expect(lookedAt([search, cheap])).not.toContain('content')
      expect(lookedAt([cheap, search])).not.toContain('content')
    }
    expect(lookedAt([search, SUBJECT])).not.toContain('content')
  }
})

test('it is searched where everything cheaper holds', () => {
  expect(lookedAt([CONTENT, STATUS], { status: 'pending' })).toEqual(['status', 'content'])
})

test('whether a text is there is as cheap as a status', () => {
  expect(lookedAt([SUBJECT, PRESENT])).toEqual(['content'])
  expect(lookedAt([SUBJECT_IS, ABSENT], { content: 'x' })).toEqual(['content'])
})

test('a date costs more than a text, a text more than a status', () => {
  expect(lookedAt([RENEWED, SUBJECT_IS])).toEqual(['subject'])
  expect(lookedAt([RENEWED, SUBJECT])).toEqual(['subject'])
  expect(lookedAt([SUBJECT, SUBJECT_IS, STATUS])).toEqual(['status'])
})

test('of alternatives the cheapest is tried first, and the others only where it fails', () => {
  const either = (first: Condition[], second: Condition[]) => [
    ...first.slice(0, -1),
    ...first.slice(-1).map((last) => ({ ...last, query_operator: 'or' })),
    ...second,
  ]
  expect(lookedAt(either([CONTENT], [STATUS]), { status: 'pending' })).toEqual(['status'])
  expect(lookedAt(either([CONTENT], [STATUS]))).toEqual(['status', 'content'])
  // A group costs what all of its conditions cost together.
  expect(lookedAt(either([RENEWED], [SUBJECT, SUBJECT, SUBJECT]), { subject: 'refund' })).toEqual([
    'renewal',
    'subject',
  ])
  expect(lookedAt(either([SUBJECT, SUBJECT, SUBJECT], [RENEWED]), { subject: 'refund' })).toEqual([
    'renewal',
    'subject',
  ])
})
