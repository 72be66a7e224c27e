import { MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'
import type { Action, Condition, CustomAttributeDefinition, RuleEvent } from '@dwell/contracts/rule'
import { compileConditions } from './compile-conditions'
import type { CompiledRule } from './compiled-rule'

/** A rule as its row holds it. */
export interface StoredRule {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly eventName: RuleEvent
  readonly active: boolean
  /** Minutes; null acts at once. */
  readonly executionDelay: number | null
  readonly conditions: readonly Condition[]
  readonly actions: readonly Action[]
}

/** Compiled once per account and version of its rules and custom attributes. */
export function compileRule(stored: StoredRule, definitions: readonly CustomAttributeDefinition[]): CompiledRule {
  const { id, accountId, name, eventName, active, executionDelay, conditions, actions } = stored
  return {
    id,
    accountId,
    name,
    eventName,
    active,
    delay: executionDelay === null ? null : ((executionDelay * MICROS_PER_MINUTE) as Micros),
    conditions: compileConditions(conditions, definitions),
    actions,
  }
}
