import { formatInstant, MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'

export type Instants = () => Micros

/** The machine's time, never the same instant twice: two events of one moment keep their order. */
export function createInstants(milliseconds: () => number = Date.now): Instants {
  let last = 0
  return () => {
    last = Math.max(last + 1, Math.floor(milliseconds()) * MICROS_PER_MILLISECOND)
    return last as Micros
  }
}

export function secondsBefore(instant: Micros, seconds: number): Micros {
  return (instant - Math.round(seconds * MICROS_PER_SECOND)) as Micros
}

export { formatInstant, type Micros }
