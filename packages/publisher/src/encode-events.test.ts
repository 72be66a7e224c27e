import { messageCreated } from '@dwell/testing/event-builder'
import { encodeEvents, InvalidEventsError } from './encode-events'

function faultsOf(events: readonly unknown[]) {
  try {
    encodeEvents(events)
  } catch (error) {
    if (error instanceof InvalidEventsError) return error.faults
    throw error
  }
  return []
}

describe('encoding events', () => {
  test('what goes to the stream is the event as given, to the microsecond', () => {
    const event = messageCreated({ at: '2026-09-01T10:00:00.123456Z' })
    expect(encodeEvents([event]).map((text) => JSON.parse(text))).toEqual([event])
  })

  test('every fault of every event is reported, with its index and its path', () => {
    const faults = faultsOf([
      messageCreated(),
      { ...messageCreated(), occurred_at: 'yesterday', account_id: 0 },
      messageCreated(),
      { ...messageCreated({ message: { created_at: '10:00' } }), performed_by: { type: 'robot' } },
    ])
    expect(faults.map(({ index, path }) => [index, path])).toEqual([
      [1, 'occurred_at'],
      [1, 'account_id'],
      [3, 'performed_by.type'],
      [3, 'message.created_at'],
    ])
    for (const { message } of faults) expect(message).not.toBe('')
  })

  test('the first fault stands in the message of the error', () => {
    expect(() => encodeEvents([messageCreated(), { ...messageCreated(), account_id: 'x' }, 1])).toThrow(
      /^events\[1]\.account_id: .+ \(and 1 more\)$/,
    )
  })

  test.each([
    ['a Date, which has no microseconds', { ...messageCreated(), occurred_at: new Date('2026-09-01T10:00:00Z') }, []],
    ['undefined where a value must be', { ...messageCreated(), occurred_at: undefined }, ['occurred_at']],
    ['NaN', { ...messageCreated(), account_id: Number.NaN }, ['account_id']],
    ['an unknown name of an event', { ...messageCreated(), event: 'message_sent' }, ['']],
    ['half a surrogate pair', messageCreated({ message: { content: '\ud800' } }), ['']],
    ['more bytes than Dwell takes', messageCreated({ message: { content: 'x'.repeat(300_000) } }), ['']],
    ['a number that JSON does not know', { ...messageCreated(), account_id: 1n }, ['']],
    ['nothing at all', undefined, ['']],
  ])('%s is judged as it would stand on the stream', (_what, event, paths) => {
    expect(faultsOf([event]).map(({ path }) => path)).toEqual(paths)
  })

  test('an event that contains itself is a fault', () => {
    const event: Record<string, unknown> = { ...messageCreated() }
    event.self = event
    expect(faultsOf([event])).toMatchObject([{ index: 0, path: '' }])
  })
})
