import type { Micros } from '@dwell/contracts/instant'
import type { Fault } from '@dwell/contracts/rule'
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

export interface CompiledConditions {
  /** Total: never throws. */
  matches(situation: Situation): boolean
  /** Every condition is about status or inbox: the wait then starts when the status changed. */
  readonly onlyStatusAndInbox: boolean
  /** Why the rule is broken: conditions on custom attributes that no longer exist. They are false. */
  readonly broken: readonly Fault[]
}
