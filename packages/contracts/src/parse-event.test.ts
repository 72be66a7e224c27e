import { DEAD_LETTER_ERRORS } from './dead-letter'
import { checkEvent, parseEvent } from './parse-event'

const valid = {
  id: 'evt_1',
  event: 'message_created',
  occurred_at: '2026-09-01T10:00:00.123456Z',
  account_id: 1,
  performed_by: { type: 'user', id: 7 },
  conversation: { id: 101, status: 'pending', waiting_since: null, labels: null },
  contact: { id: 9, name: 'Ann' },
  message: { id: 501, message_type: 'incoming', created_at: '2026-09-01T10:00:00Z' },
}

function refused(change: object): { error: string; detail: string } {
  const parsed = checkEvent({ ...valid, ...change })
  if (parsed.ok) throw new Error('expected a refusal')
  return parsed
}

describe('an event', () => {
  test('is read with its instants to the microsecond and empty values for null collections', () => {
    const parsed = parseEvent(JSON.stringify(valid))
    expect(parsed).toMatchObject({
      ok: true,
      event: {
        occurred_at: 1788256800123456,
        conversation: { waiting_since: null, labels: [] },
        message: { created_at: 1788256800000000 },
      },
    })
    expect(parsed.ok && 'conversation' in parsed.event && Object.keys(parsed.event.conversation)).toEqual([
      'id',
      'status',
      'waiting_since',
      'labels',
    ])
  })

  test('keeps numbers and texts of ids apart from nothing: both are the same id', () => {
    expect(checkEvent({ ...valid, account_id: '1', conversation: { id: '101' } })).toMatchObject({
      event: { account_id: 1, conversation: { id: 101 } },
    })
  })

  test('may come as a CloudEvents envelope, whose attributes win over what its data repeats', () => {
    const { id: _id, event: _event, occurred_at: _at, ...data } = valid
    const envelope = {
      specversion: '1.0',
      id: 'ce_1',
      source: '/desk',
      type: 'message_created',
      time: '2026-09-01T11:00:00Z',
      data: { ...data, id: 'evt_1' },
    }
    expect(checkEvent(envelope)).toMatchObject({
      event: { id: 'ce_1', event: 'message_created', occurred_at: 1788260400000000 },
    })
    expect(checkEvent({ ...envelope, data: 'text' })).toMatchObject({ ok: false, error: 'invalid_event' })
    expect(checkEvent({ specversion: '1.0', data: valid })).toMatchObject({ event: { id: 'evt_1' } })
  })
})

describe('what is refused says why', () => {
  test.each([
    ['{"id": "broken", "event": ', 'invalid_json'],
    ['', 'invalid_json'],
    ['null', 'invalid_event'],
    ['[]', 'invalid_event'],
    ['"text"', 'invalid_event'],
    ['5', 'invalid_event'],
    ['{}', 'invalid_event'],
  ])('%s', (text, error) => {
    expect(parseEvent(text)).toMatchObject({ ok: false, error })
  })

  test.each<[string, object, string, string]>([
    ['an unknown name', { event: 'conversation_exploded' }, 'unknown_event', 'conversation_exploded'],
    ['no name', { event: undefined }, 'invalid_event', 'event'],
    ['a name that is a number', { event: 5 }, 'invalid_event', 'event'],
    ['no id', { id: undefined }, 'invalid_event', 'id'],
    ['an empty id', { id: '' }, 'invalid_event', 'id'],
    ['a giant id', { id: 'x'.repeat(256) }, 'invalid_event', 'id'],
    ['no time', { occurred_at: undefined }, 'invalid_event', 'occurred_at'],
    ['a time without offset', { occurred_at: '2026-09-01T10:00:00' }, 'invalid_event', 'occurred_at'],
    ['a day that does not exist', { occurred_at: '2026-02-30T10:00:00Z' }, 'invalid_event', 'occurred_at'],
    ['no account', { account_id: null }, 'invalid_event', 'account_id'],
    ['a negative account', { account_id: -1 }, 'invalid_event', 'account_id'],
    ['an account beyond exact numbers', { account_id: 2 ** 53 }, 'invalid_event', 'account_id'],
    ['no conversation', { conversation: undefined }, 'invalid_event', 'conversation'],
    ['a conversation without id', { conversation: {} }, 'invalid_event', 'conversation.id'],
    ['an unknown status', { conversation: { id: 1, status: 'weird' } }, 'invalid_event', 'conversation.status'],
    ['a priority as number', { conversation: { id: 1, priority: 2 } }, 'invalid_event', 'conversation.priority'],
    ['labels as text', { conversation: { id: 1, labels: 'a' } }, 'invalid_event', 'conversation.labels'],
    ['no message', { message: undefined }, 'invalid_event', 'message'],
    [
      'a message without type',
      { message: { id: 1, created_at: valid.occurred_at } },
      'invalid_event',
      'message.message_type',
    ],
    ['a message without time', { message: { id: 1, message_type: 'incoming' } }, 'invalid_event', 'message.created_at'],
    ['an unknown actor', { performed_by: { type: 'ghost' } }, 'invalid_event', 'performed_by.type'],
    [
      'changes that are no pairs',
      { changed_attributes: { status: ['open'] } },
      'invalid_event',
      'changed_attributes.status',
    ],
    ['a NUL in a text', { message: { ...valid.message, content: 'a\0b' } }, 'unstorable_text', 'message.content'],
    [
      'half a surrogate pair',
      { conversation: { id: 1, custom_attributes: { a: ['\ud800'] } } },
      'unstorable_text',
      'conversation.custom_attributes.a.0',
    ],
    [
      'a key with a NUL',
      { conversation: { id: 1, custom_attributes: { 'a\0': 1 } } },
      'unstorable_text',
      'conversation.custom_attributes',
    ],
    [
      'values nested without end',
      { conversation: { id: 1, custom_attributes: nested(100) } },
      'unstorable_text',
      'nested',
    ],
  ])('%s', (_, change, error, where) => {
    const refusal = refused(change)
    expect(refusal).toMatchObject({ error, detail: expect.stringContaining(where) })
    expect(DEAD_LETTER_ERRORS).toContain(refusal.error)
  })

  test('more bytes than allowed, counted as bytes', () => {
    expect(parseEvent(JSON.stringify(valid), 100)).toMatchObject({ ok: false, error: 'oversized_event' })
    expect(parseEvent(`"${'é'.repeat(60)}"`, 100)).toMatchObject({ ok: false, error: 'oversized_event' })
  })

  test('paired surrogates are ordinary text', () => {
    expect(checkEvent({ ...valid, contact: { id: 9, name: '😀' } })).toMatchObject({ ok: true })
  })
})

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) }
}
