import { formatMilliseconds, type Micros } from '@dwell/contracts/instant'
import type { DateRange } from './date-range'
import { dayStart, dayStarts, dayWindow, formatDay, hourStarts, nextDay, type Span } from './day-window'
import { type Day, localDay } from './local-day'

/** The days that performance is shown for, cut into the buckets of its chart. Instants go to SQL, which knows no zones. */
export interface EntryWindow extends Span {
  readonly timeZone: string
  readonly from: Day
  /** Included. */
  readonly to: Day
  /** `hour` when the window is one day. */
  readonly bucket: 'hour' | 'day'
  /** Ascending; a skipped day has the start of the day after it. The last bucket ends with the window. */
  readonly bucketStarts: readonly Micros[]
}

/** Entry times of the oldest and the youngest counted run. */
export interface History {
  readonly first: Micros
  readonly last: Micros
}

/**
 * The window of a range. All history begins on the day of the first counted run and ends today, or on a later run's day
 * where clocks disagree; an empty one is today. `history` is only asked for where the range has no dates.
 */
export function entryWindow(range: DateRange, now: Micros, history: History | null): EntryWindow {
  const { timeZone } = range
  const today = localDay(now, timeZone)
  const from = range.from ?? (history === null ? today : localDay(history.first, timeZone))
  const to = range.to ?? (history === null ? today : (Math.max(today, localDay(history.last, timeZone)) as Day))
  const span = { start: dayStart(timeZone, from), end: dayStart(timeZone, nextDay(to)) }
  const bucket = from === to ? 'hour' : 'day'
  const bucketStarts = bucket === 'hour' ? hourStarts(dayWindow(timeZone, from)) : dayStarts(timeZone, from, to)
  return { timeZone, from, to, ...span, bucket, bucketStarts }
}

/** The part of all entries that a range selects: of both ends null, everything. `end` is not included. */
export function rangeSpan(range: DateRange): Span | null {
  if (range.from === null || range.to === null) return null
  return { start: dayStart(range.timeZone, range.from), end: dayStart(range.timeZone, nextDay(range.to)) }
}

export interface Entry {
  /** `YYYY-MM-DD`, or the instant an hour starts at. */
  readonly date: string
  readonly count: number
}

/**
 * The chart: one entry per bucket, zeros included. Of today only the hours up to the current one, or up to a later run's
 * where clocks disagree.
 *
 * @param counts of the buckets that have any, by their place in `bucketStarts`
 */
export function entriesOf(window: EntryWindow, counts: ReadonlyMap<number, number>, now: Micros): Entry[] {
  for (const index of counts.keys()) {
    if (window.bucketStarts[index] === undefined) throw new RangeError(`no bucket ${index} in the window`)
  }
  if (window.bucket === 'day') {
    return window.bucketStarts.map((_, i) => ({
      date: formatDay((window.from + i) as Day),
      count: counts.get(i) ?? 0,
    }))
  }
  const latest = Math.max(-1, ...counts.keys())
  return window.bucketStarts
    .filter((start, i) => start <= now || i <= latest)
    .map((start, i) => ({ date: formatMilliseconds(start), count: counts.get(i) ?? 0 }))
}

/** As the API writes it. */
export function answeredWindow(window: EntryWindow) {
  return {
    date_from: formatDay(window.from),
    /** Not included. */
    date_to: formatDay(nextDay(window.to)),
    bucket: window.bucket,
    timezone: window.timeZone,
  }
}
