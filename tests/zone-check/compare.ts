import { addDays, type DateAt, dateIn, daysAroundShifts, firstInstantOf, hoursBetween } from './reference'

/** The product's calendar, in milliseconds and dates. */
export interface Calendar {
  canonicalTimeZone(name: string): string | null
  /** First instant, end, and starts of the hours of a day. */
  day(zone: string, date: string): { readonly start: number; readonly end: number; readonly hours: readonly number[] }
  dateAt(zone: string, ms: number): string
}

export interface Comparison {
  readonly zones: number
  /** (zone, day) pairs. */
  readonly days: number
  readonly differences: readonly string[]
}

/**
 * Compares the product's calendar with the reference on the days around every shift of every zone, and on the first day of
 * every year. All names are asked for in lower case.
 */
export function compareCalendars(
  calendar: Calendar,
  zones: readonly string[],
  fromYear: number,
  toYear: number,
): Comparison {
  const differences: string[] = []
  let days = 0
  for (const zone of zones) {
    const named = calendar.canonicalTimeZone(zone.toLowerCase())
    if (named !== zone) differences.push(`${zone}: named ${named}`)
    const dateAt = dateIn(zone)
    const starts = new Map<string, number>()
    const startOf = (date: string) => {
      const known = starts.get(date) ?? firstInstantOf(date, dateAt)
      starts.set(date, known)
      return known
    }
    const yearly = Array.from({ length: toYear - fromYear + 1 }, (_, i) => `${fromYear + i}-01-01`)
    const dates = new Set([...daysAroundShifts(zone, fromYear, toYear), ...yearly])
    for (const date of dates) {
      days += 1
      const difference = differenceOn(calendar, zone, date, startOf, dateAt)
      if (difference !== null) differences.push(`${zone} ${date}: ${difference}`)
    }
  }
  return { zones: zones.length, days, differences }
}

function differenceOn(
  calendar: Calendar,
  zone: string,
  date: string,
  startOf: (date: string) => number,
  dateAt: DateAt,
): string | null {
  const start = startOf(date)
  const end = startOf(addDays(date, 1))
  const hours = hoursBetween(start, end)
  const day = calendar.day(zone, date)
  if (day.start !== start) return `starts at ${iso(day.start)}, not ${iso(start)}`
  if (day.end !== end) return `ends at ${iso(day.end)}, not ${iso(end)}`
  if (day.hours.join() !== hours.join())
    return `has the hours ${day.hours.map(iso).join()}, not ${hours.map(iso).join()}`
  for (const ms of [start - 1, start, ...hours, end - 1, end]) {
    const there = calendar.dateAt(zone, ms)
    if (there !== dateAt(ms)) return `it is ${there} at ${iso(ms)}, not ${dateAt(ms)}`
  }
  return null
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
