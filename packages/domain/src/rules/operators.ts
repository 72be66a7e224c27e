/** Every operator a condition may have; which attribute takes which stands in `attributes.ts`. rules.md section 3.1. */
export const OPERATORS = [
  'equal_to',
  'not_equal_to',
  'contains',
  'does_not_contain',
  'starts_with',
  'is_present',
  'is_not_present',
  'is_greater_than',
  'is_less_than',
  'days_before',
  'attribute_changed',
] as const
export type Operator = (typeof OPERATORS)[number]

export const EQUALITY = ['equal_to', 'not_equal_to'] as const
export const FRAGMENT = ['contains', 'does_not_contain'] as const
export const PREFIX = ['starts_with'] as const
export const PRESENCE = ['is_present', 'is_not_present'] as const
export const COMPARISON = ['is_greater_than', 'is_less_than'] as const
export const AGE = ['days_before'] as const
export const CHANGE = ['attribute_changed'] as const

const KNOWN: ReadonlySet<unknown> = new Set(OPERATORS)

export function isOperator(name: unknown): name is Operator {
  return KNOWN.has(name)
}

/** What an operator needs in `values`. */
export const VALUES_OF: Readonly<Record<Operator, 'none' | 'one' | 'some' | 'change'>> = {
  equal_to: 'some',
  not_equal_to: 'some',
  contains: 'some',
  does_not_contain: 'some',
  starts_with: 'some',
  is_present: 'none',
  is_not_present: 'none',
  is_greater_than: 'one',
  is_less_than: 'one',
  days_before: 'one',
  attribute_changed: 'change',
}
