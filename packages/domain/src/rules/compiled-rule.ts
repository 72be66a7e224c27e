import type { Micros } from '@dwell/contracts/instant'
import type { Action, RuleEvent } from '@dwell/contracts/rule'
import type { CompiledConditions } from './conditions'

/** A rule made ready for judging: once per account and version, not once per event. */
export interface CompiledRule {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly eventName: RuleEvent
  readonly active: boolean
  /** µs; null acts at once. */
  readonly delay: Micros | null
  readonly conditions: CompiledConditions
  readonly actions: readonly Action[]
}
