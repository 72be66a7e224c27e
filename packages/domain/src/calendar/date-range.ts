import type { Micros } from '@dwell/contracts/instant'
import type { Fault } from '@dwell/contracts/rule'
import { type Day, localDay, parseDay } from './local-day'
import { canonicalTimeZone } from './time-zone'

/** Longer ranges would be answered with more days than anybody reads: two hundred years. */
export const MAX_RANGE_DAYS = 73_050

/** Calendar dates in a zone, both included; `from` and `to` are both null for all history. */
export interface DateRange {
  readonly timeZone: string
  readonly from: Day | null
  readonly to: Day | null
}

export type ReadDateRange =
  | { readonly ok: true; readonly range: DateRange }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Query parameters as they came: text, or a list where one was given twice. */
export interface DateRangeParameters {
  readonly date_from?: unknown
  readonly date_to?: unknown
  readonly timezone?: unknown
}

/**
 * Reads `date_from`, `date_to` and `timezone` (UTC unless given). An end needs a start, neither lies after today in the
 * zone, a start alone reaches to today. `keptTo` is the end that a cursor remembers: it stands where `date_to` is left out,
 * so that paging survives midnight. Faults point at parameters. automations.md section 9.
 */
export function readDateRange(parameters: DateRangeParameters, now: Micros, keptTo: Day | null = null): ReadDateRange {
  const timeZone = readTimeZone(parameters.timezone)
  const from = readDate('date_from', parameters.date_from)
  const to = readDate('date_to', parameters.date_to)
  const faults = [timeZone, from, to].flatMap((read) => ('fault' in read ? [read.fault] : []))
  if (parameters.date_to !== undefined && parameters.date_from === undefined) {
    faults.push(fault('date_from', 'date_from_missing', 'date_to needs a date_from'))
  }
  const fromDay = 'fault' in from ? null : from.value
  const toDay = 'fault' in to ? null : to.value
  if (fromDay !== null && toDay !== null && toDay < fromDay) {
    faults.push(fault('date_to', 'dates_reversed', 'date_to must not lie before date_from'))
  }
  if ('fault' in timeZone) return { ok: false, faults }

  const today = localDay(now, timeZone.value)
  for (const [name, day] of [['date_from', fromDay] as const, ['date_to', toDay] as const]) {
    if (day === null || day <= today) continue
    faults.push(fault(name, 'date_after_today', `${name} must not lie after today in ${timeZone.value}`))
  }
  const end = fromDay === null ? null : (toDay ?? keptTo ?? today)
  if (fromDay !== null && end !== null && end - fromDay >= MAX_RANGE_DAYS) {
    faults.push(fault('date_from', 'range_too_long', `a range may have at most ${MAX_RANGE_DAYS} days`))
  }
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, range: { timeZone: timeZone.value, from: fromDay, to: end } }
}

type Read<T> = { readonly value: T } | { readonly fault: Fault }

function readTimeZone(value: unknown): Read<string> {
  if (value === undefined) return { value: 'UTC' }
  const zone = typeof value === 'string' ? canonicalTimeZone(value) : null
  if (zone !== null) return { value: zone }
  return {
    fault:
      typeof value === 'string'
        ? fault('timezone', 'unknown_timezone', 'timezone must be a zone of the IANA database, e.g. Europe/Berlin')
        : repeated('timezone'),
  }
}

function readDate(name: string, value: unknown): Read<Day | null> {
  if (value === undefined) return { value: null }
  if (typeof value !== 'string') return { fault: repeated(name) }
  const day = parseDay(value)
  return day === null
    ? { fault: fault(name, 'invalid_date', `${name} must be a date of the calendar, written YYYY-MM-DD`) }
    : { value: day }
}

function repeated(name: string): Fault {
  return fault(name, 'parameter_repeated', `${name} must be given once`)
}

function fault(pointer: string, code: string, message: string): Fault {
  return { pointer, code, message }
}
