import { formatInstant, formatOptionalInstant } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { type ConversationAnswer, conversationAnswer } from '@dwell/contracts/rest/conversations'
import { findConversation, type KnownContact, type KnownConversation } from '@dwell/database/conversations'
import { accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { viewExecution } from './execution-view'

export const conversationEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/conversations/{id}',
    operation: 'getConversation',
    tag: 'Conversations',
    summary: 'What the events said about a conversation so far, and what waits on it.',
    answer: { status: 200, description: 'The conversation.', schema: payloadOf(conversationAnswer) },
    find: ({ deps, account, params }) => findConversation(deps.pool, account.id, idIn(params)),
    handle: async ({ found }) => ({ payload: viewConversation(found) }),
  }),
]

function viewConversation(conversation: KnownConversation): ConversationAnswer {
  return {
    id: conversation.id,
    account_id: conversation.accountId,
    inbox_id: conversation.inboxId,
    status: conversation.status,
    status_changed_at: formatOptionalInstant(conversation.statusChangedAt),
    waiting_since: formatOptionalInstant(conversation.waitingSince),
    created_at: formatOptionalInstant(conversation.createdAt),
    priority: conversation.priority,
    assignee_id: conversation.assigneeId,
    assignee_bot_id: conversation.assigneeBotId,
    team_id: conversation.teamId,
    labels: [...conversation.labels],
    custom_attributes: conversation.customAttributes,
    additional_attributes: conversation.additionalAttributes,
    can_reply: conversation.canReply,
    contact: conversation.contact === null ? null : viewContact(conversation.contact),
    recent_incoming: conversation.recentIncoming.map(([at, id]) => ({ id, created_at: formatInstant(at) })),
    deleted_at: formatOptionalInstant(conversation.deletedAt),
    revision: conversation.revision,
    armed: conversation.armed.map(viewExecution),
  }
}

function viewContact(contact: KnownContact): NonNullable<ConversationAnswer['contact']> {
  return {
    id: contact.id,
    name: contact.name,
    email: contact.email,
    phone_number: contact.phoneNumber,
    custom_attributes: contact.customAttributes,
    additional_attributes: contact.additionalAttributes,
    deleted_at: formatOptionalInstant(contact.deletedAt),
  }
}
