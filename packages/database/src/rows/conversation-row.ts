import type { Micros } from '@dwell/contracts/instant'
import type { Attributes } from '@dwell/domain/rules/facts'
import type { ProjectedConversation } from '@dwell/domain/rules/projection'
import { CONVERSATION_FACTS, fromStoredFactTimes, type StoredFactTimes } from './fact-times'

/** What `conversationColumns` selects; the prefix lets it stand beside other tables in one result. Instants are µs. */
export interface ConversationRow {
  readonly conversation_account_id: number
  readonly conversation_id: number
  readonly conversation_inbox_id: number | null
  readonly conversation_status: string | null
  readonly conversation_status_changed_at: Micros | null
  readonly conversation_waiting_since: Micros | null
  readonly conversation_created_at: Micros | null
  readonly conversation_priority: string | null
  readonly conversation_assignee_id: number | null
  readonly conversation_assignee_bot_id: number | null
  readonly conversation_team_id: number | null
  readonly conversation_labels: readonly string[]
  readonly conversation_custom_attributes: Attributes
  readonly conversation_additional_attributes: Attributes
  readonly conversation_can_reply: boolean | null
  readonly conversation_contact_id: number | null
  readonly conversation_recent_incoming: readonly (readonly [createdAt: Micros, id: number])[]
  readonly conversation_fact_times: StoredFactTimes
  readonly conversation_deleted_at: Micros | null
  readonly conversation_revision: number
}

/** The select list of a conversation; `table` is the name or alias it has in the statement. */
export function conversationColumns(table = 'conversations'): string {
  return `
    ${table}.account_id AS conversation_account_id, ${table}.id AS conversation_id,
    ${table}.inbox_id AS conversation_inbox_id, ${table}.status AS conversation_status,
    dwell_micros(${table}.status_changed_at) AS conversation_status_changed_at,
    dwell_micros(${table}.waiting_since) AS conversation_waiting_since,
    dwell_micros(${table}.created_at) AS conversation_created_at, ${table}.priority AS conversation_priority,
    ${table}.assignee_id AS conversation_assignee_id, ${table}.assignee_bot_id AS conversation_assignee_bot_id,
    ${table}.team_id AS conversation_team_id, ${table}.labels AS conversation_labels,
    ${table}.custom_attributes AS conversation_custom_attributes,
    ${table}.additional_attributes AS conversation_additional_attributes,
    ${table}.can_reply AS conversation_can_reply, ${table}.contact_id AS conversation_contact_id,
    ${table}.recent_incoming AS conversation_recent_incoming, ${table}.fact_times AS conversation_fact_times,
    dwell_micros(${table}.deleted_at) AS conversation_deleted_at, ${table}.revision AS conversation_revision`
}

export function conversationFromRow(row: ConversationRow): ProjectedConversation {
  return {
    accountId: row.conversation_account_id,
    id: row.conversation_id,
    facts: {
      inbox_id: row.conversation_inbox_id,
      status: row.conversation_status,
      status_changed_at: row.conversation_status_changed_at,
      waiting_since: row.conversation_waiting_since,
      created_at: row.conversation_created_at,
      priority: row.conversation_priority,
      assignee_id: row.conversation_assignee_id,
      assignee_bot_id: row.conversation_assignee_bot_id,
      team_id: row.conversation_team_id,
      labels: row.conversation_labels,
      custom_attributes: row.conversation_custom_attributes,
      additional_attributes: row.conversation_additional_attributes,
      can_reply: row.conversation_can_reply,
      contact_id: row.conversation_contact_id,
    },
    factTimes: fromStoredFactTimes(row.conversation_fact_times, CONVERSATION_FACTS),
    recentIncoming: row.conversation_recent_incoming.map(([createdAt, id]) => ({ createdAt, id })),
    deletedAt: row.conversation_deleted_at,
    revision: row.conversation_revision,
  }
}
