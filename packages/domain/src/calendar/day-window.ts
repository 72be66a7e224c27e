import { MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { Temporal } from 'temporal-polyfill'
import type { Day } from './local-day'

/** From the first instant of something up to, not including, `end`. */
export interface Span {
  readonly start: Micros
  readonly end: Micros
}

/**
 * A day starts at the first instant whose local date is that day: where midnight is skipped that is later on the clock,
 * where midnight comes twice it is the first one. A date that the zone skipped starts, and ends, where the next one does.
 * DESIGN section 4.
 */
export function dayStart(timeZone: string, day: Day): Micros {
  const starts = startsOf(timeZone)
  const known = starts.get(day)
  if (known !== undefined) return known
  const start = (plainDate(day).toZonedDateTime(timeZone).epochMilliseconds * MICROS_PER_MILLISECOND) as Micros
  starts.set(day, start)
  return start
}

/**
 * What was found out once: a chart of all history asks for hundreds of days, and finding the start of one takes some 30 µs.
 * Zones and days come from outside, so neither is kept without end.
 */
const knownStarts = new Map<string, Map<Day, Micros>>()
const MAX_ZONES = 100
const MAX_DAYS = 5_000

function startsOf(timeZone: string): Map<Day, Micros> {
  const starts = knownStarts.get(timeZone)
  if (starts !== undefined && starts.size < MAX_DAYS) return starts
  if (knownStarts.size >= MAX_ZONES) knownStarts.clear()
  const none = new Map<Day, Micros>()
  knownStarts.set(timeZone, none)
  return none
}

/** From the start of a day to the start of the next: 23, 24, 25 hours, half-hour shifts, or nothing where it was skipped. */
export function dayWindow(timeZone: string, day: Day): Span {
  return { start: dayStart(timeZone, day), end: dayStart(timeZone, nextDay(day)) }
}

/** Starts of the days from `from` to `to`, both included. */
export function dayStarts(timeZone: string, from: Day, to: Day): Micros[] {
  const starts: Micros[] = []
  for (let day = from; day <= to; day = nextDay(day)) starts.push(dayStart(timeZone, day))
  return starts
}

/**
 * Starts of the hours of a span: 3600 s of elapsed time each, whatever the clock on the wall does, so repeated hours stay
 * apart and none begins off the grid after a half-hour shift. The last one is short where the span is no whole number of
 * hours.
 */
export function hourStarts({ start, end }: Span): Micros[] {
  const starts: Micros[] = []
  for (let hour: number = start; hour < end; hour += MICROS_PER_HOUR) starts.push(hour as Micros)
  return starts
}

export function nextDay(day: Day): Day {
  return (day + 1) as Day
}

/** `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  return new Date((day * MICROS_PER_DAY) / MICROS_PER_MILLISECOND).toISOString().slice(0, 10)
}

function plainDate(day: Day): Temporal.PlainDate {
  return EPOCH.add({ days: day })
}

const EPOCH = new Temporal.PlainDate(1970, 1, 1)
