import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { type Day, localDay, parseDay } from '../calendar/local-day'
import { fold } from './fold'

/** Readers of facts: what a raw value is as an id, a text, …; null when it is none. They take anything and never throw. */

const DIGITS = /^\d{1,15}$/

/** Ids compare by number, whether they came as 5 or "5". */
export function idOf(raw: unknown): number | null {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : null
  return typeof raw === 'string' && DIGITS.test(raw) ? Number(raw) : null
}

/** Folded text. Numbers and booleans are taken as they would be written; lists and objects are no text. */
export function foldedTextOf(raw: unknown): string | null {
  if (typeof raw === 'string') return fold(raw)
  if (typeof raw === 'number' || typeof raw === 'boolean') return fold(String(raw))
  return null
}

export function booleanOf(raw: unknown): boolean | null {
  if (typeof raw === 'boolean') return raw
  return raw === 'true' ? true : raw === 'false' ? false : null
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

export function numberOf(raw: unknown): number | null {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : null
  if (typeof raw !== 'string' || raw.length > 100 || !DECIMAL.test(raw)) return null
  const value = Number(raw)
  return Number.isFinite(value) ? value : null
}

/** A date is a day; an instant is the day it falls on in the account's zone; a time without offset keeps its own day. */
export type DateValue = { readonly day: Day } | { readonly instant: Micros }

const LOCAL_DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/

export function dateOf(raw: unknown): DateValue | null {
  if (typeof raw !== 'string' || raw.length > 40) return null
  const day = parseDay(raw)
  if (day !== null) return { day }
  const instant = parseInstant(raw)
  if (instant !== null) return { instant }
  const local = LOCAL_DATE_TIME.exec(raw)
  const localDate = local?.[1] === undefined ? null : parseDay(local[1])
  return localDate === null ? null : { day: localDate }
}

export function dayOf(date: DateValue, timeZone: string): Day {
  return 'day' in date ? date.day : localDay(date.instant, timeZone)
}

/** Absent: null, missing, empty text, empty list, a list of nothing but absent values. rules.md section 3.2. */
export function isAbsent(raw: unknown): boolean {
  return raw === null || raw === undefined || raw === '' || (Array.isArray(raw) && raw.every(isAbsentItem))
}

function isAbsentItem(item: unknown): boolean {
  return item === null || item === undefined || item === ''
}
