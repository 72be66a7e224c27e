import type { Micros } from '@dwell/contracts/instant'
import type { PendingExecutionStatus, SkipReason } from '@dwell/contracts/pending-execution'
import type { PendingExecution } from '@dwell/domain/rules/pending-execution'

/** What `pendingExecutionColumns` selects; the prefix lets it stand beside other tables. Instants are µs. */
export interface PendingExecutionRow {
  readonly execution_id: number
  readonly execution_account_id: number
  readonly execution_rule_id: number
  readonly execution_conversation_id: number
  readonly execution_message_id: number | null
  readonly execution_message_created_at: Micros | null
  readonly execution_episode_key: string
  readonly execution_status: PendingExecutionStatus
  readonly execution_skip_reason: SkipReason | null
  readonly execution_due_at: Micros
  readonly execution_armed_at: Micros
  readonly execution_traceparent: string | null
}

/** The select list of a pending execution; `table` is the name or alias it has in the statement. */
export function pendingExecutionColumns(table = 'automation_rule_pending_executions'): string {
  return `
    ${table}.id AS execution_id, ${table}.account_id AS execution_account_id,
    ${table}.automation_rule_id AS execution_rule_id, ${table}.conversation_id AS execution_conversation_id,
    ${table}.message_id AS execution_message_id,
    dwell_micros(${table}.message_created_at) AS execution_message_created_at,
    ${table}.episode_key AS execution_episode_key, ${table}.status AS execution_status,
    ${table}.skip_reason AS execution_skip_reason, dwell_micros(${table}.due_at) AS execution_due_at,
    dwell_micros(${table}.armed_at) AS execution_armed_at, ${table}.traceparent AS execution_traceparent`
}

export function pendingExecutionFromRow(row: PendingExecutionRow): PendingExecution {
  const { execution_message_id: messageId, execution_message_created_at: messageCreatedAt } = row
  return {
    id: row.execution_id,
    accountId: row.execution_account_id,
    ruleId: row.execution_rule_id,
    conversationId: row.execution_conversation_id,
    episodeKey: row.execution_episode_key,
    status: row.execution_status,
    skipReason: row.execution_skip_reason,
    dueAt: row.execution_due_at,
    anchor: messageId === null || messageCreatedAt === null ? null : { createdAt: messageCreatedAt, id: messageId },
    armedAt: row.execution_armed_at,
    traceparent: row.execution_traceparent,
  }
}
