import { formatInstant, formatOptionalInstant, type Micros } from '@dwell/contracts/instant'
import type { JsonObject } from './planned-delivery'
import type { ProjectedContact, ProjectedConversation, ProjectedMessage } from './projection'

export interface WebhookFacts {
  readonly accountId: number
  readonly eventName: string
  readonly rule: { readonly id: number; readonly name: string }
  readonly executionId: number
  readonly dueAt: Micros
  readonly executedAt: Micros
  /** As it is when the row fires. */
  readonly conversation: ProjectedConversation
  readonly contact: ProjectedContact | null
  /** The triggering message, never another one. */
  readonly message: ProjectedMessage | null
}

/** Body of `send_webhook_event`. DESIGN section 5; facts have the shape they came in. */
export function webhookBody(facts: WebhookFacts): JsonObject {
  const { accountId, eventName, rule, executionId, dueAt, executedAt, conversation, contact, message } = facts
  return {
    event: `automation_event.${eventName}`,
    account_id: accountId,
    conversation: conversationBody(conversation),
    ...(message === null ? {} : { message: messageBody(message) }),
    ...(contact === null ? {} : { contact: { id: contact.id, ...contact.facts } }),
    automation_rule: { id: rule.id, name: rule.name },
    execution_id: executionId,
    due_at: formatInstant(dueAt),
    executed_at: formatInstant(executedAt),
  }
}

function conversationBody({ id, facts }: ProjectedConversation): JsonObject {
  return {
    id,
    ...facts,
    status_changed_at: formatOptionalInstant(facts.status_changed_at),
    waiting_since: formatOptionalInstant(facts.waiting_since),
    created_at: formatOptionalInstant(facts.created_at),
  }
}

function messageBody({ id, facts }: ProjectedMessage): JsonObject {
  return { id, ...facts, created_at: formatOptionalInstant(facts.created_at) }
}
