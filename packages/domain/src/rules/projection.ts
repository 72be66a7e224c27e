import type { SupportEvent } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import {
  type ContactFacts,
  type ConversationFacts,
  contactFactsOf,
  conversationFactsOf,
  type MessageFacts,
  messageFactsOf,
  UNKNOWN_CONTACT,
  UNKNOWN_CONVERSATION,
  UNKNOWN_MESSAGE,
} from './facts'

/** Per fact the occurred_at (µs) of the event it was learnt from; of a conversation under `any_event` that of the youngest. */
export type FactTimes = Readonly<Record<string, Micros>>

/** A snapshot may say nothing at all, and still an event came. */
export const ANY_EVENT = 'any_event'

/** A message's place in the order of its conversation: imported history breaks the order of ids, so created_at leads. */
export interface MessagePlace {
  readonly createdAt: Micros
  readonly id: number
}

export interface ProjectedConversation {
  readonly accountId: number
  readonly id: number
  readonly facts: ConversationFacts
  readonly factTimes: FactTimes
  /** Latest incoming messages, ascending, at most `RECENT_INCOMING`. */
  readonly recentIncoming: readonly MessagePlace[]
  readonly deletedAt: Micros | null
  /** Raised by every event; 0 before the first one. */
  readonly revision: number
}

export interface ProjectedContact {
  readonly accountId: number
  readonly id: number
  readonly facts: ContactFacts
  readonly factTimes: FactTimes
  readonly deletedAt: Micros | null
  readonly revision: number
}

export interface ProjectedMessage {
  readonly accountId: number
  readonly conversationId: number
  readonly id: number
  readonly facts: MessageFacts
  readonly factTimes: FactTimes
  readonly deletedAt: Micros | null
}

const RECENT_INCOMING = 10

export function unknownConversation(accountId: number, id: number): ProjectedConversation {
  return { accountId, id, facts: UNKNOWN_CONVERSATION, factTimes: {}, recentIncoming: [], deletedAt: null, revision: 0 }
}

export function unknownContact(accountId: number, id: number): ProjectedContact {
  return { accountId, id, facts: UNKNOWN_CONTACT, factTimes: {}, deletedAt: null, revision: 0 }
}

export function unknownMessage(accountId: number, conversationId: number, id: number): ProjectedMessage {
  return { accountId, conversationId, id, facts: UNKNOWN_MESSAGE, factTimes: {}, deletedAt: null }
}

export function comparePlaces(a: MessagePlace, b: MessagePlace): number {
  return a.createdAt - b.createdAt || a.id - b.id
}

/** The youngest of the incoming messages that are older than the given one; null when the customer had not written yet. */
export function newestIncomingBefore(incoming: readonly MessagePlace[], place: MessagePlace): MessagePlace | null {
  return incoming.findLast((candidate) => comparePlaces(candidate, place) < 0) ?? null
}

/**
 * Learns what an event says about its conversation. A fact already known from a younger event stays: snapshots may be
 * partial, so each fact is guarded by itself, and the result is the same in whatever order events are consumed.
 */
export function projectConversation(known: ProjectedConversation, event: SupportEvent): ProjectedConversation {
  const merged = mergeFacts(known.facts, known.factTimes, conversationFactsOf(event), event.occurred_at)
  const youngest = latest(known.factTimes[ANY_EVENT] ?? null, event.occurred_at)
  return {
    ...known,
    facts: merged.facts,
    factTimes: { ...merged.factTimes, [ANY_EVENT]: youngest },
    recentIncoming: withIncoming(known.recentIncoming, event),
    deletedAt: event.event === 'conversation_deleted' ? earliest(known.deletedAt, event.occurred_at) : known.deletedAt,
    revision: known.revision + 1,
  }
}

export function projectContact(known: ProjectedContact, event: SupportEvent): ProjectedContact {
  if (!event.contact) return known
  const merged = mergeFacts(known.facts, known.factTimes, contactFactsOf(event.contact), event.occurred_at)
  return {
    ...known,
    ...merged,
    deletedAt: event.event === 'contact_deleted' ? earliest(known.deletedAt, event.occurred_at) : known.deletedAt,
    revision: known.revision + 1,
  }
}

export function projectMessage(known: ProjectedMessage, event: SupportEvent): ProjectedMessage {
  if (!('message' in event)) return known
  return {
    ...known,
    ...mergeFacts(known.facts, known.factTimes, messageFactsOf(event.message), event.occurred_at),
    deletedAt: event.event === 'message_deleted' ? earliest(known.deletedAt, event.occurred_at) : known.deletedAt,
  }
}

/** The facts an event is judged on: its own snapshot over what was known, whatever its age. */
export function factsOfEvent(known: ConversationFacts, event: SupportEvent): ConversationFacts {
  return { ...known, ...conversationFactsOf(event) }
}

/** When the youngest event of the conversation occurred; null before the first. */
export function knownUntil(conversation: ProjectedConversation): Micros | null {
  return conversation.factTimes[ANY_EVENT] ?? null
}

export function mergeFacts<F extends object>(
  facts: F,
  factTimes: FactTimes,
  learnt: Partial<F>,
  at: Micros,
): { facts: F; factTimes: FactTimes } {
  const mergedFacts: F = { ...facts }
  const mergedTimes: Record<string, Micros> = { ...factTimes }
  for (const key of Object.keys(learnt) as (keyof F & string)[]) {
    const knownAt = factTimes[key]
    if (knownAt !== undefined && knownAt > at) continue
    mergedFacts[key] = learnt[key] as F[typeof key]
    mergedTimes[key] = at
  }
  return { facts: mergedFacts, factTimes: mergedTimes }
}

function withIncoming(incoming: readonly MessagePlace[], event: SupportEvent): readonly MessagePlace[] {
  if (event.event !== 'message_created' || event.message.message_type !== 'incoming') return incoming
  const { id, created_at: createdAt } = event.message
  if (incoming.some((place) => place.id === id)) return incoming
  return [...incoming, { createdAt, id }].sort(comparePlaces).slice(-RECENT_INCOMING)
}

function earliest(a: Micros | null, b: Micros): Micros {
  return a === null || b < a ? b : a
}

function latest(a: Micros | null, b: Micros): Micros {
  return a === null || b > a ? b : a
}
