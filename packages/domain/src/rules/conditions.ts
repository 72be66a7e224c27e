import type { Micros } from '@dwell/contracts/instant'
import type { ConditionValues, Fault } from '@dwell/contracts/rule'
import type { ContactFacts, ConversationFacts, MessageFacts } from './facts'

/** Everything a condition may ask about. */
export interface Situation {
  readonly conversation: ConversationFacts
  readonly contact: ContactFacts | null
  /** The triggering message, never another one. */
  readonly message: MessageFacts | null
  /** `changed_attributes` of the event; null where there is none, as at fire time. */
  readonly changed: Readonly<Record<string, readonly [unknown, unknown]>> | null
  readonly now: Micros
  /** IANA zone of the account. */
  readonly timeZone: string
}

/** One condition's share in the answer to "why". */
export interface ExplainedCondition {
  readonly attribute_key: string
  readonly filter_operator: string
  readonly values: ConditionValues
  /** Conditions of one group are joined by AND, groups by OR. */
  readonly group: number
  /** The value as the host sent it, `[old, new]` for `attribute_changed`; null when absent. */
  readonly seen: unknown
  readonly result: boolean
  /** Why the condition cannot be evaluated and is therefore false. */
  readonly broken?: string
}

export interface CompiledConditions {
  /** Total: never throws. */
  matches(situation: Situation): boolean
  /** Each condition with the value it saw, in the order they are saved; without acting. */
  explain(situation: Situation): readonly ExplainedCondition[]
  /** Every condition is about status or inbox: the wait then starts when the status changed. */
  readonly onlyStatusAndInbox: boolean
  /** Why the rule is broken: conditions that cannot be evaluated, on custom attributes that no longer exist above all. They are false. */
  readonly broken: readonly Fault[]
}
