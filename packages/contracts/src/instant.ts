/**
 * Integer microseconds since 1970-01-01T00:00:00Z. A plain number holds them exactly until the year 2255; a JavaScript
 * `Date` would lose the last three digits, and instants that take part in a key must keep them.
 */
export type Micros = number & { readonly __unit: 'µs' }

export const MICROS_PER_MILLISECOND = 1_000
export const MICROS_PER_SECOND = 1_000_000
export const MICROS_PER_MINUTE = 60_000_000
export const MICROS_PER_HOUR = 3_600_000_000
export const MICROS_PER_DAY = 86_400_000_000

const ISO_INSTANT = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Reads an RFC 3339 instant with up to nine fractional digits; digits beyond the microsecond are cut off.
 * Returns null for anything else: a date that does not exist, a missing offset, a number.
 */
export function parseInstant(text: unknown): Micros | null {
  if (typeof text !== 'string') return null
  const match = ISO_INSTANT.exec(text)
  if (!match) return null
  const [, date = '', time = '', fraction = '', offset = ''] = match
  const wholeSeconds = Date.parse(`${date}T${time}${offset.toUpperCase()}`)
  if (Number.isNaN(wholeSeconds) || !isDate(date)) return null
  const micros = wholeSeconds * MICROS_PER_MILLISECOND + Number(fraction.padEnd(6, '0').slice(0, 6))
  return Number.isSafeInteger(micros) ? (micros as Micros) : null
}

/** Date.parse rolls 30 February over into March; a date must survive a round trip. The first 28 days always do. */
function isDate(date: string): boolean {
  return date.slice(8) <= '28' || new Date(Date.parse(`${date}T00:00:00Z`)).toISOString().slice(0, 10) === date
}

/** ISO 8601 in UTC with six fractional digits, e.g. `2026-09-01T10:00:00.123456Z`. */
export function formatInstant(micros: Micros): string {
  const seconds = Math.floor(micros / MICROS_PER_SECOND)
  const fraction = micros - seconds * MICROS_PER_SECOND
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`
}

/** `formatInstant`, passing null on. */
export function formatOptionalInstant(micros: Micros | null): string | null {
  return micros === null ? null : formatInstant(micros)
}

/** ISO 8601 in UTC with three fractional digits, later ones cut off: how automations report their times. */
export function formatMilliseconds(micros: Micros): string {
  return new Date(Math.floor(micros / MICROS_PER_MILLISECOND)).toISOString()
}

/** `formatMilliseconds`, passing null on. */
export function formatOptionalMilliseconds(micros: Micros | null): string | null {
  return micros === null ? null : formatMilliseconds(micros)
}
