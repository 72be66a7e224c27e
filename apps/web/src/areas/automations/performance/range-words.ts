import { dayWords } from '../../../time/words'

/** A calendar day as people write it; at noon in their own zone it is that day everywhere. */
export function calendarDay(day: string): string {
  return dayWords(Date.parse(`${day}T12:00:00`))
}

export function rangeWords({ from, to }: { readonly from: string; readonly to: string }): string {
  return from === to ? calendarDay(from) : `${calendarDay(from)} – ${calendarDay(to)}`
}
