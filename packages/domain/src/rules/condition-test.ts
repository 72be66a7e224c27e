import { localDay } from '../calendar/local-day'
import type { Attribute } from './attributes'
import { ownValue } from './attributes'
import type { CheckedValues } from './condition-values'
import type { Situation } from './conditions'
import { fold } from './fold'
import type { Operator } from './operators'
import { booleanOf, dateOf, dayOf, foldedTextOf, idOf, isAbsent, numberOf } from './values'

/** Total: whatever the facts are, it answers. */
export type ConditionTest = (situation: Situation) => boolean

/** Looks at one value; a list of values passes when one of them does. */
type ValueTest = (raw: unknown, situation: Situation) => boolean

/**
 * The test of one condition, made once per rule: values are folded and parsed here, facts when they come.
 * Negations are negations: what is absent or incomparable equals nothing and contains nothing. rules.md section 3.2.
 */
export function testOf(attribute: Attribute, operator: Operator, values: CheckedValues): ConditionTest {
  const { read } = attribute
  const readPresence = attribute.readPresence ?? read
  const any =
    (test: ValueTest): ConditionTest =>
    (situation) =>
      passes(test, read(situation), situation)
  const none =
    (test: ValueTest): ConditionTest =>
    (situation) =>
      !passes(test, read(situation), situation)
  switch (operator) {
    case 'equal_to':
      return any(equality(attribute, values.list))
    case 'not_equal_to':
      return none(equality(attribute, values.list))
    case 'contains':
      return any(fragment(values.list))
    case 'does_not_contain':
      return none(fragment(values.list))
    case 'starts_with':
      return any(prefix(values.list))
    case 'is_present':
      return (situation) => !isAbsent(readPresence(situation))
    case 'is_not_present':
      return (situation) => isAbsent(readPresence(situation))
    case 'is_greater_than':
      return any(comparison(attribute, values.list[0], 1))
    case 'is_less_than':
      return any(comparison(attribute, values.list[0], -1))
    case 'days_before':
      return any(age(values.list[0]))
    case 'attribute_changed':
      return change(attribute, values)
  }
}

/** Cheap tests are asked first: relative costs, measured once, good enough for an order. */
export function costOf(attribute: Attribute, operator: Operator): number {
  if (operator === 'contains' || operator === 'does_not_contain') return attribute.ofMessage ? 20 : 5
  if (operator === 'is_present' || operator === 'is_not_present') return 1
  if (attribute.kind === 'date') return 10
  return attribute.kind === 'text' ? 3 : 1
}

function passes(test: ValueTest, raw: unknown, situation: Situation): boolean {
  if (raw === null || raw === undefined) return false
  return Array.isArray(raw) ? raw.some((item) => test(item, situation)) : test(raw, situation)
}

function equality(attribute: Attribute, values: readonly unknown[]): ValueTest {
  if (attribute.kind === 'date') {
    const dates = values.map(dateOf).filter((date) => date !== null)
    return (raw, { timeZone }) => {
      const date = dateOf(raw)
      return date !== null && dates.some((value) => dayOf(value, timeZone) === dayOf(date, timeZone))
    }
  }
  const token = tokenOf(attribute)
  const wanted = new Set(values.map(token))
  wanted.delete(null)
  if (attribute.anyName !== undefined && wanted.has(fold(attribute.anyName))) {
    return (raw) => !isAbsent(raw) && token(raw) !== null
  }
  if (wanted.size === 1) {
    const [only] = wanted
    return (raw) => token(raw) === only
  }
  return (raw) => wanted.has(token(raw))
}

/** What two values have in common when they are equal. */
function tokenOf(attribute: Attribute): (raw: unknown) => string | number | boolean | null {
  switch (attribute.kind) {
    case 'id':
      return idOf
    case 'number':
      return numberOf
    case 'boolean':
      return booleanOf
    case 'name':
    case 'text':
    case 'date':
      return foldedTextOf
  }
}

function foldedValues(values: readonly unknown[]): readonly string[] {
  return values.map(foldedTextOf).filter((text): text is string => text !== null && text !== '')
}

function fragment(values: readonly unknown[]): ValueTest {
  const fragments = foldedValues(values)
  return (raw) => {
    const text = foldedTextOf(raw)
    return text !== null && fragments.some((wanted) => text.includes(wanted))
  }
}

function prefix(values: readonly unknown[]): ValueTest {
  const prefixes = foldedValues(values)
  return (raw) => {
    const text = foldedTextOf(raw)
    return text !== null && prefixes.some((wanted) => text.startsWith(wanted))
  }
}

function comparison(attribute: Attribute, value: unknown, sign: 1 | -1): ValueTest {
  if (attribute.kind === 'date') {
    const bound = dateOf(value)
    return (raw, { timeZone }) => {
      const date = dateOf(raw)
      return date !== null && bound !== null && (dayOf(date, timeZone) - dayOf(bound, timeZone)) * sign > 0
    }
  }
  const bound = numberOf(value)
  return (raw) => {
    const number = numberOf(raw)
    return number !== null && bound !== null && (sign === 1 ? number > bound : number < bound)
  }
}

/** The date lies more than so many days before today in the account's zone. */
function age(value: unknown): ValueTest {
  const days = idOf(value)
  return (raw, { now, timeZone }) => {
    const date = dateOf(raw)
    return date !== null && days !== null && localDay(now, timeZone) - dayOf(date, timeZone) > days
  }
}

/** The event changed the attribute, and both ends fit where they are asked for; null in a list stands for absent. */
function change(attribute: Attribute, { from, to }: CheckedValues): ConditionTest {
  const fromFits = end(attribute, from)
  const toFits = end(attribute, to)
  const token = tokenOf(attribute)
  return (situation) => {
    const pair: unknown = ownValue(situation.changed, attribute.key)
    if (!Array.isArray(pair) || pair.length !== 2) return false
    const [before, after]: unknown[] = pair
    return !isSame(before, after, token) && fromFits(before, situation) && toFits(after, situation)
  }
}

function end(attribute: Attribute, values: readonly unknown[] | null): ValueTest {
  if (values === null) return () => true
  const named = equality(attribute, values)
  const absent = values.includes(null)
  return (raw, situation) => passes(named, raw, situation) || (absent && isAbsent(raw))
}

/** Lists are the same whatever their order: labels are a set. */
function isSame(before: unknown, after: unknown, token: (raw: unknown) => unknown): boolean {
  const a = new Set((Array.isArray(before) ? before : [before]).map(token))
  const b = new Set((Array.isArray(after) ? after : [after]).map(token))
  a.delete(null)
  b.delete(null)
  return a.size === b.size && [...a].every((item) => b.has(item))
}
