import { addDays } from './date-range'

/** As the statistics answer them: days, or instants of hours. */
export interface Entries {
  readonly bucket: 'hour' | 'day'
  readonly entries: readonly { readonly date: string; readonly count: number }[]
}

export type Grouping = 'hour' | 'day' | 'week' | 'month'

/** One bar: from and to are days, both included; of an hour both are its instant. */
export interface EntryGroup {
  readonly from: string
  readonly to: string
  readonly count: number
}

const WEEKS_FROM_DAYS = 91
const MONTHS_FROM_DAYS = 271

/** Hours for one day, days below 91, weeks (from Monday) for 91 to 270, months for longer. */
export function groupingOf({ bucket, entries }: Entries): Grouping {
  if (bucket === 'hour') return 'hour'
  if (entries.length < WEEKS_FROM_DAYS) return 'day'
  return entries.length < MONTHS_FROM_DAYS ? 'week' : 'month'
}

/** Counts of what a bar of the chart stands for; the sum stays the same. A cut first or last week or month stays cut. */
export function groupEntries(all: Entries): EntryGroup[] {
  const grouping = groupingOf(all)
  const groups: { from: string; to: string; count: number }[] = []
  let last: string | null = null
  for (const { date, count } of all.entries) {
    const key = keyOf(date, grouping)
    const group = groups.at(-1)
    if (group === undefined || key !== last) groups.push({ from: date, to: date, count })
    else {
      group.to = date
      group.count += count
    }
    last = key
  }
  return groups
}

function keyOf(date: string, grouping: Grouping): string {
  if (grouping === 'month') return date.slice(0, 7)
  if (grouping === 'week') return mondayOf(date)
  return date
}

function mondayOf(day: string): string {
  const weekday = new Date(day).getUTCDay()
  return addDays(day, weekday === 0 ? -6 : 1 - weekday)
}
