import { formatOptionalInstant } from '@dwell/contracts/instant'
import type { TemplateScope } from '../liquid'
import type { ContactFacts, ConversationFacts, MessageFacts } from './facts'
import type { ProjectedContact, ProjectedConversation, ProjectedMessage } from './projection'

/** Everything known when a row fires. */
export interface FireFacts {
  readonly account: { readonly id: number; readonly name: string }
  readonly conversation: ProjectedConversation
  readonly contact: ProjectedContact | null
  /** The triggering message. */
  readonly message: ProjectedMessage | null
}

/** The names a template may use. rules.md section 4; docs/rules.md lists them for people. */
export function templateScope({ account, conversation, contact, message }: FireFacts): TemplateScope {
  return {
    account: { id: account.id, name: account.name },
    inbox: { id: conversation.facts.inbox_id },
    conversation: conversationNames(conversation),
    contact: contact === null ? null : contactNames(contact),
    message: message === null ? null : messageNames(message),
    agent: agentNames(conversation.facts, message?.facts ?? null),
  }
}

function conversationNames({ id, facts }: ProjectedConversation) {
  return {
    id,
    display_id: id,
    status: facts.status,
    priority: facts.priority,
    inbox_id: facts.inbox_id,
    assignee_id: facts.assignee_id,
    team_id: facts.team_id,
    labels: facts.labels,
    created_at: formatOptionalInstant(facts.created_at),
    status_changed_at: formatOptionalInstant(facts.status_changed_at),
    waiting_since: formatOptionalInstant(facts.waiting_since),
    custom_attribute: facts.custom_attributes,
    additional_attributes: facts.additional_attributes,
  }
}

function contactNames({ id, facts }: ProjectedContact) {
  return {
    id,
    name: facts.name,
    ...splitName(facts),
    email: facts.email,
    phone_number: facts.phone_number,
    custom_attribute: facts.custom_attributes,
    additional_attributes: facts.additional_attributes,
  }
}

function splitName({ name }: ContactFacts) {
  const words = (name ?? '').split(/\s+/).filter((word) => word !== '')
  return { first_name: words[0] ?? null, last_name: words.length > 1 ? (words.at(-1) ?? null) : null }
}

function messageNames({ id, facts }: ProjectedMessage) {
  return {
    id,
    content: facts.content,
    message_type: facts.message_type,
    created_at: formatOptionalInstant(facts.created_at),
  }
}

/** Who wrote the triggering message when that was an agent, as far as the host named them; else the assignee's id. */
function agentNames(
  { assignee_id }: ConversationFacts,
  message: MessageFacts | null,
): Readonly<Record<string, unknown>> {
  const sender = message?.sender
  return sender?.type === 'user' ? { ...sender } : { id: assignee_id }
}
