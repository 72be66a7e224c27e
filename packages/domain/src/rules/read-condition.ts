import type { Condition, CustomAttributeDefinition, Fault } from '@dwell/contracts/rule'
import { type Attribute, customAttribute, standardAttribute } from './attributes'
import { type ConditionTest, costOf, testOf } from './condition-test'
import { checkValues } from './condition-values'
import { isOperator, OPERATORS, type Operator } from './operators'

export const MAX_KEY_LENGTH = 255

/** One saved condition, understood; `test` is null and `faults` says why when it cannot be. */
export interface ReadCondition {
  readonly written: Condition
  readonly attribute: Attribute | null
  readonly operator: Operator | null
  readonly test: ConditionTest | null
  /** Relative price of the test. */
  readonly cost: number
  readonly joiner: Joiner
  readonly faults: readonly Fault[]
}

/** How a condition is joined to the next one. */
export type Joiner = 'and' | 'or' | 'missing' | 'unknown'

/**
 * Reads a condition as it was sent or saved. Used at save, where a fault refuses the rule, and when a stored rule is
 * compiled, where it marks the rule as broken: both see the same thing.
 */
export function readCondition(
  value: unknown,
  index: number,
  definitions: readonly CustomAttributeDefinition[],
): ReadCondition {
  const pointer = `/conditions/${index}`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable(value as Condition, 'missing', [
      { pointer, code: 'condition_not_an_object', message: 'a condition must be an object' },
    ])
  }
  const written = value as Condition
  const joiner = joinerOf(written.query_operator)
  const found = findAttribute(written, pointer, definitions)
  const operator = written.filter_operator
  if (!isOperator(operator)) {
    const known = found.attribute?.operators ?? OPERATORS
    const fault = {
      pointer: `${pointer}/filter_operator`,
      code: operator === undefined || operator === null ? 'operator_missing' : 'unknown_operator',
      message: `filter_operator must be one of ${known.join(', ')}`,
    }
    return unreadable(written, joiner, [...found.faults, fault], found.attribute)
  }
  const { attribute } = found
  if (attribute === null) return unreadable(written, joiner, found.faults, null, operator)
  if (!attribute.operators.includes(operator)) {
    const fault = {
      pointer: `${pointer}/filter_operator`,
      code: 'operator_not_allowed',
      message: `${attribute.key} does not take ${operator}; filter_operator must be one of ${attribute.operators.join(', ')}`,
    }
    return unreadable(written, joiner, [...found.faults, fault], attribute, operator)
  }
  const { faults, values } = checkValues(attribute, operator, written.values, `${pointer}/values`)
  if (found.faults.length + faults.length > 0) {
    return unreadable(written, joiner, [...found.faults, ...faults], attribute, operator)
  }
  return {
    written,
    attribute,
    operator,
    test: testOf(attribute, operator, values),
    cost: costOf(attribute, operator),
    joiner,
    faults: [],
  }
}

interface FoundAttribute {
  readonly attribute: Attribute | null
  readonly faults: readonly Fault[]
}

/**
 * With a `custom_attribute_type` only the declared attributes of that model are looked at. Without one the key may name a
 * standard attribute, else the one custom attribute declared under it, whatever its model.
 */
function findAttribute(
  condition: Condition,
  pointer: string,
  definitions: readonly CustomAttributeDefinition[],
): FoundAttribute {
  const { attribute_key: key, custom_attribute_type: type } = condition
  const at = `${pointer}/attribute_key`
  if (typeof key !== 'string' || key === '') {
    return absent(at, 'attribute_missing', 'attribute_key must be the key of an attribute')
  }
  if (key.length > MAX_KEY_LENGTH) {
    return absent(at, 'unknown_attribute', `attribute_key may have at most ${MAX_KEY_LENGTH} characters`)
  }
  const typed = type !== undefined && type !== null && type !== ''
  if (typed && type !== 'conversation_attribute' && type !== 'contact_attribute') {
    return absent(
      `${pointer}/custom_attribute_type`,
      'unknown_custom_attribute_type',
      'custom_attribute_type must be empty, conversation_attribute or contact_attribute',
    )
  }
  const standard = typed ? undefined : standardAttribute(key)
  if (standard !== undefined) return { attribute: standard, faults: [] }
  const declared = definitions.filter(
    (definition) => definition.attribute_key === key && (!typed || definition.attribute_model === type),
  )
  const [definition, ...others] = declared
  if (definition === undefined) {
    return typed
      ? absent(at, 'unknown_custom_attribute', `no custom attribute ${key} of type ${type} is declared`)
      : absent(at, 'unknown_attribute', `${key} is no attribute and no custom attribute of that name is declared`)
  }
  if (others.length > 0) {
    return absent(
      `${pointer}/custom_attribute_type`,
      'ambiguous_attribute',
      `${key} is declared for conversations and contacts; custom_attribute_type must say conversation_attribute or contact_attribute`,
    )
  }
  return { attribute: customAttribute(definition), faults: [] }
}

function absent(pointer: string, code: string, message: string): FoundAttribute {
  return { attribute: null, faults: [{ pointer, code, message }] }
}

function joinerOf(joiner: unknown): Joiner {
  if (joiner === undefined || joiner === null || joiner === '') return 'missing'
  const text = typeof joiner === 'string' ? joiner.toLowerCase() : ''
  return text === 'and' || text === 'or' ? text : 'unknown'
}

function unreadable(
  written: Condition,
  joiner: Joiner,
  faults: readonly Fault[],
  attribute: Attribute | null = null,
  operator: Operator | null = null,
): ReadCondition {
  return { written, attribute, operator, test: null, cost: 0, joiner, faults }
}

/** A condition's own faults and its joiner's: every one but the last needs one, behind the last it is ignored. */
export function faultsInChain(condition: ReadCondition, index: number, count: number): readonly Fault[] {
  const joiner = joinerFault(condition, index, count)
  return joiner === null ? condition.faults : [...condition.faults, joiner]
}

function joinerFault(condition: ReadCondition, index: number, count: number): Fault | null {
  if (index === count - 1 || condition.joiner === 'and' || condition.joiner === 'or') return null
  return {
    pointer: `/conditions/${index}/query_operator`,
    code: condition.joiner === 'missing' ? 'joiner_missing' : 'unknown_joiner',
    message: 'query_operator must be and or or: it joins this condition to the next one',
  }
}
