import { formatInstant, formatOptionalInstant } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { type ConversationAnswer, conversationAnswer } from '@dwell/contracts/rest/conversations'
import { findConversation, type KnownConversation } from '@dwell/database/conversations'
import type { ProjectedContact } from '@dwell/domain/rules/projection'
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

function viewConversation({ conversation, contact, armed }: KnownConversation): ConversationAnswer {
  const { contact_id: _contactId, labels, ...facts } = conversation.facts
  return {
    id: conversation.id,
    account_id: conversation.accountId,
    ...facts,
    status_changed_at: formatOptionalInstant(facts.status_changed_at),
    waiting_since: formatOptionalInstant(facts.waiting_since),
    created_at: formatOptionalInstant(facts.created_at),
    labels: [...labels],
    contact: contact === null ? null : viewContact(contact),
    recent_incoming: conversation.recentIncoming.map(({ id, createdAt }) => ({
      id,
      created_at: formatInstant(createdAt),
    })),
    deleted_at: formatOptionalInstant(conversation.deletedAt),
    revision: conversation.revision,
    armed: armed.map(viewExecution),
  }
}

function viewContact({ id, facts, deletedAt }: ProjectedContact): NonNullable<ConversationAnswer['contact']> {
  return { id, ...facts, deleted_at: formatOptionalInstant(deletedAt) }
}
