import type { Micros } from '@dwell/contracts/instant'
import type { ConversationFacts } from './facts'
import { comparePlaces, type MessagePlace, newestIncomingBefore, type ProjectedConversation } from './projection'

/**
 * An episode is one stretch in which a rule may fire once for a conversation: a status that is held, a customer who
 * waits for an agent, an agent who waits for the customer. Its key changes when the stretch ends. Seed decision 4.
 */
export type EpisodeKind = 'status' | 'awaiting_agent' | 'reply_chase' | 'event'

export function episodeKindOf(key: string): EpisodeKind {
  const kind = key.slice(0, key.indexOf(':'))
  if (kind === 'status' || kind === 'awaiting_agent' || kind === 'reply_chase' || kind === 'event') return kind
  throw new RangeError(`not an episode key: ${key}`)
}

/** The stretch a status is held: from status_changed_at, while that is unknown from created_at. */
export function statusKey(facts: ConversationFacts): string {
  return `status:${facts.status_changed_at ?? facts.created_at ?? 0}`
}

/** The customer waits since waiting_since; while the host has not written it yet, since the message itself. */
export function awaitingAgentSince(facts: ConversationFacts, messageCreatedAt: Micros): Micros {
  return facts.waiting_since ?? messageCreatedAt
}

export function awaitingAgentKey(since: Micros): string {
  return `awaiting_agent:${since}`
}

/** The silence after the newest incoming message older than the agent's; 0 when the customer never wrote before it. */
export function replyChaseKey(recentIncoming: readonly MessagePlace[], message: MessagePlace): string {
  return `reply_chase:${newestIncomingBefore(recentIncoming, message)?.id ?? 0}`
}

/** Immediate rules: every event is an episode of its own, so a duplicate cannot act twice. */
export function eventKey(eventId: string): string {
  return `event:${eventId}`
}

/**
 * Whether an episode is still the present one, by what is known now.
 * `armedAt` is the occurred_at of the event that armed it: a waiting_since that an event *younger* than it reports as
 * null was answered, one that is merely not written yet was not.
 */
export function isEpisodeCurrent(
  key: string,
  anchor: MessagePlace | null,
  armedAt: Micros,
  conversation: ProjectedConversation,
): boolean {
  switch (episodeKindOf(key)) {
    case 'event':
      return true
    case 'status':
      return statusKey(conversation.facts) === key
    case 'awaiting_agent': {
      const { waiting_since: waitingSince } = conversation.facts
      if (waitingSince !== null) return awaitingAgentKey(waitingSince) === key
      const learntAt = conversation.factTimes.waiting_since
      return learntAt === undefined || learntAt <= armedAt
    }
    case 'reply_chase': {
      const newest = conversation.recentIncoming.at(-1)
      if (newest === undefined) return key === 'reply_chase:0'
      if (anchor !== null && comparePlaces(newest, anchor) > 0) return false
      return key === `reply_chase:${newest.id}`
    }
  }
}

/**
 * The key that an episode of the same kind has by what is known now, for people to compare. Whether a row's episode is
 * the present one is decided by `isEpisodeCurrent`, which also knows what was learnt when.
 */
export function presentKey(
  key: string,
  anchor: MessagePlace | null,
  conversation: ProjectedConversation,
): string | null {
  switch (episodeKindOf(key)) {
    case 'event':
      return key
    case 'status':
      return statusKey(conversation.facts)
    case 'awaiting_agent': {
      const since = conversation.facts.waiting_since ?? anchor?.createdAt ?? null
      return since === null ? null : awaitingAgentKey(since)
    }
    case 'reply_chase':
      return `reply_chase:${conversation.recentIncoming.at(-1)?.id ?? 0}`
  }
}
