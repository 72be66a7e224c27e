import type { Micros } from '@dwell/contracts/instant'
import { armedExecutionsOf, type Execution } from './executions'
import type { Queryable } from './pool'

type Attributes = Readonly<Record<string, unknown>>

/** What ingest last learnt about a conversation, and what waits on it. */
export interface KnownConversation {
  readonly id: number
  readonly accountId: number
  readonly inboxId: number | null
  readonly status: string | null
  readonly statusChangedAt: Micros | null
  readonly waitingSince: Micros | null
  readonly createdAt: Micros | null
  readonly priority: string | null
  readonly assigneeId: number | null
  readonly assigneeBotId: number | null
  readonly teamId: number | null
  readonly labels: readonly string[]
  readonly customAttributes: Attributes
  readonly additionalAttributes: Attributes
  readonly canReply: boolean | null
  /** [created_at, id], oldest first. */
  readonly recentIncoming: readonly (readonly [Micros, number])[]
  readonly deletedAt: Micros | null
  readonly revision: number
  readonly contact: KnownContact | null
  readonly armed: readonly Execution[]
}

export interface KnownContact {
  readonly id: number
  readonly name: string | null
  readonly email: string | null
  readonly phoneNumber: string | null
  readonly customAttributes: Attributes
  readonly additionalAttributes: Attributes
  readonly deletedAt: Micros | null
}

const CONVERSATION = `
  SELECT id, account_id AS "accountId", inbox_id AS "inboxId", status,
         dwell_micros(status_changed_at) AS "statusChangedAt", dwell_micros(waiting_since) AS "waitingSince",
         dwell_micros(created_at) AS "createdAt", priority, assignee_id AS "assigneeId",
         assignee_bot_id AS "assigneeBotId", team_id AS "teamId", labels, custom_attributes AS "customAttributes",
         additional_attributes AS "additionalAttributes", can_reply AS "canReply", contact_id AS "contactId",
         recent_incoming AS "recentIncoming", dwell_micros(deleted_at) AS "deletedAt", revision
  FROM conversations WHERE account_id = $1 AND id = $2`

const CONTACT = `
  SELECT id, name, email, phone_number AS "phoneNumber", custom_attributes AS "customAttributes",
         additional_attributes AS "additionalAttributes", dwell_micros(deleted_at) AS "deletedAt"
  FROM contacts WHERE account_id = $1 AND id = $2`

/** Null when no event ever spoke of it, or while the account had no rule that could ask. */
export async function findConversation(
  db: Queryable,
  accountId: number,
  id: number,
): Promise<KnownConversation | null> {
  const { rows } = await db.query<Omit<KnownConversation, 'contact' | 'armed'> & { readonly contactId: number | null }>(
    CONVERSATION,
    [accountId, id],
  )
  const [found] = rows
  if (found === undefined) return null
  const { contactId, ...conversation } = found
  const [contact, armed] = await Promise.all([
    contactId === null ? null : findContact(db, accountId, contactId),
    armedExecutionsOf(db, accountId, id),
  ])
  return { ...conversation, contact, armed }
}

async function findContact(db: Queryable, accountId: number, id: number): Promise<KnownContact | null> {
  const { rows } = await db.query<KnownContact>(CONTACT, [accountId, id])
  return rows[0] ?? null
}
