import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'

/** Bytes of randomness an id takes. */
export const UUID_V7_RANDOM_BYTES = 8

/**
 * A UUID of version 7: milliseconds, then the fraction of the millisecond in 12 bits (RFC 9562, method 3), then randomness.
 * An id made in a later microsecond compares greater as text.
 */
export function uuidV7(now: Micros, random: Uint8Array): string {
  const ms = Math.floor(now / MICROS_PER_MILLISECOND)
  const fraction = Math.floor(((now - ms * MICROS_PER_MILLISECOND) / MICROS_PER_MILLISECOND) * 4096)
  const time = ms.toString(16).padStart(12, '0')
  const rest = [...random.subarray(0, UUID_V7_RANDOM_BYTES)]
  rest[0] = ((rest[0] ?? 0) & 0x3f) | 0x80
  const tail = rest.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const middle = `7${fraction.toString(16).padStart(3, '0')}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
