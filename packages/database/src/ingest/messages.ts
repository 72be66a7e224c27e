import type { Micros } from '@dwell/contracts/instant'
import type { ProjectedMessage } from '@dwell/domain/rules/projection'
import type { PoolClient } from 'pg'
import { MESSAGE_FACTS, toStoredFactTimes } from '../rows/fact-times'
import { type MessageRow, messageColumns, messageFromRow } from '../rows/message-row'

export interface MessageId {
  readonly accountId: number
  readonly conversationId: number
  readonly id: number
}

const READ = `
  SELECT ${messageColumns('m')}
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS wanted(account_id, conversation_id, id)
  JOIN messages m
    ON m.account_id = wanted.account_id AND m.conversation_id = wanted.conversation_id AND m.id = wanted.id`

/** What is stored of these messages; most are not. Their conversations are locked, so nobody else changes them. */
export async function readMessages(client: PoolClient, ids: readonly MessageId[]): Promise<ProjectedMessage[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<MessageRow>({
    name: 'ingest-read-messages',
    text: READ,
    values: [ids.map((one) => one.accountId), ids.map((one) => one.conversationId), ids.map((one) => one.id)],
  })
  return rows.map(messageFromRow)
}

const WRITE = `
  INSERT INTO messages (account_id, conversation_id, id, message_type, private, content, content_attributes, sender,
                        created_at, fact_times, deleted_at, stored_at)
  SELECT v.account_id, v.conversation_id, v.id, v.message_type, v.private, v.content, v.content_attributes, v.sender,
         dwell_instant(v.created_at), v.fact_times, dwell_instant(v.deleted_at), dwell_instant($2)
  FROM json_to_recordset($1::json) AS v(
    account_id bigint, conversation_id bigint, id bigint, message_type text, private boolean, content text,
    content_attributes jsonb, sender jsonb, created_at bigint, fact_times jsonb, deleted_at bigint)
  ON CONFLICT (account_id, conversation_id, id) DO UPDATE SET
    message_type = excluded.message_type, private = excluded.private, content = excluded.content,
    content_attributes = excluded.content_attributes, sender = excluded.sender, created_at = excluded.created_at,
    fact_times = excluded.fact_times, deleted_at = excluded.deleted_at, stored_at = excluded.stored_at`

/** Stores messages as they are known now. Their conversations are locked. */
export async function writeMessages(
  client: PoolClient,
  messages: readonly ProjectedMessage[],
  now: Micros,
): Promise<void> {
  if (messages.length === 0) return
  const rows = messages.map((one) => ({
    account_id: one.accountId,
    conversation_id: one.conversationId,
    id: one.id,
    ...one.facts,
    fact_times: toStoredFactTimes(one.factTimes, MESSAGE_FACTS),
    deleted_at: one.deletedAt,
  }))
  await client.query({ name: 'ingest-write-messages', text: WRITE, values: [JSON.stringify(rows), now] })
}
