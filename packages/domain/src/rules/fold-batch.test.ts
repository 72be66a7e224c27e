import { type SupportEvent, supportEvent } from '@dwell/contracts/events'
import { formatInstant, type Micros } from '@dwell/contracts/instant'
import type { Condition } from '@dwell/contracts/rule'
import fc from 'fast-check'
import { compileRule, type StoredRule } from './compile-rule'
import { factKey, foldBatch, type JudgingAccount, type KnownFacts, messageKey } from './fold-batch'
import type { ProjectedContact, ProjectedConversation, ProjectedMessage } from './projection'

const HOUR = 3_600_000_000
const at = (hours: number) => (hours * HOUR) as Micros
const iso = (hours: number) => formatInstant(at(hours))
const NOW = at(50)

const is = (attribute_key: string, ...values: unknown[]): Condition => ({
  attribute_key,
  filter_operator: 'equal_to',
  values,
  query_operator: 'and',
})

const rule = (overrides: Partial<StoredRule> = {}) =>
  compileRule(
    {
      id: 7,
      accountId: 1,
      name: 'R',
      eventName: 'conversation_updated',
      active: true,
      executionDelay: 60,
      conditions: [is('status', 'pending')],
      actions: [],
      ...overrides,
    },
    [],
  )
const CHASE = rule({ id: 8, eventName: 'message_created', conditions: [is('message_type', 'outgoing')] })

const account = (...rules: JudgingAccount['rules']): ReadonlyMap<number, JudgingAccount> =>
  new Map([[1, { rules, delayedAutomations: true, timeZone: 'UTC' }]])

const NOTHING: KnownFacts = { conversations: new Map(), contacts: new Map(), messages: new Map() }

let sequence = 0
function event(hours: number, body: object = {}): SupportEvent {
  sequence += 1
  return supportEvent.parse({
    id: `e${sequence}`,
    event: 'conversation_updated',
    occurred_at: iso(hours),
    account_id: 1,
    conversation: { id: 101 },
    ...body,
  })
}

function message(hours: number, id: number, type: string, body: object = {}): SupportEvent {
  return event(hours, {
    event: 'message_created',
    message: { id, message_type: type, created_at: iso(hours), content: `text of ${id}` },
    ...body,
  })
}

describe('the events of a batch', () => {
  const pending = event(10, { conversation: { id: 101, status: 'pending', status_changed_at: iso(10) } })
  const resolved = event(11, { conversation: { id: 101, status: 'resolved', status_changed_at: iso(11) } })

  test('are taken in order of occurrence, each judged by what is known right after it', () => {
    for (const events of [
      [pending, resolved],
      [resolved, pending],
    ]) {
      const { conversations, intents } = foldBatch(events, NOTHING, account(rule()), NOW)
      expect(conversations).toMatchObject([{ facts: { status: 'resolved' }, revision: 2 }])
      expect(intents).toMatchObject([{ episodeKey: `status:${at(10)}`, dueAt: at(11) }])
    }
  })

  test('stay in the order of the stream where they occurred at once', () => {
    const first = event(10, { conversation: { id: 101, priority: 'low' } })
    const second = event(10, { conversation: { id: 101, priority: 'high' } })
    expect(foldBatch([first, second], NOTHING, account(rule()), NOW).conversations).toMatchObject([
      { facts: { priority: 'high' } },
    ])
  })

  test('add to what was known before', () => {
    const before = foldBatch([resolved], NOTHING, account(rule()), NOW)
    const known = { ...NOTHING, conversations: new Map([[factKey(1, 101), before.conversations[0] as never]]) }
    const after = foldBatch([pending], known, account(rule()), NOW)
    expect(after.conversations).toMatchObject([{ facts: { status: 'resolved' }, revision: 2 }])
    expect(after.intents).toEqual([])
  })

  test('of other accounts with the same ids are kept apart, and those of accounts without rules passed over', () => {
    const accounts = new Map([...account(rule()), [2, { rules: [], delayedAutomations: true, timeZone: 'UTC' }]])
    const foreign = event(10, { account_id: 2, conversation: { id: 101, status: 'open' } })
    const unknown = event(10, { account_id: 3, conversation: { id: 101, status: 'open' } })
    const { conversations } = foldBatch([pending, foreign, unknown], NOTHING, accounts, NOW)
    expect(conversations.map(({ accountId, facts }) => [accountId, facts.status])).toEqual([
      [1, 'pending'],
      [2, 'open'],
    ])
  })
})

describe('a contact', () => {
  const vip = rule({ conditions: [is('email', 'ann@example.com')] })

  test('is learnt from any event that carries it, and judged with the conversation it belongs to', () => {
    const first = event(10, { contact: { id: 9, email: 'ann@example.com' } })
    const second = event(11, { conversation: { id: 101, priority: 'high' } })
    const { contacts, intents } = foldBatch([first, second], NOTHING, account(vip), NOW)
    expect(contacts).toMatchObject([{ id: 9, facts: { email: 'ann@example.com' } }])
    expect(intents).toHaveLength(2)
  })

  test('known from earlier batches counts too; a deleted one does not', () => {
    const { contacts } = foldBatch(
      [event(1, { contact: { id: 9, email: 'ann@example.com' } })],
      NOTHING,
      account(vip),
      NOW,
    )
    const [ann] = contacts
    if (ann === undefined) throw new Error('no contact')
    const later = event(11, { conversation: { id: 101, priority: 'high' } })
    const conversation = foldBatch([event(1, { contact: { id: 9 } })], NOTHING, account(vip), NOW).conversations[0]
    if (conversation === undefined) throw new Error('no conversation')
    const withContact = (contact: ProjectedContact): KnownFacts => ({
      ...NOTHING,
      conversations: new Map([[factKey(1, 101), conversation]]),
      contacts: new Map([[factKey(1, 9), contact]]),
    })
    expect(foldBatch([later], withContact(ann), account(vip), NOW).intents).toHaveLength(1)
    expect(foldBatch([later], withContact({ ...ann, deletedAt: at(2) }), account(vip), NOW).intents).toHaveLength(0)
  })
})

describe('a message', () => {
  test('is kept for its own sake only where it was changed or is stored already', () => {
    const created = message(10, 501, 'incoming')
    const changed = event(11, { event: 'message_updated', message: { id: 502, content: 'other' } })
    const folded = foldBatch([created, changed], NOTHING, account(CHASE), NOW)
    expect([...folded.messages.keys()]).toEqual([messageKey(1, 101, 501), messageKey(1, 101, 502)])
    expect([...folded.messagesToKeep]).toEqual([messageKey(1, 101, 502)])

    const stored = { ...NOTHING, messages: folded.messages }
    const again = foldBatch([message(10, 502, 'incoming')], stored, account(CHASE), NOW)
    expect([...again.messagesToKeep]).toEqual([messageKey(1, 101, 502)])
    expect(again.messages.get(messageKey(1, 101, 502))?.facts).toMatchObject({
      content: 'other',
      message_type: 'incoming',
    })
  })
})

describe('an incoming message', () => {
  test('asks for rows to be moved only where something younger than it is known', () => {
    const answer = message(10, 502, 'outgoing')
    const { intents } = foldBatch([answer, message(9, 501, 'incoming')], NOTHING, account(CHASE), NOW)
    expect(intents.map(({ kind }) => kind)).toEqual(['arm'])

    const known = { ...NOTHING, conversations: conversationsOf([answer]) }
    expect(foldBatch([message(9, 501, 'incoming')], known, account(CHASE), NOW).intents).toEqual([
      {
        kind: 'move',
        accountId: 1,
        conversationId: 101,
        incoming: { createdAt: at(9), id: 501 },
        recentIncoming: [{ createdAt: at(9), id: 501 }],
      },
    ])
    expect(foldBatch([message(12, 503, 'incoming')], known, account(CHASE), NOW).intents).toEqual([])
  })

  test('that is known already moves nothing again', () => {
    const known = {
      ...NOTHING,
      conversations: conversationsOf([message(9, 501, 'incoming'), message(10, 502, 'outgoing')]),
    }
    expect(foldBatch([message(9, 501, 'incoming')], known, account(CHASE), NOW).intents).toEqual([])
  })

  test('counts as late by the time it was written, not by the time of its event', () => {
    const told = message(11, 501, 'incoming', {
      message: { id: 501, message_type: 'incoming', created_at: iso(9) },
    })
    const { intents } = foldBatch([message(10, 502, 'outgoing'), told], NOTHING, account(CHASE), NOW)
    expect(intents.map(({ kind }) => kind)).toEqual(['arm', 'move'])
  })
})

function conversationsOf(events: SupportEvent[]): ReadonlyMap<string, ProjectedConversation> {
  const { conversations } = foldBatch(events, NOTHING, account(CHASE), NOW)
  return new Map(conversations.map((one) => [factKey(one.accountId, one.id), one]))
}

describe('whatever way a history is delivered', () => {
  const snapshot = fc.record(
    {
      status: fc.constantFrom('open', 'pending', 'resolved'),
      status_changed_at: fc.constantFrom(null, iso(1), iso(2)),
      waiting_since: fc.constantFrom(null, iso(3), iso(4)),
      team_id: fc.option(fc.integer({ min: 1, max: 3 })),
      labels: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      custom_attributes: fc.dictionary(fc.constantFrom('x', 'y'), fc.integer({ min: 0, max: 3 })),
    },
    { requiredKeys: [] },
  )
  const contact = fc.option(
    fc.record(
      { name: fc.constantFrom(null, 'Ann'), email: fc.constantFrom('a@x.com', 'b@x.com') },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  )
  const kind = fc.constantFrom(
    'conversation_created',
    'conversation_updated',
    'conversation_deleted',
    'message_created',
    'message_updated',
    'message_deleted',
    'contact_updated',
  )
  const history = fc.array(fc.tuple(kind, snapshot, contact, fc.integer({ min: 101, max: 102 }), fc.boolean()), {
    minLength: 1,
    maxLength: 14,
  })
  /** The history cut into batches: shuffled, with repetitions. */
  const delivery = history
    .map(toEvents)
    .chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray(events, { minLength: events.length }),
        fc.array(fc.constantFrom(...events), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 20, maxLength: 20 }),
      ),
    )

  function toEvents(entries: readonly [string, object, object | undefined, number, boolean][]): SupportEvent[] {
    return entries.map(([name, facts, person, conversation, incoming], i) =>
      event(i, {
        event: name,
        conversation: { id: conversation, ...facts },
        ...(person === undefined && name !== 'contact_updated' ? {} : { contact: { id: 9, ...person } }),
        ...(name.startsWith('message') ? { message: messageOf(name, i, incoming) } : {}),
      }),
    )
  }

  function messageOf(name: string, i: number, incoming: boolean): object {
    // Changes speak of one of a few messages, so that they meet its creation before or after.
    if (name !== 'message_created') return { id: 500 + (i % 6), content: `changed ${i}` }
    return { id: 500 + i, message_type: incoming ? 'incoming' : 'outgoing', created_at: iso(i), content: `text ${i}` }
  }

  /** As the database does it: an event counts once; what a batch taught is what the next one knows. */
  function consume(batches: readonly (readonly SupportEvent[])[]) {
    const taken = new Set<string>()
    const conversations = new Map<string, ProjectedConversation>()
    const contacts = new Map<string, ProjectedContact>()
    const messages = new Map<string, ProjectedMessage>()
    for (const batch of batches) {
      const fresh = batch.filter(({ id }) => !taken.has(id) && taken.add(id))
      const folded = foldBatch(fresh, { conversations, contacts, messages }, account(rule(), CHASE), NOW)
      for (const one of folded.conversations) conversations.set(factKey(one.accountId, one.id), one)
      for (const one of folded.contacts) contacts.set(factKey(one.accountId, one.id), one)
      for (const [key, one] of folded.messages) messages.set(key, one)
    }
    return { conversations, contacts, messages }
  }

  function cut(events: readonly SupportEvent[], sizes: readonly number[]): SupportEvent[][] {
    const rest = [...events]
    return sizes.map((size) => rest.splice(0, size))
  }

  test('the facts are those of the history told once and in order', () => {
    fc.assert(
      fc.property(delivery, ([inOrder, shuffled, repeated, sizes]) => {
        expect(consume(cut([...shuffled, ...repeated], sizes))).toEqual(consume(inOrder.map((one) => [one])))
      }),
      { numRuns: 300 },
    )
  })
})

describe('an incoming message that may be late', () => {
  const first = event(10, { conversation: { id: 101, status: 'open' } })
  const moves = (createdAt: number, before: SupportEvent[] = [first]) => {
    const customer = message(11, 501, 'incoming', {
      message: { id: 501, message_type: 'incoming', created_at: formatInstant(createdAt as Micros) },
    })
    return foldBatch([...before, customer], NOTHING, account(), NOW).intents.filter(({ kind }) => kind === 'move')
  }

  test('is looked after within a second of what is known: clocks and their precision differ', () => {
    expect(moves(at(10) + 1_000_001)).toEqual([])
    expect(moves(at(10) + 1_000_000)).toEqual([
      {
        kind: 'move',
        accountId: 1,
        conversationId: 101,
        incoming: { createdAt: at(10) + 1_000_000, id: 501 },
        recentIncoming: [{ createdAt: at(10) + 1_000_000, id: 501 }],
      },
    ])
    expect(moves(at(9))).toHaveLength(1)
  })

  test('is not, where nothing was known before', () => {
    expect(moves(at(9), [])).toEqual([])
  })
})

test('a conversation whose contact was never told of is judged without one', () => {
  const withCity = rule({ conditions: [{ ...is('city'), filter_operator: 'is_not_present', values: [] }] })
  const known = {
    ...NOTHING,
    conversations: new Map(
      foldBatch([event(9, { contact: { id: 9 } })], NOTHING, account(), NOW).conversations.map((conversation) => [
        factKey(1, 101),
        conversation,
      ]),
    ),
  }
  const { intents } = foldBatch(
    [event(10, { conversation: { id: 101, created_at: iso(9) } })],
    known,
    account(withCity),
    NOW,
  )
  expect(intents).toHaveLength(1)
})
