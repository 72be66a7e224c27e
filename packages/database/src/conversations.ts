import type { ProjectedContact, ProjectedConversation } from '@dwell/domain/rules/projection'
import { armedExecutionsOf, type Execution } from './executions'
import type { Queryable } from './pool'
import { type ContactRow, contactColumns, contactFromRow } from './rows/contact-row'
import { type ConversationRow, conversationColumns, conversationFromRow } from './rows/conversation-row'
import { isJoined, type LeftJoined } from './rows/left-joined'

/** What ingest last learnt about a conversation, and what waits on it. */
export interface KnownConversation {
  readonly conversation: ProjectedConversation
  readonly contact: ProjectedContact | null
  readonly armed: readonly Execution[]
}

const FIND = `
  SELECT ${conversationColumns('c')}, ${contactColumns('p')}
  FROM conversations c LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
  WHERE c.account_id = $1 AND c.id = $2`

/** Null when no event ever spoke of it, or only while the account had no rule that could ask. */
export async function findConversation(
  db: Queryable,
  accountId: number,
  id: number,
): Promise<KnownConversation | null> {
  const { rows } = await db.query<ConversationRow & LeftJoined<ContactRow>>(FIND, [accountId, id])
  const [row] = rows
  if (row === undefined) return null
  return {
    conversation: conversationFromRow(row),
    contact: isJoined<ContactRow>(row, 'contact_id') ? contactFromRow(row) : null,
    armed: await armedExecutionsOf(db, accountId, id),
  }
}
