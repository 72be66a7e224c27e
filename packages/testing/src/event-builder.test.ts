import { contactEvent, conversationEvent, messageCreated, parsed } from './event-builder'

describe('built events', () => {
  test.each([
    conversationEvent('conversation_created'),
    conversationEvent('conversation_updated', { conversation: { status: 'pending' } }),
    conversationEvent('conversation_deleted'),
    messageCreated(),
    messageCreated({ message: { message_type: 'outgoing', private: true } }),
    contactEvent('contact_updated', { contact: { name: 'Grace' } }),
  ])('$event is one that the product takes', (event) => {
    expect(parsed(event)).toMatchObject({ id: event.id, event: event.event, account_id: 1 })
  })

  test('have ids of their own', () => {
    expect(messageCreated().id).not.toBe(messageCreated().id)
  })

  test('`at` stands for every instant that nothing else is said about', () => {
    const at = '2026-09-02T10:00:00.000001Z'
    expect(messageCreated({ at, conversation: { created_at: '2026-09-01T00:00:00Z' } })).toMatchObject({
      occurred_at: at,
      message: { created_at: at },
      conversation: { status_changed_at: at, created_at: '2026-09-01T00:00:00Z' },
    })
  })

  test('one that the product would refuse is refused here', () => {
    expect(() => parsed({ ...messageCreated(), account_id: -1 })).toThrow('account_id')
  })
})
