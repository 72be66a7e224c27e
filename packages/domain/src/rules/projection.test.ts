import type { SupportEvent } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import fc from 'fast-check'
import {
  factsOfEvent,
  knownUntil,
  newestIncomingBefore,
  projectContact,
  projectConversation,
  projectMessage,
  unknownContact,
  unknownConversation,
  unknownMessage,
} from './projection'

const at = (minutes: number) => (minutes * 60_000_000) as Micros

function updated(minutes: number, conversation: object, rest: object = {}): SupportEvent {
  return {
    id: `e${minutes}`,
    event: 'conversation_updated',
    occurred_at: at(minutes),
    account_id: 1,
    conversation: { id: 101, ...conversation },
    ...rest,
  } as SupportEvent
}

function incoming(minutes: number, id: number): SupportEvent {
  return {
    ...updated(minutes, {}),
    event: 'message_created',
    message: { id, message_type: 'incoming', created_at: at(minutes) },
  } as SupportEvent
}

describe('what is known about a conversation', () => {
  const start = unknownConversation(1, 101)

  test('keys left out stay as they were, null is a value', () => {
    const first = projectConversation(start, updated(1, { status: 'open', team_id: 3, labels: ['a'] }))
    const second = projectConversation(first, updated(2, { team_id: null }))
    expect(second.facts).toMatchObject({ status: 'open', team_id: null, labels: ['a'] })
    expect(second.revision).toBe(2)
  })

  test('an older event overwrites no younger fact, but still fills in what nobody knew', () => {
    const young = projectConversation(start, updated(5, { status: 'resolved' }))
    const both = projectConversation(young, updated(3, { status: 'pending', priority: 'high' }))
    expect(both.facts).toMatchObject({ status: 'resolved', priority: 'high' })
    expect(both.factTimes).toMatchObject({ status: at(5), priority: at(3) })
    expect(knownUntil(both)).toBe(at(5))
  })

  test('a late event is judged on its own snapshot', () => {
    const young = projectConversation(start, updated(5, { status: 'resolved', team_id: 3 }))
    expect(factsOfEvent(young.facts, updated(3, { status: 'pending' }))).toMatchObject({
      status: 'pending',
      team_id: 3,
    })
  })

  test('deletion is remembered and outlives whatever comes late', () => {
    const deleted = projectConversation(start, { ...updated(5, {}), event: 'conversation_deleted' } as SupportEvent)
    expect(projectConversation(deleted, updated(3, { status: 'open' })).deletedAt).toBe(at(5))
  })

  test('incoming messages are ordered by creation, not by arrival or id, and each counts once', () => {
    const conversation = [incoming(5, 2), incoming(3, 9), incoming(5, 2)].reduce(projectConversation, start)
    expect(conversation.recentIncoming).toEqual([
      { createdAt: at(3), id: 9 },
      { createdAt: at(5), id: 2 },
    ])
    expect(newestIncomingBefore(conversation.recentIncoming, { createdAt: at(5), id: 1 })).toEqual({
      createdAt: at(3),
      id: 9,
    })
    expect(newestIncomingBefore(conversation.recentIncoming, { createdAt: at(1), id: 1 })).toBeNull()
  })

  test('only so many incoming messages are kept: the youngest', () => {
    const conversation = Array.from({ length: 30 }, (_, i) => incoming(i, 100 + i)).reduce(projectConversation, start)
    expect(conversation.recentIncoming).toHaveLength(10)
    expect(conversation.recentIncoming.at(-1)).toEqual({ createdAt: at(29), id: 129 })
  })

  test('the order in which events are consumed does not matter', () => {
    const snapshot = fc.record(
      {
        status: fc.constantFrom('open', 'pending'),
        team_id: fc.option(fc.integer({ min: 1, max: 3 })),
        waiting_since: fc.option(fc.integer({ min: 0, max: 9 })),
        labels: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    )
    const history = fc
      .array(snapshot, { minLength: 1, maxLength: 8 })
      .map((snapshots) =>
        snapshots.map(
          (facts, i) =>
            (i % 3 === 0
              ? { ...incoming(i, i + 1), conversation: { id: 101, ...facts } }
              : updated(i, facts)) as SupportEvent,
        ),
      )
    fc.assert(
      fc.property(
        history.chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([inOrder, shuffled]) => {
          const a = inOrder.reduce(projectConversation, start)
          const b = shuffled.reduce(projectConversation, start)
          expect(b).toEqual(a)
        },
      ),
    )
  })
})

test('contacts and messages are guarded fact by fact as well', () => {
  const contact = [
    updated(5, {}, { contact: { id: 9, name: 'Ann' } }),
    updated(3, {}, { contact: { id: 9, name: 'A.', email: 'ann@x.com' } }),
  ].reduce(projectContact, unknownContact(1, 9))
  expect(contact.facts).toMatchObject({ name: 'Ann', email: 'ann@x.com' })

  const changed = {
    ...updated(5, {}),
    event: 'message_updated',
    message: { id: 601, content: 'thanks' },
  } as SupportEvent
  const created = {
    ...updated(3, {}),
    event: 'message_created',
    message: { id: 601, content: 'refund', message_type: 'incoming', created_at: at(3) },
  } as SupportEvent
  const message = [changed, created].reduce(projectMessage, unknownMessage(1, 101, 601))
  expect(message.facts).toMatchObject({ content: 'thanks', message_type: 'incoming' })
  expect(projectMessage(message, { ...changed, event: 'message_deleted' } as SupportEvent).deletedAt).toBe(at(5))
})

describe('what an event says of others', () => {
  const contactEvent = (minutes: number, name: string, contact: object | undefined) =>
    ({ ...updated(minutes, {}), event: name, contact }) as SupportEvent

  test('a contact is deleted when the first such event occurred, and by no other event', () => {
    const start = unknownContact(1, 9)
    const known = projectContact(start, contactEvent(1, 'contact_updated', { id: 9, name: 'Ann' }))
    expect(known).toMatchObject({ deletedAt: null, revision: 1, facts: { name: 'Ann' } })
    const gone = projectContact(known, contactEvent(5, 'contact_deleted', { id: 9 }))
    expect(gone).toMatchObject({ deletedAt: at(5), revision: 2 })
    expect(projectContact(gone, contactEvent(7, 'contact_deleted', { id: 9 })).deletedAt).toBe(at(5))
    expect(projectContact(gone, contactEvent(3, 'contact_deleted', { id: 9 })).deletedAt).toBe(at(3))
    expect(projectContact(gone, contactEvent(3, 'contact_updated', { id: 9 })).deletedAt).toBe(at(5))
  })

  test('an event that does not speak of the contact or of a message teaches nothing about it', () => {
    const contact = unknownContact(1, 9)
    expect(projectContact(contact, contactEvent(1, 'conversation_updated', undefined))).toBe(contact)
    const message = unknownMessage(1, 101, 501)
    expect(projectMessage(message, updated(1, {}))).toBe(message)
  })

  test('a member’s event has nothing about a conversation', () => {
    const facts = projectConversation(unknownConversation(1, 101), updated(1, { status: 'open' })).facts
    const member = { id: 'm', event: 'member_updated', occurred_at: at(1), account_id: 1 } as unknown as SupportEvent
    expect(factsOfEvent(facts, member)).toEqual(facts)
  })

  test('the youngest event is kept under a name of its own, whatever order events come in', () => {
    const first = projectConversation(unknownConversation(1, 101), updated(5, {}))
    expect(first.factTimes).toEqual({ any_event: at(5) })
    expect(knownUntil(projectConversation(first, updated(3, {})))).toBe(at(5))
    expect(knownUntil(projectConversation(first, updated(7, {})))).toBe(at(7))
    expect(knownUntil(unknownConversation(1, 101))).toBeNull()
  })

  test('a message is not older than itself', () => {
    const places = [1, 2, 3].map((id) => ({ createdAt: at(1), id }))
    expect(newestIncomingBefore(places, { createdAt: at(1), id: 2 })).toEqual({ createdAt: at(1), id: 1 })
    expect(newestIncomingBefore(places, { createdAt: at(1), id: 1 })).toBeNull()
  })
})
