import type { DeadLetterError } from '@dwell/contracts/dead-letter'
import { EVENTS_STREAM } from '@dwell/contracts/events'
import type { Pool } from '@dwell/database/pool'
import { createPool } from '@dwell/database/pool'
import { conversationEvent, messageCreated } from '@dwell/testing/event-builder'
import { seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import { Upstream } from '@dwell/testing/upstream'
import { type RunningIngest, startIngest } from './testing/running-ingest'

const stores = useStores()
let pool: Pool
let upstream: Upstream
let ingest: RunningIngest
let account: number

beforeAll(async () => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 4, applicationName: 'test' })
  upstream = new Upstream(stores.redisUrl)
  account = await seedAccount(pool)
  await seedRule(pool, account)
  ingest = await startIngest(stores)
  stores.closeBefore(() => pool.end())
  stores.closeBefore(() => upstream.close())
  stores.closeBefore(() => ingest.stop())
})

const good = (conversation: number) =>
  conversationEvent('conversation_updated', {
    account_id: account,
    conversation: { id: conversation, status: 'pending' },
  })

/** A valid event with something wrong in it. */
const wrong = (change: object) => JSON.stringify({ ...good(1), ...change })
const wrongConversation = (change: object) => JSON.stringify({ ...good(1), conversation: { id: 1, ...change } })
const wrongMessage = (change: object) => {
  const event = messageCreated({ account_id: account })
  return JSON.stringify({ ...event, message: { ...event.message, ...change } })
}
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** What it is, its text, the reason, and what the detail must name. */
const CASES: readonly (readonly [string, () => string, DeadLetterError, string])[] = [
  ['empty text', () => '', 'invalid_json', 'JSON'],
  ['half an object', () => wrong({}).slice(0, 40), 'invalid_json', 'JSON'],
  ['an object in single quotes', () => "{'id': 'evt'}", 'invalid_json', 'JSON'],
  ['null', () => 'null', 'invalid_event', 'object'],
  ['a list of events', () => `[${wrong({})}]`, 'invalid_event', 'object'],
  ['a text', () => '"conversation_updated"', 'invalid_event', 'object'],
  ['an empty object', () => '{}', 'invalid_event', 'event'],
  ['an unknown name', () => wrong({ event: 'conversation_exploded' }), 'unknown_event', 'conversation_exploded'],
  ['a name in other letters', () => wrong({ event: 'Conversation_Updated' }), 'unknown_event', 'Conversation_Updated'],
  ['no id', () => wrong({ id: undefined }), 'invalid_event', 'id'],
  ['an empty id', () => wrong({ id: '' }), 'invalid_event', 'id'],
  ['an endless id', () => wrong({ id: 'x'.repeat(300) }), 'invalid_event', 'id'],
  ['no account', () => wrong({ account_id: undefined }), 'invalid_event', 'account_id'],
  ['a negative account', () => wrong({ account_id: -1 }), 'invalid_event', 'account_id'],
  ['an account with a fraction', () => wrong({ account_id: 1.5 }), 'invalid_event', 'account_id'],
  ['an account beyond all numbers', () => wrong({ account_id: 2 ** 60 }), 'invalid_event', 'account_id'],
  ['an account that does not exist', () => wrong({ account_id: 987_654_321 }), 'unknown_account', '987654321'],
  ['no time', () => wrong({ occurred_at: undefined }), 'invalid_event', 'occurred_at'],
  ['a time without an offset', () => wrong({ occurred_at: '2026-09-01T10:00:00' }), 'invalid_event', 'occurred_at'],
  ['a day that does not exist', () => wrong({ occurred_at: '2026-02-30T10:00:00Z' }), 'invalid_event', 'occurred_at'],
  ['a time in seconds', () => wrong({ occurred_at: 1788256800 }), 'invalid_event', 'occurred_at'],
  [
    'an actor of an unknown kind',
    () => wrong({ performed_by: { type: 'ghost' } }),
    'invalid_event',
    'performed_by.type',
  ],
  [
    'changes that are no pairs',
    () => wrong({ changed_attributes: { status: ['open'] } }),
    'invalid_event',
    'changed_attributes',
  ],
  ['no conversation', () => wrong({ conversation: undefined }), 'invalid_event', 'conversation'],
  [
    'a conversation without an id',
    () => wrong({ conversation: { status: 'open' } }),
    'invalid_event',
    'conversation.id',
  ],
  ['an unknown status', () => wrongConversation({ status: 'asleep' }), 'invalid_event', 'conversation.status'],
  ['a priority by number', () => wrongConversation({ priority: 3 }), 'invalid_event', 'conversation.priority'],
  ['labels in one text', () => wrongConversation({ labels: 'a,b' }), 'invalid_event', 'conversation.labels'],
  ['attributes in a list', () => wrongConversation({ custom_attributes: [1] }), 'invalid_event', 'custom_attributes'],
  ['a wait since nonsense', () => wrongConversation({ waiting_since: 'yesterday' }), 'invalid_event', 'waiting_since'],
  ['a message event without a message', () => wrong({ event: 'message_created' }), 'invalid_event', 'message'],
  ['a message without a time', () => wrongMessage({ created_at: undefined }), 'invalid_event', 'message.created_at'],
  [
    'a message of an unknown type',
    () => wrongMessage({ message_type: 'fax' }),
    'invalid_event',
    'message.message_type',
  ],
  ['a contact event without a contact', () => wrong({ event: 'contact_updated' }), 'invalid_event', 'contact'],
  ['a NUL in a text', () => wrongConversation({ labels: ['a\u0000b'] }), 'unstorable_text', 'conversation.labels'],
  ['half a character', () => wrongMessage({ content: 'x\ud800' }), 'unstorable_text', 'message.content'],
  [
    'a NUL in a key',
    () => wrongConversation({ custom_attributes: { 'a\u0000': 1 } }),
    'unstorable_text',
    'custom_attributes',
  ],
  ['endless nesting', () => wrong({}).replace(/}$/, `,"deep":${nested(200)}}`), 'unstorable_text', 'deep'],
  ['a giant', () => wrong({ padding: 'x'.repeat(262_144) }), 'oversized_event', '262144'],
  [
    'a CloudEvent without data',
    () => JSON.stringify({ specversion: '1.0', id: 'c', type: 'conversation_updated' }),
    'invalid_event',
    'data',
  ],
]

test('each gets its reason, is kept as received, and none keeps the others from being taken', async () => {
  const texts = CASES.map(([, text]) => text())
  // A good one after each bad one.
  await upstream.publish(texts.flatMap((text, i) => [text, JSON.stringify(good(1_000 + i))]))
  await upstream.redis.xadd(EVENTS_STREAM, '*', 'payload', 'in the wrong field')
  await upstream.acknowledged()

  const letters = await upstream.deadLetters()
  const found = new Map(letters.map((letter) => [letter.event, letter]))
  for (const [i, [name, , error, named]] of CASES.entries()) {
    const letter = found.get(texts[i] ?? '')
    expect([name, letter?.error]).toEqual([name, error])
    expect(letter?.detail).toContain(named)
    expect(letter?.failed_at).toMatch(/Z$/)
  }
  expect(found.get('["payload","in the wrong field"]')).toMatchObject({ error: 'missing_field' })
  expect(letters).toHaveLength(CASES.length + 1)
  expect(await seenExecutions(pool, account)).toHaveLength(CASES.length)
})
