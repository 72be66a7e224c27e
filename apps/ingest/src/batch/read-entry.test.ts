import type { StreamEntry } from '../stream/stream-entry'
import { readEntries } from './read-entry'

const LIMITS = { maxEventBytes: 262_144, maxDeliveries: 10 }
const event = {
  id: 'evt_1',
  event: 'conversation_updated',
  occurred_at: '2026-09-01T10:00:00.000001Z',
  account_id: 1,
  conversation: { id: 101 },
}
const entry = (fields: readonly string[] | null, rest: Partial<StreamEntry> = {}): StreamEntry => ({
  stream: 'dwell:events',
  id: '5-0',
  fields,
  ...rest,
})

describe('an entry', () => {
  test('holds its event in one field, whatever else stands in it', () => {
    const text = JSON.stringify(event)
    const { events, dead } = readEntries([entry(['source', 'desk', 'event', text])], LIMITS)
    expect(events).toMatchObject([{ text, event: { id: 'evt_1' }, entry: { id: '5-0' } }])
    expect(dead).toEqual([])
  })

  test('without that field is a dead letter with all it has', () => {
    const { dead } = readEntries([entry(['payload', '{}', 'other', 'x'])], LIMITS)
    expect(dead).toMatchObject([
      {
        error: 'missing_field',
        received: '["payload","{}","other","x"]',
        detail: expect.stringMatching(/payload, other/),
      },
    ])
  })

  test('that was trimmed while it was pending is neither', () => {
    expect(readEntries([entry(null)], LIMITS)).toMatchObject({ events: [], dead: [] })
  })

  test('handed out too often is a dead letter although it could be read', () => {
    const fields = ['event', JSON.stringify(event)]
    expect(readEntries([entry(fields, { deliveries: 10 })], LIMITS).events).toHaveLength(1)
    expect(readEntries([entry(fields, { deliveries: 11 })], LIMITS).dead).toMatchObject([
      { error: 'processing_failed' },
    ])
  })

  test('that is larger than allowed is refused with the limit', () => {
    const text = JSON.stringify({ ...event, padding: 'x'.repeat(1_024) })
    expect(readEntries([entry(['event', text])], { ...LIMITS, maxEventBytes: 1_024 }).dead).toMatchObject([
      { error: 'oversized_event', detail: expect.stringContaining('1024'), received: text },
    ])
  })
})
