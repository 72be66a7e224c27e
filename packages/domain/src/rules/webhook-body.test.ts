import type { Micros } from '@dwell/contracts/instant'
import { UNKNOWN_CONTACT, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'
import { unknownContact, unknownConversation, unknownMessage } from './projection'
import { type WebhookFacts, webhookBody } from './webhook-body'

const at = (iso: string) => (Date.parse(iso) * 1000) as Micros

const facts: WebhookFacts = {
  accountId: 1,
  eventName: 'message_created',
  rule: { id: 7, name: 'R1' },
  executionId: 900,
  dueAt: at('2026-09-01T11:00:00Z'),
  executedAt: at('2026-09-01T11:01:00Z'),
  conversation: {
    ...unknownConversation(1, 101),
    facts: {
      ...UNKNOWN_CONVERSATION,
      status: 'pending',
      labels: ['vip'],
      created_at: at('2026-09-01T08:00:00Z'),
      status_changed_at: (at('2026-09-01T10:00:00Z') + 1) as Micros,
      waiting_since: at('2026-09-01T09:00:00Z'),
    },
  },
  contact: { ...unknownContact(1, 9), facts: { ...UNKNOWN_CONTACT, name: 'Ann' } },
  message: {
    ...unknownMessage(1, 101, 501),
    facts: { ...UNKNOWN_MESSAGE, content: 'hello', created_at: at('2026-09-01T09:00:00Z') },
  },
}

test('the body names event, account, rule and execution, and has the facts in the shape in which the host sent them', () => {
  expect(webhookBody(facts)).toEqual({
    event: 'automation_event.message_created',
    account_id: 1,
    conversation: {
      ...UNKNOWN_CONVERSATION,
      id: 101,
      status: 'pending',
      labels: ['vip'],
      created_at: '2026-09-01T08:00:00.000000Z',
      status_changed_at: '2026-09-01T10:00:00.000001Z',
      waiting_since: '2026-09-01T09:00:00.000000Z',
    },
    message: { ...UNKNOWN_MESSAGE, id: 501, content: 'hello', created_at: '2026-09-01T09:00:00.000000Z' },
    contact: { ...UNKNOWN_CONTACT, id: 9, name: 'Ann' },
    automation_rule: { id: 7, name: 'R1' },
    execution_id: 900,
    due_at: '2026-09-01T11:00:00.000000Z',
    executed_at: '2026-09-01T11:01:00.000000Z',
  })
})

test('message and contact are left out where there is none, and unknown instants are null', () => {
  const body = webhookBody({ ...facts, contact: null, message: null, conversation: unknownConversation(1, 101) })
  expect(body).not.toHaveProperty('message')
  expect(body).not.toHaveProperty('contact')
  expect(body.conversation).toEqual({ ...UNKNOWN_CONVERSATION, id: 101 })
})
