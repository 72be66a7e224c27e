import { MAX_DELAY_MINUTES, MIN_DELAY_MINUTES } from '@dwell/contracts/rule'

export const DELAY_UNITS = ['minutes', 'hours', 'days'] as const
export type DelayUnit = (typeof DELAY_UNITS)[number]

const MINUTES_OF: Readonly<Record<DelayUnit, number>> = { minutes: 1, hours: 60, days: 1_440 }

/** As it is typed: the text of the field, which may be no number yet. */
export interface TypedDelay {
  readonly amount: string
  readonly unit: DelayUnit
}

/** The largest unit in which it is a whole number: 240 is 4 hours, 90 is 90 minutes. */
export function typedDelay(minutes: number): TypedDelay {
  const unit = (['days', 'hours'] as const).find((one) => minutes % MINUTES_OF[one] === 0) ?? 'minutes'
  return { amount: String(minutes / MINUTES_OF[unit]), unit }
}

export type DelayFault = 'not_a_number' | 'not_whole' | 'too_short' | 'too_long'

export function delayFault({ amount, unit }: TypedDelay): DelayFault | null {
  if (!/^\d+([.,]\d+)?$/.test(amount.trim())) return 'not_a_number'
  if (!/^\d+$/.test(amount.trim())) return 'not_whole'
  const minutes = Number(amount) * MINUTES_OF[unit]
  if (minutes < MIN_DELAY_MINUTES) return 'too_short'
  return minutes > MAX_DELAY_MINUTES ? 'too_long' : null
}

/** Minutes; null while there is a fault. */
export function minutesOf(typed: TypedDelay): number | null {
  return delayFault(typed) === null ? Number(typed.amount) * MINUTES_OF[typed.unit] : null
}

/** For a chip: `4h`, `90m`, `2d`. */
export function shortDelay(minutes: number): string {
  const { amount, unit } = typedDelay(minutes)
  return `${amount}${unit.charAt(0)}`
}
