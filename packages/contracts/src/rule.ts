/**
 * An automation rule as people write it. Stored and answered exactly as saved (numbers stay numbers, joiners keep
 * their letter case); `@dwell/domain/rules/*` checks and compiles it.
 */
export const RULE_EVENTS = [
  'conversation_created',
  'conversation_updated',
  'conversation_opened',
  'conversation_resolved',
  'message_created',
] as const
export type RuleEvent = (typeof RULE_EVENTS)[number]

/** Minutes; seed decision 1. */
export const MIN_DELAY_MINUTES = 10
export const MAX_DELAY_MINUTES = 43_200

/** `attribute_changed` takes `{from?, to?}`; every other operator takes a list. */
export type ConditionValues =
  | readonly unknown[]
  | { readonly from?: readonly unknown[]; readonly to?: readonly unknown[] }

export interface Condition {
  readonly attribute_key: string
  readonly filter_operator: string
  readonly values?: ConditionValues
  /** Joins this condition to the next one, in any letter case; ignored on the last. */
  readonly query_operator?: string | null
  readonly custom_attribute_type?: string | null
}

export interface Action {
  readonly action_name: string
  readonly action_params: readonly unknown[]
}

export interface RuleDefinition {
  readonly name: string
  readonly description: string | null
  readonly event_name: RuleEvent
  readonly conditions: readonly Condition[]
  readonly actions: readonly Action[]
  readonly active: boolean
  /** Minutes between 10 and 43,200; null acts at once. */
  readonly execution_delay: number | null
}

export type CustomAttributeModel = 'conversation_attribute' | 'contact_attribute'
export type CustomAttributeDisplayType = 'text' | 'number' | 'link' | 'date' | 'list' | 'checkbox'

export interface CustomAttributeDefinition {
  readonly attribute_key: string
  readonly attribute_display_type: CustomAttributeDisplayType
  readonly attribute_model: CustomAttributeModel
  readonly attribute_values?: readonly string[] | null
}

/** One fault of a request: where it lies (JSON pointer into the body), a stable code, one sentence for people. */
export interface Fault {
  readonly pointer: string
  readonly code: string
  readonly message: string
}
