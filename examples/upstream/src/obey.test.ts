import type { ActionEnvelope } from '@dwell/contracts/action'
import type { InboundEventInput } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import { checkEvent } from '@dwell/contracts/parse-event'
import { HelpDesk } from './help-desk'
import { obey } from './obey'

const at = 1_790_000_000_000_000 as Micros
const performedBy = { type: 'automation_rule', id: 3 } as const

function setUp() {
  const events: InboundEventInput[] = []
  const desk = new HelpDesk(1, 100, (event) => events.push(event))
  const conversation = desk.open({ id: 1, name: 'Ann', email: 'ann@example.com' }, { assigneeId: 7 }, { at })
  conversation.labels = ['old']
  conversation.lastResponderId = 8
  conversation.teamId = 4
  conversation.priority = 'low'
  events.length = 0
  const act = (name: string, params: unknown[], more: Partial<ActionEnvelope> = {}) =>
    obey(desk, action(conversation.id, name, params, more), at)
  return { events, conversation, act }
}

let actions = 0
function action(
  conversationId: number,
  name: string,
  params: unknown[],
  more: Partial<ActionEnvelope> = {},
): ActionEnvelope {
  actions += 1
  return {
    id: `${actions}-0`,
    account_id: 1,
    conversation_id: conversationId,
    automation_rule_id: 3,
    automation_rule_name: 'Stale',
    execution_id: actions,
    position: 0,
    action_name: name,
    action_params: params,
    content_attributes: { automation_rule_id: 3 },
    performed_by: performedBy,
    due_at: '2026-09-01T14:00:00.000000Z',
    executed_at: '2026-09-01T14:00:01.000000Z',
    ...more,
  }
}

describe('obeying actions', () => {
  test.each([
    ['add_label', ['stale', 'old'], { labels: ['old', 'stale'] }],
    ['remove_label', ['old', 'absent'], { labels: [] }],
    ['assign_agent', [12], { assigneeId: 12 }],
    ['assign_agent', ['nil'], { assigneeId: null }],
    ['assign_agent', ['last_responding_agent'], { assigneeId: 8 }],
    ['remove_assigned_agent', [], { assigneeId: null }],
    ['assign_team', [5], { teamId: 5 }],
    ['assign_team', [0], { teamId: null }],
    ['assign_team', [], { teamId: null }],
    ['remove_assigned_team', [], { teamId: null }],
    ['change_status', ['pending'], { status: 'pending' }],
    ['pending_conversation', [], { status: 'pending' }],
    ['snooze_conversation', [], { status: 'snoozed' }],
    ['resolve_conversation', [], { status: 'resolved' }],
    ['change_priority', ['urgent'], { priority: 'urgent' }],
    ['change_priority', ['nil'], { priority: null }],
  ])('%s %j changes the conversation, and the event says that a rule did it', (name, params, after) => {
    const { conversation, events, act } = setUp()
    const line = act(name, params)
    expect(conversation).toMatchObject(after)
    expect(events.length).toBeGreaterThan(0)
    for (const event of events) expect(event.performed_by).toEqual(performedBy)
    expect(events.map(checkEvent).every(({ ok }) => ok)).toBe(true)
    expect(line).toContain('Ann')
    expect(line).toContain('Stale')
    expect(line).not.toContain('\n')
  })

  test.each([
    ['send_message', false],
    ['add_private_note', true],
  ])('%s posts the rendered text, tagged with the rule, so that it is no human answer', (name, isPrivate) => {
    const { conversation, events, act } = setUp()
    conversation.waitingSince = at
    act(name, ['Hello {{contact.name}}'], { content: 'Hello Ann' })
    expect(events).toMatchObject([
      {
        event: 'message_created',
        performed_by: performedBy,
        message: {
          content: 'Hello Ann',
          message_type: 'outgoing',
          private: isPrivate,
          content_attributes: { automation_rule_id: 3 },
        },
      },
    ])
    expect(conversation.waitingSince).toBe(at)
  })

  test('the same action a second time does nothing', () => {
    const { events, act } = setUp()
    act('send_message', ['Hello'], { id: 'same' })
    expect(act('send_message', ['Hello'], { id: 'same' })).toContain('already')
    expect(events).toHaveLength(1)
  })

  test('an action of another account is passed over, also where a conversation has the same number', () => {
    const { events, act } = setUp()
    expect(act('send_message', ['Hello'], { account_id: 2 })).toBeNull()
    expect(events).toEqual([])
  })

  test.each([
    ['an action it does not know', 'add_sla', [1], {}, 'does not know'],
    ['a status that does not exist', 'change_status', ['asleep'], {}, 'asleep'],
    ['a priority that does not exist', 'change_priority', ['huge'], {}, 'huge'],
    ['a conversation of an earlier start', 'add_label', ['x'], { conversation_id: 5 }, 'nothing is done'],
  ])('%s is said and changes nothing', (_what, name, params, more, said) => {
    const { events, act } = setUp()
    expect(act(name, params, more)).toContain(said)
    expect(events).toEqual([])
  })
})
