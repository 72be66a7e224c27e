import type { InboundEventInput } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import { checkEvent } from '@dwell/contracts/parse-event'
import { HelpDesk } from './help-desk'

const ann = { id: 1, name: 'Ann', email: 'ann@example.com' }
const olga = { type: 'user', id: 7 } as const
const instant = (second: number) => (1_790_000_000_000_000 + second * 1_000_000) as Micros

function desk() {
  const events: InboundEventInput[] = []
  return { events, desk: new HelpDesk(1, 100, (event) => events.push(event)) }
}

const changes = (events: InboundEventInput[]) => events.map(({ event, changed_attributes: c }) => [event, c ?? null])

describe('the help desk', () => {
  test('every event is one that Dwell takes, and no two have the same id', () => {
    const { desk: helpDesk, events } = desk()
    const conversation = helpDesk.open(ann, { assigneeId: 7 }, { at: instant(0) })
    helpDesk.customerWrites(conversation, 'Hello', { at: instant(1) })
    helpDesk.reply(conversation, { content: 'Hello Ann' }, { at: instant(2), by: olga })
    helpDesk.changeLabels(conversation, { add: ['vip'] }, { at: instant(3), by: olga })
    helpDesk.changePriority(conversation, 'high', { at: instant(4), by: olga })
    helpDesk.assign(conversation, { teamId: 3 }, { at: instant(5), by: olga })
    helpDesk.changeStatus(conversation, 'resolved', { at: instant(6), by: olga })
    expect(events.map(checkEvent).filter((checked) => !checked.ok)).toEqual([])
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  })

  test('a customer waits from the first unanswered message until a person answers in public', () => {
    const { desk: helpDesk } = desk()
    const conversation = helpDesk.open(ann, {}, { at: instant(0) })
    helpDesk.customerWrites(conversation, 'Hello', { at: instant(1) })
    helpDesk.customerWrites(conversation, 'Hello?', { at: instant(2) })
    expect(conversation.waitingSince).toBe(instant(1))
    helpDesk.reply(conversation, { content: 'Who knows her?', private: true }, { at: instant(3), by: olga })
    helpDesk.reply(conversation, { content: 'Soon' }, { at: instant(4), by: { type: 'automation_rule', id: 3 } })
    expect(conversation.waitingSince).toBe(instant(1))
    helpDesk.reply(conversation, { content: 'Hello Ann' }, { at: instant(5), by: olga })
    expect(conversation.waitingSince).toBeNull()
    expect(conversation.lastResponderId).toBe(7)
  })

  test('a change of status moves its instant and is told twice, in both ways that rules listen to', () => {
    const { desk: helpDesk, events } = desk()
    const conversation = helpDesk.open(ann, {}, { at: instant(0) })
    helpDesk.changeStatus(conversation, 'resolved', { at: instant(9), by: olga })
    expect(changes(events)).toEqual([
      ['conversation_created', {}],
      ['conversation_updated', { status: ['open', 'resolved'] }],
      ['conversation_resolved', { status: ['open', 'resolved'] }],
    ])
    expect(conversation.statusChangedAt).toBe(instant(9))
  })

  test('what changes nothing is not told', () => {
    const { desk: helpDesk, events } = desk()
    const conversation = helpDesk.open(ann, {}, { at: instant(0) })
    helpDesk.changeLabels(conversation, { add: ['vip'] }, { at: instant(1) })
    events.length = 0
    helpDesk.changeLabels(conversation, { add: ['vip'], remove: ['absent'] }, { at: instant(2) })
    helpDesk.changeStatus(conversation, 'open', { at: instant(2) })
    helpDesk.assign(conversation, { agentId: null }, { at: instant(2) })
    helpDesk.changePriority(conversation, null, { at: instant(2) })
    expect(events).toEqual([])
  })

  test('a message of the customer opens a resolved conversation again', () => {
    const { desk: helpDesk, events } = desk()
    const conversation = helpDesk.open(ann, { status: 'resolved' }, { at: instant(0) })
    helpDesk.customerWrites(conversation, 'One more thing', { at: instant(1) })
    expect(conversation.status).toBe('open')
    expect(events.map(({ event }) => event)).toContain('conversation_opened')
  })
})
