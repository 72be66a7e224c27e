import { isStorableText } from '@dwell/contracts/parse-event'
import type { Fault } from '@dwell/contracts/rule'

/** Where the automation of a body lies: bodies are wrapped, and hold one. */
export const BODY_POINTER = '/automations/0'

/** Collects what is wrong with a body, so that all of it is reported at once. */
export class FaultList {
  private readonly list: Fault[] = []

  get faults(): readonly Fault[] {
    return this.list
  }

  /** @param path below the automation, e.g. `/name` */
  add(path: string, code: string, message: string): void {
    this.list.push({ pointer: BODY_POINTER + path, code, message })
  }

  addAll(faults: readonly Fault[]): void {
    this.list.push(...faults)
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export interface TextLimits {
  readonly min: number
  readonly max: number
}

/** What a text must be; null when it is. Characters are counted as people count them, not in UTF-16 units. */
export function textFault(value: unknown, { min, max }: TextLimits): string | null {
  if (typeof value !== 'string') return 'must be a text'
  if (!isStorableText(value)) return 'must not contain a NUL or an unpaired surrogate'
  const length = value.length > max * 2 ? value.length : [...value].length
  if (length >= min && length <= max) return null
  return min > 0 ? `must have ${min} to ${max} characters` : `may have at most ${max} characters`
}

/** What a whole number must be; null when it is. "24", 1.5 and true are none. */
export function wholeNumberFault(value: unknown, min: number, max: number): string | null {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
    ? null
    : `must be a whole number from ${min} to ${max}`
}
