import { formatInstant, MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'

/**
 * Prisma's `DateTime` holds milliseconds. Good enough for when a rule or an account was written; what takes part in a
 * key or in an order is read and written by SQL, with `dwell_micros` and `dwell_instant`.
 */
export function fromDate(date: Date): Micros {
  return (date.getTime() * MICROS_PER_MILLISECOND) as Micros
}

/** As Prisma takes it. */
export function toStored(micros: Micros): string {
  return formatInstant(micros)
}
