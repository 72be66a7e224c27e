import type { Micros } from '@dwell/contracts/instant'
import { UNKNOWN_MEMBER } from '@dwell/domain/automations/member'
import { UNKNOWN_CONTACT, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from '@dwell/domain/rules/facts'
import { ANY_EVENT, type FactTimes } from '@dwell/domain/rules/projection'

/**
 * Fact times as they are stored. Nearly all facts come from the youngest snapshot, so only the others are written out: a
 * quarter off the time it takes to write and read a conversation (measured).
 */
export interface StoredFactTimes {
  /** µs; of every fact that is not named below. Absent before the first event. */
  readonly at?: Micros
  /** Facts that were learnt earlier. */
  readonly older?: FactTimes
  /** Facts that no event has spoken of. */
  readonly unknown?: readonly string[]
}

export const CONVERSATION_FACTS: readonly string[] = [...Object.keys(UNKNOWN_CONVERSATION), ANY_EVENT]
export const CONTACT_FACTS: readonly string[] = Object.keys(UNKNOWN_CONTACT)
export const MESSAGE_FACTS: readonly string[] = Object.keys(UNKNOWN_MESSAGE)
export const MEMBER_FACTS: readonly string[] = Object.keys(UNKNOWN_MEMBER)

export function toStoredFactTimes(times: FactTimes, facts: readonly string[]): StoredFactTimes {
  let at: Micros | undefined
  for (const fact of facts) {
    const time = times[fact]
    if (time !== undefined && (at === undefined || time > at)) at = time
  }
  if (at === undefined) return {}
  const older: Record<string, Micros> = {}
  const unknown: string[] = []
  for (const fact of facts) {
    const time = times[fact]
    if (time === undefined) unknown.push(fact)
    else if (time !== at) older[fact] = time
  }
  return {
    at,
    ...(Object.keys(older).length > 0 ? { older } : {}),
    ...(unknown.length > 0 ? { unknown } : {}),
  }
}

export function fromStoredFactTimes(stored: StoredFactTimes, facts: readonly string[]): FactTimes {
  const { at, older, unknown } = stored
  if (at === undefined) return {}
  const times: Record<string, Micros> = {}
  for (const fact of facts) {
    if (unknown?.includes(fact)) continue
    times[fact] = older?.[fact] ?? at
  }
  return times
}
