import type { CustomAttributeDefinition, Fault } from '@dwell/contracts/rule'
import { MAX_TEMPLATE_LENGTH, templateFault } from '../liquid'
import { ownValue } from './attributes'
import { idOf } from './values'

/** Checks of `action_params`: given the list and its pointer they name every fault, each with what is allowed. */
export type ParamsCheck = (params: readonly unknown[], pointer: string, context: ParamsContext) => readonly Fault[]

export interface ParamsContext {
  /** Null when a stored rule is run: whether an attribute is still declared is then the host's business. */
  readonly definitions: readonly CustomAttributeDefinition[] | null
}

/** A check of one parameter: null when it is right, else what it must be. */
export type ParamCheck = (value: unknown) => string | null

/** No parameter. */
export const nothing: ParamsCheck = (params, pointer) =>
  params.length === 0 ? [] : [{ pointer, code: 'params_not_allowed', message: 'action_params must be an empty list' }]

/** Exactly one parameter. */
export function one(check: ParamCheck): ParamsCheck {
  return list(check, 1, 1)
}

/** None or one. */
export function atMostOne(check: ParamCheck): ParamsCheck {
  return list(check, 0, 1)
}

export function list(check: ParamCheck, least: number, most: number): ParamsCheck {
  return (params, pointer) => {
    if (params.length < least || params.length > most) {
      const amount = least === most ? `exactly ${least}` : `${least} to ${most}`
      const message = `action_params must have ${amount} ${most === 1 ? 'value' : 'values'}${hint(check)}`
      return [{ pointer, code: params.length < least ? 'params_missing' : 'params_too_many', message }]
    }
    return params.flatMap((value, i) => {
      const problem = check(value)
      return problem === null ? [] : [{ pointer: `${pointer}/${i}`, code: 'param_type', message: `must be ${problem}` }]
    })
  }
}

function hint(check: ParamCheck): string {
  const expected = check(undefined)
  return expected === null ? '' : `: ${expected}`
}

export const id: ParamCheck = (value) => (isId(value) ? null : 'an id: a positive whole number, or its digits as text')

export function isId(value: unknown): boolean {
  const number = idOf(value)
  return number !== null && number > 0
}

export function idOr(...words: readonly (string | number)[]): ParamCheck {
  return (value) =>
    isId(value) || words.some((word) => word === value)
      ? null
      : `an id or ${words.map((word) => JSON.stringify(word)).join(' or ')}`
}

export function oneOf(...names: readonly string[]): ParamCheck {
  return (value) => (names.some((name) => name === value) ? null : `one of ${names.join(', ')}`)
}

export function text(maxLength: number): ParamCheck {
  return (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= maxLength
      ? null
      : `a text that is not blank, of at most ${maxLength} characters`
}

export function idOrText(maxLength: number): ParamCheck {
  const isText = text(maxLength)
  return (value) => (isId(value) || isText(value) === null ? null : 'an id: a positive whole number or a text')
}

/** Exactly one text that can be parsed as Liquid. */
export function template(check?: ParamCheck): ParamsCheck {
  const exactlyOne = one(text(MAX_TEMPLATE_LENGTH))
  return (params, pointer, context) =>
    params.length === 1 ? templateFaults(params[0], `${pointer}/0`, check) : exactlyOne(params, pointer, context)
}

export function templateFaults(value: unknown, pointer: string, check?: ParamCheck): readonly Fault[] {
  if (typeof value !== 'string' || value.trim() === '') {
    return [{ pointer, code: 'param_type', message: 'must be a text that is not blank' }]
  }
  const broken = templateFault(value)
  if (broken !== null) return [{ pointer, code: 'invalid_template', message: `must be a Liquid template: ${broken}` }]
  const problem = check?.(value) ?? null
  return problem === null ? [] : [{ pointer, code: 'param_type', message: `must be ${problem}` }]
}

/** Exactly one object; `check` looks at its fields. */
export function object(
  shape: string,
  check: (fields: (name: string) => unknown, pointer: string, context: ParamsContext) => readonly Fault[],
): ParamsCheck {
  return (params, pointer, context) => {
    const [value] = params
    if (params.length !== 1 || typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [{ pointer, code: 'param_type', message: `action_params must be [${shape}]` }]
    }
    return check((name) => ownValue(value, name), `${pointer}/0`, context)
  }
}
