import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'

/** A calendar day as the number of days since 1970-01-01: days compare and subtract as numbers. */
export type Day = number & { readonly __unit: 'day' }

const MILLISECONDS_PER_DAY = 86_400_000
const CALENDAR_DATE = /^(\d{4})-(\d\d)-(\d\d)$/

/** Reads `YYYY-MM-DD`; null for any other text and for a date that does not exist. */
export function parseDay(text: string): Day | null {
  const match = CALENDAR_DATE.exec(text)
  if (!match) return null
  const ms = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]))
  // Date.UTC rolls 30 February over into March and reads year 26 as 1926: the date must survive a round trip.
  return new Date(ms).toISOString().slice(0, 10) === text ? ((ms / MILLISECONDS_PER_DAY) as Day) : null
}

/** The calendar day it is at `instant` in an IANA zone; in UTC where the zone is unknown. */
export function localDay(instant: Micros, timeZone: string): Day {
  const ms = Math.floor(instant / MICROS_PER_MILLISECOND)
  const format = timeZone === 'UTC' || !Number.isFinite(ms) ? null : calendarOf(timeZone)
  if (format === null) return Math.floor(ms / MILLISECONDS_PER_DAY) as Day
  let year = 0
  let month = 0
  let day = 0
  for (const part of format.formatToParts(ms)) {
    if (part.type === 'year') year = Number(part.value)
    else if (part.type === 'month') month = Number(part.value)
    else if (part.type === 'day') day = Number(part.value)
  }
  return (Date.UTC(year, month - 1, day) / MILLISECONDS_PER_DAY) as Day
}

export function isTimeZone(name: string): boolean {
  return calendarOf(name) !== null
}

/** Building a formatter costs a hundred times what using it costs. Zones that do not exist are not kept. */
const calendars = new Map<string, Intl.DateTimeFormat>()

function calendarOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = calendars.get(timeZone)
  if (known !== undefined) return known
  try {
    const format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    calendars.set(timeZone, format)
    return format
  } catch {
    return null
  }
}
