import type { Micros } from '@dwell/contracts/instant'
import type { Attributes } from '@dwell/domain/rules/facts'
import type { ProjectedMessage } from '@dwell/domain/rules/projection'
import { fromStoredFactTimes, MESSAGE_FACTS, type StoredFactTimes } from './fact-times'

/** What `messageColumns` selects; the prefix lets it stand beside other tables in one result. Instants are µs. */
export interface MessageRow {
  readonly message_account_id: number
  readonly message_conversation_id: number
  readonly message_id: number
  readonly message_message_type: string | null
  readonly message_private: boolean | null
  readonly message_content: string | null
  readonly message_content_attributes: Attributes
  readonly message_sender: Attributes | null
  readonly message_created_at: Micros | null
  readonly message_fact_times: StoredFactTimes
  readonly message_deleted_at: Micros | null
}

/** The select list of a message; `table` is the name or alias it has in the statement. */
export function messageColumns(table = 'messages'): string {
  return `
    ${table}.account_id AS message_account_id, ${table}.conversation_id AS message_conversation_id,
    ${table}.id AS message_id, ${table}.message_type AS message_message_type, ${table}.private AS message_private,
    ${table}.content AS message_content, ${table}.content_attributes AS message_content_attributes,
    ${table}.sender AS message_sender, dwell_micros(${table}.created_at) AS message_created_at,
    ${table}.fact_times AS message_fact_times, dwell_micros(${table}.deleted_at) AS message_deleted_at`
}

export function messageFromRow(row: MessageRow): ProjectedMessage {
  return {
    accountId: row.message_account_id,
    conversationId: row.message_conversation_id,
    id: row.message_id,
    facts: {
      message_type: row.message_message_type,
      private: row.message_private ?? false,
      content: row.message_content,
      created_at: row.message_created_at,
      content_attributes: row.message_content_attributes,
      sender: row.message_sender,
    },
    factTimes: fromStoredFactTimes(row.message_fact_times, MESSAGE_FACTS),
    deletedAt: row.message_deleted_at,
  }
}
