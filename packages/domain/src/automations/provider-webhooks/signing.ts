import { timingSafeEqual } from 'node:crypto'
import { MICROS_PER_MINUTE, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'

/** µs that a signature holds, before and after: clocks differ, and what was recorded must not come back later. */
export const SIGNATURE_WINDOW = 5 * MICROS_PER_MINUTE

/** Seconds since 1970 as senders write them; null for anything else. */
export function timestampOf(text: unknown): Micros | null {
  const digits = typeof text === 'number' ? String(text) : text
  return typeof digits === 'string' && /^\d{1,10}$/.test(digits)
    ? ((Number(digits) * MICROS_PER_SECOND) as Micros)
    : null
}

export function isWithinWindow(timestamp: Micros | null, now: Micros): boolean {
  return timestamp !== null && Math.abs(now - timestamp) <= SIGNATURE_WINDOW
}

/** In a time that does not tell how much of it was right. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A value of the inside of a JSON text, whatever that is. */
export function valueIn(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  )
}
