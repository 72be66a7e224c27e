import { MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'

/** Minutes between two sweeps of the schedule, at whole multiples in UTC. Seed phase 4. */
export const TICK_MINUTES = 5

/** The first tick after `now`. */
export function nextTick(now: Micros): Micros {
  const tick = TICK_MINUTES * MICROS_PER_MINUTE
  return ((Math.floor(now / tick) + 1) * tick) as Micros
}
