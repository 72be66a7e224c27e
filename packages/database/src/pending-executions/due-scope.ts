import type { Micros } from '@dwell/contracts/instant'
import { DELAYED_AUTOMATIONS } from '@dwell/contracts/pending-execution'

/** Which of the waiting rows a sweep may touch. */
export interface DueScope {
  readonly now: Micros
  /** False under the kill switch: it speaks of delayed executions, immediate rows (`event:…`) go on. */
  readonly delayed: boolean
  /** `DELAYED_AUTOMATIONS_WHEN_DISABLED=pause`: delayed rows of accounts whose feature is off stay where they are. */
  readonly pauses: boolean
}

/** A condition on rows `e`, and the name that tells its statement from those of other scopes. */
export interface ScopeCondition {
  readonly name: 'all' | 'unpaused' | 'immediate'
  readonly sql: string
}

const IMMEDIATE = `e.episode_key LIKE 'event:%'`
/** The account may wait. Asked row by row: a list of the accounts that may not could be long, that of due rows is short. */
export const FEATURE_ON = `EXISTS (
  SELECT FROM accounts a WHERE a.id = e.account_id AND a.features @> ARRAY['${DELAYED_AUTOMATIONS}'])`

/** Three statements instead of one with switches in it: the usual one has no condition at all and reads the index only. */
export function scopeCondition(scope: Pick<DueScope, 'delayed' | 'pauses'>): ScopeCondition {
  if (!scope.delayed) return { name: 'immediate', sql: `AND ${IMMEDIATE}` }
  if (scope.pauses) return { name: 'unpaused', sql: `AND (${IMMEDIATE} OR ${FEATURE_ON})` }
  return { name: 'all', sql: '' }
}
