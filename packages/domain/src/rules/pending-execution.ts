import type { Micros } from '@dwell/contracts/instant'
import type { PendingExecutionStatus, SkipReason } from '@dwell/contracts/pending-execution'
import type { MessagePlace } from './projection'

/** One row per (rule, conversation, episode). */
export interface PendingExecution {
  /** Null until it is stored. */
  readonly id: number | null
  readonly accountId: number
  readonly ruleId: number
  readonly conversationId: number
  readonly episodeKey: string
  readonly status: PendingExecutionStatus
  readonly skipReason: SkipReason | null
  readonly dueAt: Micros
  /** The triggering message of message rules. */
  readonly anchor: MessagePlace | null
  /** occurred_at of the event that armed it last. */
  readonly armedAt: Micros
  readonly traceparent: string | null
}

/** Reasons that a strictly newer matching event undoes; `episode_moved` and `conversation_gone` are final. */
const REARMABLE: ReadonlySet<SkipReason> = new Set([
  'conditions_changed',
  'expired',
  'flag_disabled',
  'rule_inactive',
  'rule_changed',
])

export function isArmed(row: PendingExecution): boolean {
  return row.status === 'pending' || row.status === 'processing'
}

export function isRearmable(row: PendingExecution): boolean {
  return row.status === 'skipped' && row.skipReason !== null && REARMABLE.has(row.skipReason)
}
