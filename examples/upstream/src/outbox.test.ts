import type { InboundEventInput } from '@dwell/contracts/events'
import { messageCreated } from '@dwell/testing/event-builder'
import { Outbox } from './outbox'

function scripted(...failures: unknown[]) {
  const published: InboundEventInput[][] = []
  const publish = async (events: InboundEventInput[]) => {
    const failure = failures.shift()
    if (failure) throw failure
    published.push(events)
    return []
  }
  const reported: unknown[] = []
  return { published, reported, outbox: new Outbox({ publish } as never, (error) => reported.push(error)) }
}

describe('the outbox', () => {
  test('sends in order what was added, and nothing twice', async () => {
    const { outbox, published } = scripted()
    const events = [messageCreated(), messageCreated(), messageCreated()]
    for (const event of events.slice(0, 2)) outbox.add(event)
    const first = outbox.flush()
    for (const event of events.slice(2)) outbox.add(event)
    await Promise.all([first, outbox.flush(), outbox.flush()])
    expect(published.flat()).toEqual(events)
  })

  test('keeps everything while Redis is away, and says so', async () => {
    const { outbox, published, reported } = scripted(new Error('away'), new Error('away'))
    const event = messageCreated()
    outbox.add(event)
    await outbox.flush()
    expect(published).toEqual([[event]])
    expect(reported).toHaveLength(2)
  })

  test('an event at fault is an error of ours', async () => {
    const fault = Object.assign(new Error('events[0].id'), { name: 'InvalidEventsError' })
    const { outbox } = scripted(fault)
    outbox.add(messageCreated())
    await expect(outbox.flush()).rejects.toThrow('events[0].id')
  })
})
