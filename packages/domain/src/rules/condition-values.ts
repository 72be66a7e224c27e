import type { Fault } from '@dwell/contracts/rule'
import type { Attribute } from './attributes'
import { fold } from './fold'
import { type Operator, VALUES_OF } from './operators'
import { dateOf, idOf, isAbsent, numberOf } from './values'

export const MAX_VALUES = 200
export const MAX_VALUE_LENGTH = 2000
const MAX_DAYS = 36_500

/** `values` of a condition, checked. Left-out ends of a change are null; absent ends of a change stay null in the list. */
export interface CheckedValues {
  readonly list: readonly unknown[]
  readonly from: readonly unknown[] | null
  readonly to: readonly unknown[] | null
}

export type ValueCheck = { readonly faults: readonly Fault[]; readonly values: CheckedValues }

const NOTHING: CheckedValues = { list: [], from: null, to: null }

/** Checks `values` against what the operator needs and the attribute can be compared with. */
export function checkValues(attribute: Attribute, operator: Operator, values: unknown, pointer: string): ValueCheck {
  switch (VALUES_OF[operator]) {
    case 'none':
      return { faults: [], values: NOTHING }
    case 'change':
      return checkChange(attribute, values, pointer)
    case 'one':
      return checkList(attribute, operator, values, pointer, 1)
    case 'some':
      return checkList(attribute, operator, values, pointer, MAX_VALUES)
  }
}

function checkList(
  attribute: Attribute,
  operator: Operator,
  values: unknown,
  pointer: string,
  most: number,
): ValueCheck {
  const name = `${attribute.key} ${operator}`
  if (!Array.isArray(values)) {
    return refuse(
      pointer,
      'values_not_a_list',
      `values of ${name} must be a list, e.g. ${example(attribute, operator)}`,
    )
  }
  if (values.length === 0) {
    return refuse(pointer, 'values_empty', `values of ${name} must not be empty, e.g. ${example(attribute, operator)}`)
  }
  if (values.length > most) {
    const allowed = most === 1 ? 'exactly one value' : `at most ${most} values`
    return refuse(pointer, 'values_too_many', `values of ${name} takes ${allowed}, not ${values.length}`)
  }
  const faults = values.flatMap((value, i) => faultOf(attribute, operator, value, `${pointer}/${i}`) ?? [])
  return { faults, values: { ...NOTHING, list: values } }
}

/** `{from?, to?}`; nothing at all means any change. */
function checkChange(attribute: Attribute, values: unknown, pointer: string): ValueCheck {
  if (values === undefined || values === null || (Array.isArray(values) && values.length === 0)) {
    return { faults: [], values: NOTHING }
  }
  if (typeof values !== 'object' || Array.isArray(values)) {
    return refuse(
      pointer,
      'values_not_a_change',
      `values of ${attribute.key} attribute_changed must be an object with the lists from and to, either may be left out`,
    )
  }
  const { from, to } = values as { from?: unknown; to?: unknown }
  const faults = [
    ...changeEndFaults(attribute, from, 'from', `${pointer}/from`),
    ...changeEndFaults(attribute, to, 'to', `${pointer}/to`),
  ]
  return { faults, values: { list: [], from: listOrNull(from), to: listOrNull(to) } }
}

function changeEndFaults(attribute: Attribute, end: unknown, name: string, pointer: string): readonly Fault[] {
  if (end === undefined || end === null) return []
  const what = `${name} of ${attribute.key} attribute_changed`
  if (!Array.isArray(end)) {
    return refuse(pointer, 'values_not_a_list', `${what} must be a list, e.g. ${example(attribute, 'equal_to')}`).faults
  }
  if (end.length === 0) {
    return refuse(pointer, 'values_empty', `${what} must not be empty; leave it out to allow any value`).faults
  }
  if (end.length > MAX_VALUES) {
    return refuse(pointer, 'values_too_many', `${what} takes at most ${MAX_VALUES} values, not ${end.length}`).faults
  }
  return end.flatMap((value, i) =>
    value === null ? [] : (faultOf(attribute, 'attribute_changed', value, `${pointer}/${i}`) ?? []),
  )
}

function listOrNull(end: unknown): readonly unknown[] | null {
  return Array.isArray(end) ? end : null
}

function faultOf(attribute: Attribute, operator: Operator, value: unknown, pointer: string): Fault | null {
  const must = (text: string): Fault => ({
    pointer,
    code: 'value_type',
    message: `a value of ${attribute.key} ${operator} must be ${text}`,
  })
  if (typeof value === 'string' && value.length > MAX_VALUE_LENGTH) {
    return { pointer, code: 'text_too_long', message: `a value may have at most ${MAX_VALUE_LENGTH} characters` }
  }
  if (operator === 'days_before') {
    const days = idOf(value)
    return days !== null && days >= 0 && days <= MAX_DAYS ? null : must(`a whole number of days from 0 to ${MAX_DAYS}`)
  }
  switch (attribute.kind) {
    case 'id': {
      const id = idOf(value)
      return id !== null && id > 0 ? null : must('an id: a positive whole number, or its digits as text')
    }
    case 'name':
      return nameFault(attribute, value, pointer, must)
    case 'text':
      return typeof value === 'string' && !isAbsent(value) ? null : must('a text that is not empty')
    case 'boolean':
      return typeof value === 'boolean' ? null : must('true or false, not a text')
    case 'number':
      return numberOf(value) === null ? must('a number') : null
    case 'date':
      return dateOf(value) === null ? must('a date as YYYY-MM-DD or an ISO 8601 instant') : null
  }
}

function nameFault(attribute: Attribute, value: unknown, pointer: string, must: (text: string) => Fault): Fault | null {
  const names = [...(attribute.names ?? []), ...(attribute.anyName === undefined ? [] : [attribute.anyName])]
  if (typeof value !== 'string') return must(`a text, one of ${names.join(', ')}`)
  if (names.some((name) => fold(name) === fold(value))) return null
  return {
    pointer,
    code: 'value_not_allowed',
    message: `a value of ${attribute.key} must be one of ${names.join(', ')}`,
  }
}

function refuse(pointer: string, code: string, message: string): ValueCheck {
  return { faults: [{ pointer, code, message }], values: NOTHING }
}

function example(attribute: Attribute, operator: Operator): string {
  if (operator === 'days_before') return '[5]'
  switch (attribute.kind) {
    case 'id':
      return '[5]'
    case 'name':
      return JSON.stringify([attribute.names?.[0] ?? 'name'])
    case 'text':
      return '["text"]'
    case 'boolean':
      return '[true]'
    case 'number':
      return '[10]'
    case 'date':
      return '["2026-09-01"]'
  }
}
