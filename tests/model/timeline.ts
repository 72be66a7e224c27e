import fc from 'fast-check'
import { DELAYS } from './plan'

/** What all histories of one run have in common: the clock, the settings of the installation, the sweeps. */
export interface Slot {
  at: number
  killSwitch: string | null
  whenDisabled: string | null
  /** After the slot's events: a whole sweep, one whose jobs stay in the queue or are lost, the workers alone, or nothing. */
  ending: 'sweep' | 'claim' | 'lose' | 'work' | 'nothing'
}

export const START = Date.parse('2026-09-01T09:00:00Z') * 1_000
const MINUTE = 60_000_000
const DAY = 1_440 * MINUTE
/** Hours after `START` at which histories begin: also where it is another day already, or still, in the zones of the accounts. */
const BEGINNINGS = [0, 0, 0, 8, 13, 16] as const

interface SlotPlan {
  jump: number
  from: number
  delay: number
  nudge: number
  killSwitch: string | null
  whenDisabled: string | null
  ending: Slot['ending']
}

const never = (times: number) => Array.from({ length: times }, () => null)

const slotPlan: fc.Arbitrary<SlotPlan> = fc.record({
  jump: fc.nat({ max: 19 }),
  from: fc.nat({ max: 30 }),
  delay: fc.constantFrom(0, 0, 1, 2, 3),
  nudge: fc.constantFrom(0, 0, 0, -1, 1),
  killSwitch: fc.constantFrom(...never(12), 'true', 'false', 'false'),
  whenDisabled: fc.constantFrom(...never(8), 'pause', 'pause', 'skip'),
  ending: fc.constantFrom('sweep', 'sweep', 'sweep', 'sweep', 'nothing', 'nothing', 'claim', 'lose', 'work'),
})

const timelinePlan = fc.record({
  slots: fc.array(slotPlan, { minLength: 6, maxLength: 13, size: 'max' }),
  beginning: fc.constantFrom(...BEGINNINGS),
})

export function timelineOf(seed: number): Slot[] {
  const [plans] = fc.sample(timelinePlan, { seed, numRuns: 1 })
  const slots: Slot[] = []
  for (const plan of plans?.slots ?? []) {
    const start = START + (plans?.beginning ?? 0) * 60 * MINUTE
    const previous = slots.at(-1)?.at ?? start
    const at = slots.length === 0 ? start : next(plan, previous, slots)
    // Jobs that wait in the queue are what the kill switch at work is about.
    const isStopped = slots.at(-1)?.ending === 'claim' && plan.from % 3 === 0
    const killSwitch = isStopped ? 'true' : plan.killSwitch
    slots.push({ at, killSwitch, whenDisabled: plan.whenDisabled, ending: plan.ending })
  }
  // In the end everything has come due.
  const end = Math.max(...slots.map(({ at }) => at)) + DAY + 120 * MINUTE
  slots.push({ at: end, killSwitch: 'false', whenDisabled: null, ending: 'sweep' })
  return slots
}

/** Mostly onto an edge: exactly when something is due, expired or stale, or one microsecond beside it. */
function next({ jump, from, delay, nudge }: SlotPlan, previous: number, slots: readonly Slot[]): number {
  // Most is due a delay after what has just happened.
  const then = (from > 10 ? previous : slots[from % slots.length]?.at) ?? START
  const due = then + (DELAYS[delay] ?? 60) * MINUTE
  // A claim that nobody works on: when it expires is what matters next.
  if (slots.at(-1)?.ending === 'lose' && jump % 2 === 0) return previous + 15 * MINUTE + nudge
  if (jump < 8) return Math.max(due, previous) + nudge
  if (jump < 10) return Math.max(due + 3 * DAY, previous) + nudge
  if (jump < 12) return previous + 15 * MINUTE + nudge
  if (jump < 15) return previous + 10 * MINUTE + nudge
  if (jump < 16) return previous + 1
  if (jump < 17) return previous - 10 * MINUTE
  if (jump < 18) return previous - 1
  if (jump < 19) return previous + 420 * MINUTE
  return previous + MINUTE
}
