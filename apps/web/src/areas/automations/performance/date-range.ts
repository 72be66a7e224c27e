/** Days as `YYYY-MM-DD`, both included; null is all time. */
export type DateRange = { readonly from: string; readonly to: string } | null

/** The ranges that are offered, in days up to and including today. */
export const RANGE_DAYS = [7, 30, 90] as const
export type RangeDays = (typeof RANGE_DAYS)[number]

const DAY_MS = 86_400_000

/** The zone of the browser, as the API takes it. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The calendar date of an instant (milliseconds) in a zone. */
export function dayIn(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return parts.format(at)
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Its bounds stay as they are, also over midnight: chart, cards and list speak of the same days. */
export function lastDays(days: RangeDays, today: string): { readonly from: string; readonly to: string } {
  return { from: addDays(today, 1 - days), to: today }
}

/** How many of the offered days a range spans when it ends today, to name it; else null. */
export function namedRange(range: DateRange, today: string): RangeDays | null {
  if (range === null || range.to !== today) return null
  return RANGE_DAYS.find((days) => lastDays(days, today).from === range.from) ?? null
}
