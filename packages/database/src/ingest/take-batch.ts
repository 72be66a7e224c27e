import type { InboundEvent, SupportEvent } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import { type FoldedBatch, factKey, foldBatch, type KnownFacts, messageKey } from '@dwell/domain/rules/fold-batch'
import {
  earliestDue,
  foldRows,
  kindOfChange,
  messagesToStore,
  type RowChange,
  type RowChangeKind,
  rowsToLoad,
} from '@dwell/domain/rules/fold-rows'
import type { ProjectedConversation } from '@dwell/domain/rules/projection'
import type { Pool, PoolClient } from 'pg'
import { inTransaction } from '../pool'
import type { RuleBook, RuleBooks } from '../rule-books'
import { confirmVersions, RulesEdited, readVersions } from './accounts'
import { lockContacts, readContacts, writeContacts } from './contacts'
import { lockConversations, writeConversations } from './conversations'
import { type FactId, inLockOrder } from './fact-locks'
import { judging } from './failure-class'
import { type MessageId, readMessages, writeMessages } from './messages'
import { lockPendingExecutions, writePendingExecutions } from './pending-executions'
import { takeMembers } from './take-members'
import { takeEvents } from './taken-events'

/** `ignored`: its account has nothing that listens to it, so nothing is known and nothing written. */
export type EventOutcome = 'taken' | 'duplicate' | 'ignored' | 'unknown_account'

export interface TakenBatch {
  /** One per event, in the order they were given. */
  readonly outcomes: readonly EventOutcome[]
  readonly changes: Readonly<Partial<Record<RowChangeKind, number>>>
  /** New rows of immediate rules. */
  readonly immediateIds: readonly number[]
  /** Runs of automations that began. */
  readonly runsBegun: number
  /** When the first of the rows and steps comes due that were made to wait; null where there is none. */
  readonly earliestDue: Micros | null
}

/**
 * Takes a batch of events in one transaction: all of it is in effect when this resolves, nothing of it when it rejects
 * (`failureClassOf` says what to do then). An event counts once, however often it comes. One statement per table, rows in
 * one order: consumers that meet wait for each other, not in circles.
 */
export async function takeBatch(
  pool: Pool,
  books: RuleBooks,
  events: readonly InboundEvent[],
  now: Micros,
): Promise<TakenBatch> {
  try {
    return await inTransaction(pool, (client) => take(client, books, events, now, { lock: false }))
  } catch (error) {
    if (!(error instanceof RulesEdited)) throw error
    return await inTransaction(pool, (client) => take(client, books, events, now, { lock: true }))
  }
}

async function take(
  client: PoolClient,
  books: RuleBooks,
  events: readonly InboundEvent[],
  now: Micros,
  options: { readonly lock: boolean },
): Promise<TakenBatch> {
  const accountIds = [...new Set(events.map((event) => event.account_id))].sort((a, b) => a - b)
  const versions = await readVersions(client, accountIds, options)
  const found = await books.at(client, versions)

  const candidates = events.filter((event) => isWanted(event, found.get(event.account_id)))
  const taken = candidates.length === 0 ? new Set<InboundEvent>() : await takeEvents(client, candidates, now)
  const outcomes = events.map((event): EventOutcome => {
    if (!found.has(event.account_id)) return 'unknown_account'
    if (!isWanted(event, found.get(event.account_id))) return 'ignored'
    return taken.has(event) ? 'taken' : 'duplicate'
  })
  if (taken.size === 0) return { outcomes, changes: {}, immediateIds: [], runsBegun: 0, earliestDue: null }

  const fresh = events.filter((event) => taken.has(event))
  const support = fresh.filter((event): event is SupportEvent => !('member' in event))
  const folded = await learn(client, support, found, now)
  const changes = await judgeRows(client, folded)
  const immediateIds = await write(client, folded, changes, now)
  const members = fresh.filter((event) => 'member' in event)
  const { count: runsBegun, firstReady } = await takeMembers(client, members, found, now)
  if (!options.lock) await confirmVersions(client, versionsOf(found, fresh))
  return {
    outcomes,
    changes: countByKind(changes),
    immediateIds,
    runsBegun,
    earliestDue: earlier(earliestDue(changes), firstReady),
  }
}

/** Whatever is not said here costs nothing. Members are known before the first automation: it must welcome nobody late. */
function isWanted(event: InboundEvent, book: RuleBook | undefined): boolean {
  if (book === undefined) return false
  return book.rules.length > 0 || ('member' in event && book.automations.length > 0)
}

function earlier(a: Micros | null, b: Micros | null): Micros | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}

/** Locks and reads what the events speak of, and folds them into it. */
async function learn(
  client: PoolClient,
  events: readonly SupportEvent[],
  books: ReadonlyMap<number, RuleBook>,
  now: Micros,
): Promise<FoldedBatch> {
  const conversations = await lockConversations(client, inLockOrder(events.flatMap(conversationIdOf)))
  const named = inLockOrder(events.flatMap(contactIdOf))
  const contacts = await lockContacts(client, named)
  const asked = await readContacts(client, contactsAskedFor(conversations, named))
  const messages = await readMessages(client, events.flatMap(messageIdOf))
  const known: KnownFacts = {
    conversations: new Map(conversations.map((one) => [factKey(one.accountId, one.id), one])),
    contacts: new Map([...contacts, ...asked].map((one) => [factKey(one.accountId, one.id), one])),
    messages: new Map(messages.map((one) => [messageKey(one.accountId, one.conversationId, one.id), one])),
  }
  return judging(() => foldBatch(events, known, books, now))
}

async function judgeRows(client: PoolClient, folded: FoldedBatch): Promise<RowChange[]> {
  const existing = await lockPendingExecutions(client, rowsToLoad(folded.intents))
  return judging(() => foldRows(folded.intents, existing))
}

async function write(
  client: PoolClient,
  folded: FoldedBatch,
  changes: readonly RowChange[],
  now: Micros,
): Promise<number[]> {
  await writeConversations(client, folded.conversations)
  await writeContacts(client, folded.contacts)
  await writeMessages(client, messagesToStore(folded, changes), now)
  return writePendingExecutions(client, changes, now)
}

function conversationIdOf(event: SupportEvent): FactId[] {
  return 'conversation' in event ? [{ accountId: event.account_id, id: event.conversation.id }] : []
}

function contactIdOf(event: SupportEvent): FactId[] {
  return event.contact ? [{ accountId: event.account_id, id: event.contact.id }] : []
}

function messageIdOf(event: SupportEvent): MessageId[] {
  return 'message' in event
    ? [{ accountId: event.account_id, conversationId: event.conversation.id, id: event.message.id }]
    : []
}

/** Contacts of the conversations that no event of the batch speaks of: conditions may ask about them. */
function contactsAskedFor(conversations: readonly ProjectedConversation[], named: readonly FactId[]): FactId[] {
  const there = new Set(named.map((one) => factKey(one.accountId, one.id)))
  return inLockOrder(
    conversations.flatMap(({ accountId, facts }) =>
      facts.contact_id === null || there.has(factKey(accountId, facts.contact_id))
        ? []
        : [{ accountId, id: facts.contact_id }],
    ),
  )
}

function versionsOf(books: ReadonlyMap<number, RuleBook>, events: readonly InboundEvent[]): Map<number, number> {
  const judgedBy = new Map<number, number>()
  for (const { account_id: accountId } of events) {
    const book = books.get(accountId)
    if (book !== undefined) judgedBy.set(accountId, book.version)
  }
  return judgedBy
}

function countByKind(changes: readonly RowChange[]): Partial<Record<RowChangeKind, number>> {
  const counts: Partial<Record<RowChangeKind, number>> = {}
  for (const change of changes) {
    const kind = kindOfChange(change)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
