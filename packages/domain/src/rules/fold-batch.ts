import type { SupportEvent } from '@dwell/contracts/events'
import { MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import type { MoveIntent, RowIntent } from './arming'
import type { CompiledRule } from './compiled-rule'
import type { ContactFacts } from './facts'
import { type AccountSwitches, matchRules } from './match'
import {
  knownUntil,
  type ProjectedContact,
  type ProjectedConversation,
  type ProjectedMessage,
  projectContact,
  projectConversation,
  projectMessage,
  unknownContact,
  unknownConversation,
  unknownMessage,
} from './projection'

/** What was known before the batch. Keys are those of `factKey` and `messageKey`. */
export interface KnownFacts {
  readonly conversations: ReadonlyMap<string, ProjectedConversation>
  readonly contacts: ReadonlyMap<string, ProjectedContact>
  readonly messages: ReadonlyMap<string, ProjectedMessage>
}

export interface JudgingAccount extends AccountSwitches {
  readonly rules: readonly CompiledRule[]
}

/** What a batch teaches and asks for. */
export interface FoldedBatch {
  /** The conversations and contacts that events spoke of, as they are known now. */
  readonly conversations: readonly ProjectedConversation[]
  readonly contacts: readonly ProjectedContact[]
  /** All messages that events spoke of. */
  readonly messages: ReadonlyMap<string, ProjectedMessage>
  /** Keys of the messages that must be kept whether or not a row is anchored on them. */
  readonly messagesToKeep: ReadonlySet<string>
  /** In the order in which they are to be applied. */
  readonly intents: readonly RowIntent[]
}

/** Identifies a conversation or a contact: ids are unique per account only. */
export function factKey(accountId: number, id: number): string {
  return `${accountId}/${id}`
}

export function messageKey(accountId: number, conversationId: number, id: number): string {
  return `${accountId}/${conversationId}/${id}`
}

/** The order in which events are taken: by when they occurred; what occurred at once stays as it was published. */
export function inOrderOfOccurrence<E extends { readonly occurred_at: Micros }>(events: readonly E[]): E[] {
  return events.toSorted((a, b) => a.occurred_at - b.occurred_at)
}

/**
 * Folds events into what is known, in order of occurrence, and collects what each of them asks of the rows: every event is
 * judged by what is known right after it. `events` are taken for the first time; events of accounts that are not in
 * `accounts` are passed over.
 */
export function foldBatch(
  events: readonly SupportEvent[],
  known: KnownFacts,
  accounts: ReadonlyMap<number, JudgingAccount>,
  now: Micros,
): FoldedBatch {
  const conversations = new Map<string, ProjectedConversation>()
  const contacts = new Map<string, ProjectedContact>()
  const messages = new Map<string, ProjectedMessage>()
  const messagesToKeep = new Set<string>()
  const intents: RowIntent[] = []

  for (const event of inOrderOfOccurrence(events)) {
    const account = accounts.get(event.account_id)
    if (account === undefined) continue
    if (event.contact) {
      const key = factKey(event.account_id, event.contact.id)
      const before = contacts.get(key) ?? known.contacts.get(key) ?? unknownContact(event.account_id, event.contact.id)
      contacts.set(key, projectContact(before, event))
    }
    if (!('conversation' in event)) continue

    const key = factKey(event.account_id, event.conversation.id)
    const before =
      conversations.get(key) ??
      known.conversations.get(key) ??
      unknownConversation(event.account_id, event.conversation.id)
    const conversation = projectConversation(before, event)
    conversations.set(key, conversation)

    if ('message' in event) {
      const keyOfMessage = messageKey(event.account_id, event.conversation.id, event.message.id)
      const stored = known.messages.get(keyOfMessage)
      const message =
        messages.get(keyOfMessage) ??
        stored ??
        unknownMessage(event.account_id, event.conversation.id, event.message.id)
      messages.set(keyOfMessage, projectMessage(message, event))
      // A change may come before the message itself: what it says must not be forgotten by then.
      if (stored !== undefined || event.event !== 'message_created') messagesToKeep.add(keyOfMessage)
    }

    const late = lateIncoming(before, conversation, event)
    if (late !== null) intents.push(late)
    const contact = contactOf(event, conversation, contacts, known)
    intents.push(...matchRules({ event, conversation, contact, now }, account.rules, account))
  }
  return {
    conversations: [...conversations.values()],
    contacts: [...contacts.values()],
    messages,
    messagesToKeep,
    intents,
  }
}

/** Upstream applications stamp an event and its message by different clocks or with different precision. */
const LATENESS_MARGIN = MICROS_PER_SECOND

/**
 * An incoming message that was written before what is already known: rows may be armed on answers to it. Nothing is
 * younger than the message in the usual case, and nobody needs to look for rows.
 */
function lateIncoming(
  before: ProjectedConversation,
  after: ProjectedConversation,
  event: SupportEvent,
): MoveIntent | null {
  if (event.event !== 'message_created' || after.recentIncoming === before.recentIncoming) return null
  const { id, created_at: createdAt } = event.message
  const until = knownUntil(before)
  if (until === null || until + LATENESS_MARGIN < createdAt) return null
  return {
    kind: 'move',
    accountId: after.accountId,
    conversationId: after.id,
    incoming: { createdAt, id },
    recentIncoming: after.recentIncoming,
  }
}

/** The contact the event speaks of, else the one the conversation is with. */
function contactOf(
  event: SupportEvent,
  conversation: ProjectedConversation,
  folded: ReadonlyMap<string, ProjectedContact>,
  known: KnownFacts,
): ContactFacts | null {
  const contactId = event.contact?.id ?? conversation.facts.contact_id
  if (contactId === null) return null
  const key = factKey(conversation.accountId, contactId)
  const contact = folded.get(key) ?? known.contacts.get(key)
  return contact === undefined || contact.deletedAt !== null ? null : contact.facts
}
