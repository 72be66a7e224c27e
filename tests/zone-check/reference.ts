/**
 * The calendar of DESIGN section 4 once more, as slowly and plainly as it can be said, on the platform's `Intl` alone: what
 * is the date there at this instant, asked minute by minute. Shares no code and no library with the product.
 */

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000
/** No zone is further from UTC than this, shifts included. */
const FURTHEST_HOURS = 16

/** `YYYY-MM-DD` at an instant, in milliseconds. */
export type DateAt = (ms: number) => string

export function dateIn(zone: string): DateAt {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (ms) => format.format(ms)
}

/** The wall clock at an instant, as if it were UTC, less the instant. */
export function offsetIn(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (ms) => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`) - ms
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
}

/** The first instant whose local date is that day; for a date that never was, the first one whose date is later. */
export function firstInstantOf(date: string, dateAt: DateAt): number {
  const midnight = Date.parse(date)
  let later: number | null = null
  for (let ms = midnight - FURTHEST_HOURS * HOUR; ms <= midnight + FURTHEST_HOURS * HOUR; ms += MINUTE) {
    const there = dateAt(ms)
    if (there === date) {
      if (dateAt(ms - 1) === date) throw new Error(`${date} begins between two minutes`)
      return ms
    }
    if (there > date) later ??= ms
    // Whatever is two days on will not come back to this date.
    if (later !== null && ms - later > DAY) break
  }
  if (later === null) throw new Error(`${date} is nowhere to be found`)
  return later
}

/** Every 3600 seconds from the start of a day until the next one begins. */
export function hoursBetween(start: number, end: number): number[] {
  const hours: number[] = []
  for (let ms = start; ms < end; ms += HOUR) hours.push(ms)
  return hours
}

/** Dates on which the clock is set, and the days before and after them, from one year to another. */
export function daysAroundShifts(zone: string, fromYear: number, toYear: number): string[] {
  const offsetAt = offsetIn(zone)
  const days = new Set<string>()
  let before = offsetAt(Date.UTC(fromYear, 0, 1) - DAY / 2)
  for (let noon = Date.UTC(fromYear, 0, 1) + DAY / 2; noon < Date.UTC(toYear + 1, 0, 1); noon += DAY) {
    const offset = offsetAt(noon)
    if (offset !== before) {
      const date = new Date(noon).toISOString().slice(0, 10)
      for (const days_ of [-2, -1, 0, 1]) days.add(addDays(date, days_))
    }
    before = offset
  }
  return [...days].sort()
}
