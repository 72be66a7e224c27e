import type { Calendar } from './compare'

/** The product's functions, wherever they were loaded from: sources in tests, the build in `npm run zone-check`. */
export interface ProductFunctions {
  canonicalTimeZone(name: string): string | null
  parseDay(text: string): number | null
  formatDay(day: never): string
  localDay(instant: never, zone: string): number
  entryWindow(
    range: { timeZone: string; from: never; to: never },
    now: never,
    history: null,
  ): { readonly start: number; readonly end: number; readonly bucketStarts: readonly number[] }
}

export function productCalendar(product: ProductFunctions): Calendar {
  return {
    canonicalTimeZone: product.canonicalTimeZone,
    day(zone, date) {
      const day = product.parseDay(date)
      if (day === null) throw new Error(`not a date: ${date}`)
      const range = { timeZone: zone, from: day as never, to: day as never }
      const window = product.entryWindow(range, 0 as never, null)
      return { start: window.start / 1000, end: window.end / 1000, hours: window.bucketStarts.map((at) => at / 1000) }
    },
    dateAt: (zone, ms) => product.formatDay(product.localDay((ms * 1000) as never, zone) as never),
  }
}
