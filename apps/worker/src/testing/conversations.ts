import type { InboundEventInput } from '@dwell/contracts/events'
import type { Condition, RuleDefinition } from '@dwell/contracts/rule'
import { conversationEvent, messageCreated } from '@dwell/testing/event-builder'

/** `10:00` or `10:00:30` on the day of the tests. */
export const at = (time: string): string => `2026-09-01T${time.length === 5 ? `${time}:00` : time}.000000Z`

export const is = (attribute_key: string, ...values: unknown[]): Condition => ({
  attribute_key,
  filter_operator: 'equal_to',
  values,
  query_operator: null,
})

const both = (first: Condition, second: Condition): Condition[] => [{ ...first, query_operator: 'and' }, second]

/** Rule R1 of the cases: the customer has not answered an agent's message for an hour. */
export const CHASE: Partial<RuleDefinition> = {
  name: 'chase',
  event_name: 'message_created',
  conditions: both(is('message_type', 'outgoing'), is('private_note', false)),
  actions: [{ action_name: 'send_message', action_params: ['Any news on your side?'] }],
  execution_delay: 60,
}

/** No agent has answered a customer's message for half an hour. */
export const UNANSWERED: Partial<RuleDefinition> = {
  name: 'unanswered',
  event_name: 'message_created',
  conditions: [is('message_type', 'incoming')],
  actions: [{ action_name: 'send_message', action_params: ['We are sorry.'] }],
  execution_delay: 30,
}

/** A conversation turned to pending; its row of the rule `ruleDefinition()` is due an hour later. */
export const pending = (conversation: number, time = '10:00', more: object = {}): InboundEventInput =>
  conversationEvent('conversation_updated', {
    at: at(time),
    conversation: { id: conversation, status: 'pending', created_at: at('08:00'), ...more },
  })

export const resolved = (conversation: number, time: string): InboundEventInput =>
  conversationEvent('conversation_updated', {
    at: at(time),
    conversation: { id: conversation, status: 'resolved', created_at: at('08:00') },
  })

export const outgoing = (id: number, time: string, conversation = 101): InboundEventInput =>
  messageCreated({
    at: at(time),
    conversation: { id: conversation, created_at: at('08:00'), status_changed_at: at('08:00') },
    message: { id, message_type: 'outgoing', content: `answer ${id}`, sender: { type: 'user', id: 7 } },
  })

export const incoming = (id: number, time: string, waitingSince = time, conversation = 101): InboundEventInput =>
  messageCreated({
    at: at(time),
    conversation: {
      id: conversation,
      created_at: at('08:00'),
      status_changed_at: at('08:00'),
      waiting_since: at(waitingSince),
    },
    message: { id },
  })
