import type { ContactSnapshot, MessageSnapshot, SupportEvent } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'

/** What is known about a conversation, a contact, a message. Null is unknown or empty: conditions treat both as absent. */
export interface ConversationFacts {
  readonly inbox_id: number | null
  readonly status: string | null
  readonly status_changed_at: Micros | null
  readonly waiting_since: Micros | null
  readonly created_at: Micros | null
  readonly priority: string | null
  readonly assignee_id: number | null
  readonly assignee_bot_id: number | null
  readonly team_id: number | null
  readonly labels: readonly string[]
  readonly custom_attributes: Attributes
  readonly additional_attributes: Attributes
  readonly can_reply: boolean | null
  readonly contact_id: number | null
}

export interface ContactFacts {
  readonly name: string | null
  readonly email: string | null
  readonly phone_number: string | null
  readonly additional_attributes: Attributes
  readonly custom_attributes: Attributes
}

export interface MessageFacts {
  readonly message_type: string | null
  readonly private: boolean
  readonly content: string | null
  readonly created_at: Micros | null
  readonly content_attributes: Attributes
  readonly sender: Attributes | null
}

export type Attributes = Readonly<Record<string, unknown>>

export const UNKNOWN_CONVERSATION: ConversationFacts = {
  inbox_id: null,
  status: null,
  status_changed_at: null,
  waiting_since: null,
  created_at: null,
  priority: null,
  assignee_id: null,
  assignee_bot_id: null,
  team_id: null,
  labels: [],
  custom_attributes: {},
  additional_attributes: {},
  can_reply: null,
  contact_id: null,
}

export const UNKNOWN_CONTACT: ContactFacts = {
  name: null,
  email: null,
  phone_number: null,
  additional_attributes: {},
  custom_attributes: {},
}

export const UNKNOWN_MESSAGE: MessageFacts = {
  message_type: null,
  private: false,
  content: null,
  created_at: null,
  content_attributes: {},
  sender: null,
}

/** The facts a snapshot speaks of: keys left out are not among them. */
export function conversationFactsOf(event: SupportEvent): Partial<ConversationFacts> {
  if (!('conversation' in event)) return {}
  const { id: _id, ...facts } = event.conversation
  return known<ConversationFacts>({ ...facts, contact_id: event.contact?.id })
}

export function contactFactsOf(snapshot: ContactSnapshot): Partial<ContactFacts> {
  const { id: _id, ...facts } = snapshot
  return known<ContactFacts>(facts)
}

export function messageFactsOf(snapshot: MessageSnapshot): Partial<MessageFacts> {
  const { id: _id, ...facts } = snapshot
  return known<MessageFacts>(facts)
}

/** Every event passes here several times: a plain loop takes a third of the time of entries and a filter. */
function known<F extends object>(snapshot: { readonly [K in keyof F]?: F[K] | undefined }): Partial<F> {
  const facts: Partial<F> = {}
  for (const key in snapshot) {
    const value = snapshot[key]
    if (value !== undefined) facts[key] = value
  }
  return facts
}

/** `changed_attributes` of an event under the names conditions use; labels come as `labels` or `label_list`. */
export function changedAttributesOf(event: SupportEvent): Readonly<Record<string, readonly [unknown, unknown]>> | null {
  const changed = event.changed_attributes
  if (!changed) return null
  const { label_list, ...rest } = changed
  return label_list === undefined || 'labels' in rest ? rest : { ...rest, labels: label_list }
}
