import type { SupportEvent } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import type { ArmIntent } from './arming'
import type { CompiledRule } from './compiled-rule'
import { awaitingAgentKey, awaitingAgentSince, eventKey, isEpisodeCurrent, replyChaseKey, statusKey } from './episode'
import {
  type ContactFacts,
  type ConversationFacts,
  changedAttributesOf,
  contactFactsOf,
  type MessageFacts,
  messageFactsOf,
  UNKNOWN_CONTACT,
  UNKNOWN_MESSAGE,
} from './facts'
import { comparePlaces, factsOfEvent, type MessagePlace, type ProjectedConversation } from './projection'

/** An event together with what is known around it, everything learnt from the event itself included. */
export interface JudgedEvent {
  readonly event: SupportEvent
  /** The projection after the event. */
  readonly conversation: ProjectedConversation
  readonly contact: ContactFacts | null
  readonly now: Micros
}

export interface AccountSwitches {
  /** The account's feature `delayed_automations`. */
  readonly delayedAutomations: boolean
  /** IANA zone in which dates of conditions are judged. */
  readonly timeZone: string
}

/**
 * Which rules an event arms, and until when each row waits. `rules` are the account's rules; the ones that do not listen
 * to the event are passed over. Nothing is armed by what automation rules, mail robots or activity messages did.
 */
export function matchRules(judged: JudgedEvent, rules: readonly CompiledRule[], account: AccountSwitches): ArmIntent[] {
  const { event, conversation } = judged
  if (!('conversation' in event) || conversation.deletedAt !== null) return []
  const facts = factsOfEvent(conversation.facts, event)
  if (armsNothing(event, facts)) return []

  const message = 'message' in event ? { ...UNKNOWN_MESSAGE, ...messageFactsOf(event.message) } : null
  const contact = event.contact
    ? { ...(judged.contact ?? UNKNOWN_CONTACT), ...contactFactsOf(event.contact) }
    : judged.contact
  const situation = {
    conversation: facts,
    contact,
    message,
    changed: changedAttributesOf(event),
    now: judged.now,
    timeZone: account.timeZone,
  }
  const intents: ArmIntent[] = []
  for (const rule of rules) {
    if (!listens(rule, event) || (rule.delay !== null && !account.delayedAutomations)) continue
    const episode =
      rule.delay === null ? immediateEpisode(event, message) : delayedEpisode(rule, rule.delay, judged, facts)
    if (episode === null || !rule.conditions.matches(situation)) continue
    intents.push({
      kind: 'arm',
      accountId: event.account_id,
      ruleId: rule.id,
      conversationId: conversation.id,
      occurredAt: event.occurred_at,
      traceparent: event.traceparent ?? null,
      ...episode,
    })
  }
  return intents
}

/** Delayed rules on updates listen to creation too: a conversation born pending never emits an update. */
function listens(rule: CompiledRule, event: SupportEvent): boolean {
  if (!rule.active) return false
  if (rule.eventName === event.event) return true
  return rule.delay !== null && rule.eventName === 'conversation_updated' && event.event === 'conversation_created'
}

/** Loop guard: rules.md section 2, *Arms nothing*. */
function armsNothing(event: SupportEvent, facts: ConversationFacts): boolean {
  if (event.performed_by?.type === 'automation_rule') return true
  if (isTruthy(facts.additional_attributes.auto_reply)) return true
  if (!('message' in event)) return false
  const { message_type: type, content_attributes: attributes } = event.message
  if (type === 'activity') return true
  const email = attributes?.email
  return isPresent(attributes?.automation_rule_id) || (isObject(email) && isTruthy(email.auto_reply))
}

type EpisodeOfEvent = Pick<ArmIntent, 'episodeKey' | 'dueAt' | 'anchor'>

function immediateEpisode(event: SupportEvent, message: MessageFacts | null): EpisodeOfEvent {
  return { episodeKey: eventKey(event.id), dueAt: event.occurred_at, anchor: message === null ? null : placeOf(event) }
}

function delayedEpisode(
  rule: CompiledRule,
  delay: Micros,
  judged: JudgedEvent,
  facts: ConversationFacts,
): EpisodeOfEvent | null {
  const { event, conversation } = judged
  const anchor = placeOf(event)
  if (anchor === null) {
    const episodeKey = statusKey(facts)
    if (statusKey(conversation.facts) !== episodeKey) return null
    const start = rule.conditions.onlyStatusAndInbox
      ? (facts.status_changed_at ?? event.occurred_at)
      : event.occurred_at
    return { episodeKey, dueAt: plus(start, delay), anchor: null }
  }
  if (event.event === 'message_created' && event.message.message_type === 'incoming') {
    const since = awaitingAgentSince(facts, anchor.createdAt)
    const episodeKey = awaitingAgentKey(since)
    if (!isEpisodeCurrent(episodeKey, anchor, event.occurred_at, conversation)) return null
    return { episodeKey, dueAt: plus(since, delay), anchor }
  }
  const newest = conversation.recentIncoming.at(-1)
  if (newest !== undefined && comparePlaces(newest, anchor) > 0) return null
  return {
    episodeKey: replyChaseKey(conversation.recentIncoming, anchor),
    dueAt: plus(anchor.createdAt, delay),
    anchor,
  }
}

function placeOf(event: SupportEvent): MessagePlace | null {
  return event.event === 'message_created' ? { createdAt: event.message.created_at, id: event.message.id } : null
}

/** What would come due beyond the last instant there is never does; it must stay one that can be read. */
function plus(instant: Micros, duration: Micros): Micros {
  return Math.min(instant + duration, Number.MAX_SAFE_INTEGER) as Micros
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function isTruthy(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
