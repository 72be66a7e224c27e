import type { InboundEvent } from '@dwell/contracts/events'
import { cutBatches } from './cut-batches'
import type { ReceivedEvent } from './read-entry'

const received = (occurredAt: number, rest: { deliveries?: number; text?: string } = {}): ReceivedEvent => ({
  entry: { stream: 's', id: '1-0', fields: [], deliveries: rest.deliveries ?? 1 },
  text: rest.text ?? '',
  event: { occurred_at: occurredAt } as InboundEvent,
})
const times = (batches: readonly (readonly ReceivedEvent[])[]) =>
  batches.map((batch) => batch.map(({ event }) => event.occurred_at))

describe('batches', () => {
  test('are as long as allowed and in order of occurrence, across batches too', () => {
    expect(
      times(
        cutBatches(
          [5, 1, 4, 2, 3].map((time) => received(time)),
          2,
        ),
      ),
    ).toEqual([[1, 2], [3, 4], [5]])
    expect(cutBatches([], 2)).toEqual([])
  })

  test('keep the order of the stream where events occurred at once', () => {
    const [first, second] = [received(1, { text: 'a' }), received(1, { text: 'b' })]
    expect(cutBatches([first, second], 5)).toEqual([[first, second]])
  })

  test('hold less where the events are large', () => {
    const large = 'x'.repeat(3_000_000)
    expect(
      times(
        cutBatches(
          [1, 2, 3].map((time) => received(time, { text: large })),
          500,
        ),
      ),
    ).toEqual([[1], [2], [3]])
  })

  test('leave an event alone that may have ended the process before', () => {
    const events = [received(1), received(2, { deliveries: 4 }), received(3), received(4, { deliveries: 3 })]
    expect(times(cutBatches(events, 500))).toEqual([[1], [2], [3, 4]])
  })
})
