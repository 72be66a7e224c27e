const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** English as the browser writes dates in it; the words around them are English too. */
const LOCALE = globalThis.navigator?.language?.startsWith('en') ? navigator.language : 'en-GB'

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always' })
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const minute = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const second = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' })

/** "in 4 hours", "3 days ago"; under a minute says so, as seconds would be stale when they are read. */
export function relativeWords(at: number, now: number): string {
  const distance = at - now
  const size = Math.abs(distance)
  const sign = Math.sign(distance)
  if (size < MINUTE) return distance > 0 ? 'in less than a minute' : 'just now'
  if (size < 90 * MINUTE) return relative.format(sign * Math.round(size / MINUTE), 'minute')
  if (size < 36 * HOUR) return relative.format(sign * Math.round(size / HOUR), 'hour')
  if (size < 60 * DAY) return relative.format(sign * Math.round(size / DAY), 'day')
  return relative.format(sign * Math.round(size / (30.44 * DAY)), 'month')
}

/** In the browser's zone, to the minute. */
export function absoluteWords(at: number): string {
  return minute.format(at)
}

export function dayWords(at: number): string {
  return day.format(at)
}

/** In the browser's zone, to the second, with the zone's name. */
export function exactWords(at: number): string {
  return second.format(at)
}
