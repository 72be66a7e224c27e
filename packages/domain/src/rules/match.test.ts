import { type SupportEvent, supportEvent } from '@dwell/contracts/events'
import { formatInstant, type Micros } from '@dwell/contracts/instant'
import type { CompiledRule } from './compiled-rule'
import type { Situation } from './conditions'
import { matchRules } from './match'
import { projectConversation, unknownContact, unknownConversation } from './projection'

const HOUR = 3_600_000_000
const at = (hours: number) => (hours * HOUR) as Micros
const iso = (hours: number) => formatInstant(at(hours))

function rule(
  overrides: Partial<CompiledRule> & { matches?: (s: Situation) => boolean; onlyStatusAndInbox?: boolean } = {},
): CompiledRule {
  const { matches = () => true, onlyStatusAndInbox = true, ...rest } = overrides
  return {
    id: 7,
    accountId: 1,
    name: 'R',
    eventName: 'conversation_updated',
    active: true,
    delay: at(1),
    conditions: { matches, onlyStatusAndInbox, broken: [] },
    actions: [],
    ...rest,
  } as unknown as CompiledRule
}

function event(hours: number, body: object): SupportEvent {
  return supportEvent.parse({
    id: `e${hours}`,
    event: 'conversation_updated',
    occurred_at: iso(hours),
    account_id: 1,
    conversation: { id: 101 },
    ...body,
  })
}

function message(
  hours: number,
  id: number,
  messageType: string,
  conversation: object = {},
  rest: object = {},
): SupportEvent {
  return event(hours, {
    event: 'message_created',
    conversation: { id: 101, waiting_since: null, ...conversation },
    message: { id, message_type: messageType, created_at: iso(hours), ...rest },
  })
}

/** What the last of the events arms, after everything before it was consumed in this order. */
function armedBy(events: SupportEvent[], rules: CompiledRule[] = [rule()], delayedAutomations = true) {
  const conversation = events.reduce(projectConversation, unknownConversation(1, 101))
  const last = events.at(-1)
  if (last === undefined) throw new Error('no event')
  return matchRules({ event: last, conversation, contact: null, now: at(50) }, rules, {
    delayedAutomations,
    timeZone: 'UTC',
  })
}

describe('a status wait', () => {
  const pending = { id: 101, status: 'pending', status_changed_at: iso(10), created_at: iso(8) }

  test('counts from the change of status where only status and inbox are asked for', () => {
    expect(armedBy([event(10.5, { conversation: pending })])).toMatchObject([
      { episodeKey: `status:${at(10)}`, dueAt: at(11), anchor: null },
    ])
  })

  test('counts from the event where anything else is asked for, under the same key', () => {
    expect(armedBy([event(10.5, { conversation: pending })], [rule({ onlyStatusAndInbox: false })])).toMatchObject([
      { episodeKey: `status:${at(10)}`, dueAt: at(11.5) },
    ])
  })

  test('counts from the event while nobody knows when the status changed', () => {
    const { status_changed_at: _, ...old } = pending
    expect(armedBy([event(10.5, { conversation: old })])).toMatchObject([
      { episodeKey: `status:${at(8)}`, dueAt: at(11.5) },
    ])
  })

  test('is armed by creation too: a conversation born pending never emits an update', () => {
    const born = event(10, { event: 'conversation_created', conversation: pending })
    expect(armedBy([born])).toHaveLength(1)
    expect(armedBy([born], [rule({ delay: null })])).toHaveLength(0)
  })

  test('is not armed by a late event whose stretch has ended', () => {
    const resolved = event(10.1, { conversation: { id: 101, status: 'resolved', status_changed_at: iso(10.1) } })
    expect(armedBy([resolved, event(10, { conversation: pending })])).toEqual([])
  })

  test('is armed by a late event of the present stretch, judged on its own snapshot', () => {
    const labelled = event(10.6, { conversation: { ...pending, labels: ['x'] } })
    const unlabelled = rule({
      matches: ({ conversation }) => conversation.labels.length === 0,
      onlyStatusAndInbox: false,
    })
    expect(armedBy([labelled, event(10.2, { conversation: { ...pending, labels: [] } })], [unlabelled])).toMatchObject([
      { dueAt: at(11.2) },
    ])
  })
})

describe('an agent wait', () => {
  const agentWait = rule({ eventName: 'message_created' })

  test('counts from the first unanswered message', () => {
    expect(armedBy([message(10.2, 602, 'incoming', { waiting_since: iso(10) })], [agentWait])).toMatchObject([
      { episodeKey: `awaiting_agent:${at(10)}`, dueAt: at(11), anchor: { id: 602, createdAt: at(10.2) } },
    ])
  })

  test('counts from the message while the host has not written waiting_since', () => {
    expect(armedBy([message(10, 601, 'incoming')], [agentWait])).toMatchObject([
      { episodeKey: `awaiting_agent:${at(10)}`, dueAt: at(11) },
    ])
  })

  test('is not armed by a late message that was answered meanwhile', () => {
    expect(armedBy([message(10.3, 602, 'outgoing'), message(10, 601, 'incoming')], [agentWait])).toEqual([])
    expect(
      armedBy([message(10.3, 602, 'outgoing'), message(10, 601, 'incoming', { waiting_since: iso(10) })], [agentWait]),
    ).toEqual([])
  })
})

describe('a customer wait', () => {
  const customerWait = rule({ eventName: 'message_created' })

  test('is keyed by the newest customer message before the agent’s', () => {
    expect(armedBy([message(9, 500, 'incoming'), message(10, 501, 'outgoing')], [customerWait])).toMatchObject([
      { episodeKey: 'reply_chase:500', dueAt: at(11), anchor: { id: 501 } },
    ])
    expect(armedBy([message(10, 501, 'template')], [customerWait])).toMatchObject([{ episodeKey: 'reply_chase:0' }])
  })

  test('is not armed by a message the customer has already answered', () => {
    expect(armedBy([message(10.1, 502, 'incoming'), message(10, 501, 'outgoing')], [customerWait])).toEqual([])
  })
})

describe('nothing is armed', () => {
  const anyMessage = rule({ eventName: 'message_created' })
  const immediate = rule({ delay: null })

  test.each([
    ['by an automation rule', event(10, { performed_by: { type: 'automation_rule', id: 7 } })],
    [
      'in a conversation that answers by itself',
      event(10, { conversation: { id: 101, additional_attributes: { auto_reply: true } } }),
    ],
    ['by an activity message', message(10, 700, 'activity')],
    [
      'by a message tagged with a rule',
      message(10, 700, 'outgoing', {}, { content_attributes: { automation_rule_id: 1 } }),
    ],
    ['by a mail robot', message(10, 700, 'incoming', {}, { content_attributes: { email: { auto_reply: true } } })],
    ['by other events', event(10, { event: 'conversation_deleted' })],
  ])('%s', (_, quiet) => {
    expect(armedBy([quiet], [rule(), anyMessage, immediate])).toEqual([])
  })

  test('for rules that are off, of another event, or do not match', () => {
    expect(armedBy([event(10, {})], [rule({ active: false }), anyMessage, rule({ matches: () => false })])).toEqual([])
  })

  test('after the conversation was deleted', () => {
    expect(armedBy([event(11, { event: 'conversation_deleted' }), event(10, {})], [rule(), immediate])).toEqual([])
  })

  test('for delayed rules while the account’s flag is off; immediate rules go on', () => {
    expect(armedBy([event(10, {})], [rule(), rule({ id: 8, delay: null })], false)).toMatchObject([
      { ruleId: 8, episodeKey: 'event:e10', dueAt: at(10) },
    ])
  })
})

test('users, bots and unknown actors arm; private notes do too', () => {
  for (const performed_by of [null, { type: 'user', id: 7 }, { type: 'agent_bot', id: 4 }, { type: 'system' }]) {
    expect(armedBy([event(10, { performed_by })])).toHaveLength(1)
  }
  expect(
    armedBy([message(10, 502, 'outgoing', {}, { private: true })], [rule({ eventName: 'message_created' })]),
  ).toHaveLength(1)
})

test('conditions see the event over the projection, its message, its contact and what it changed', () => {
  const seen: Situation[] = []
  const spy = rule({ matches: (situation) => seen.push(situation) > 0, delay: null })
  armedBy(
    [
      event(9, { conversation: { id: 101, team_id: 3 } }),
      event(10, {
        conversation: { id: 101, status: 'open' },
        contact: { id: 9, name: 'Ann' },
        changed_attributes: { label_list: [[], ['x']] },
      }),
    ],
    [spy],
  )
  expect(seen[0]).toMatchObject({
    conversation: { team_id: 3, status: 'open' },
    contact: { name: 'Ann' },
    message: null,
    changed: { labels: [[], ['x']] },
  })
})

describe('which rules listen', () => {
  const created = event(10, { event: 'conversation_created', conversation: { id: 101, created_at: iso(10) } })

  test('creation arms delayed rules on updates, and no rules on other events', () => {
    const armed = (rules: CompiledRule[]) => armedBy([created], rules).map(({ ruleId }) => ruleId)
    expect(
      armed([
        rule({ id: 1 }),
        rule({ id: 2, eventName: 'conversation_opened' }),
        rule({ id: 3, eventName: 'conversation_resolved' }),
        rule({ id: 4, eventName: 'message_created' }),
        rule({ id: 5, eventName: 'conversation_created' }),
        rule({ id: 6, delay: null }),
        rule({ id: 7, active: false }),
      ]),
    ).toEqual([1, 5])
  })

  test('other events arm no rules on updates', () => {
    for (const name of ['conversation_opened', 'conversation_resolved']) {
      expect(armedBy([event(10, { event: name, conversation: { id: 101, created_at: iso(9) } })])).toEqual([])
    }
  })
})

describe('an immediate match', () => {
  const atOnce = (eventName: CompiledRule['eventName']) => [rule({ eventName, delay: null })]

  test('is an episode of its own, due when the event occurred', () => {
    expect(armedBy([event(10, {})], atOnce('conversation_updated'), false)).toEqual([
      {
        kind: 'arm',
        accountId: 1,
        ruleId: 7,
        conversationId: 101,
        episodeKey: 'event:e10',
        dueAt: at(10),
        anchor: null,
        occurredAt: at(10),
        traceparent: null,
      },
    ])
  })

  test('of a message is anchored on it', () => {
    expect(armedBy([message(10, 501, 'outgoing')], atOnce('message_created'))).toMatchObject([
      { episodeKey: 'event:e10', anchor: { createdAt: at(10), id: 501 } },
    ])
  })

  test('carries the trace of its event', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    expect(armedBy([event(10, { traceparent })], atOnce('conversation_updated'))).toMatchObject([{ traceparent }])
  })
})

describe('the contact that conditions see', () => {
  const judge = (contact: object | undefined, known: Parameters<typeof matchRules>[0]['contact']) => {
    const seen: (Situation['contact'] | undefined)[] = []
    const updated = event(10, contact === undefined ? {} : { contact: { id: 9, ...contact } })
    const conversation = projectConversation(unknownConversation(1, 101), updated)
    const looking = rule({ matches: (situation) => seen.push(situation.contact) > 0 })
    matchRules({ event: updated, conversation, contact: known, now: at(50) }, [looking], {
      delayedAutomations: true,
      timeZone: 'UTC',
    })
    return seen[0]
  }
  const ann = { ...unknownContact(1, 9).facts, name: 'Ann', email: 'ann@example.com' }

  test('is what the event says over what was known', () => {
    expect(judge({ name: 'Bo' }, ann)).toEqual({ ...ann, name: 'Bo' })
    expect(judge({ name: 'Bo' }, null)).toEqual({ ...unknownContact(1, 9).facts, name: 'Bo' })
    expect(judge(undefined, ann)).toEqual(ann)
    expect(judge(undefined, null)).toBeNull()
  })
})

describe('what arms nothing', () => {
  const armed = (body: { conversation?: object; attributes?: object | null }) =>
    armedBy(
      [message(10, 501, 'outgoing', body.conversation, { content_attributes: body.attributes })],
      [rule({ eventName: 'message_created' })],
    ).length

  test.each([[true], ['true'], [1], ['1']])('automatic replies, however the host writes yes: %j', (yes) => {
    expect(armed({ attributes: { email: { auto_reply: yes } } })).toBe(0)
    expect(armed({ conversation: { additional_attributes: { auto_reply: yes } } })).toBe(0)
  })

  test.each([[false], ['false'], [0], ['0'], [null], ['']])('what is no automatic reply does: %j', (no) => {
    expect(armed({ attributes: { email: { auto_reply: no } } })).toBe(1)
    expect(armed({ conversation: { additional_attributes: { auto_reply: no } } })).toBe(1)
  })

  test('a message of an automation rule is told by its id; none is no rule', () => {
    expect(armed({ attributes: { automation_rule_id: 7 } })).toBe(0)
    expect(armed({ attributes: { automation_rule_id: null } })).toBe(1)
    expect(armed({ attributes: { automation_rule_id: '' } })).toBe(1)
    expect(armed({ attributes: { email: null } })).toBe(1)
    expect(armed({ attributes: { email: 'auto_reply' } })).toBe(1)
    expect(armed({})).toBe(1)
  })
})

test('an agent’s message written in the moment of the customer’s is chased where it comes after it', () => {
  const customer = message(10, 500, 'incoming', { waiting_since: iso(10) })
  const chase = (id: number) => {
    const agent = supportEvent.parse({
      id: 'agent',
      event: 'message_created',
      account_id: 1,
      occurred_at: iso(10.5),
      conversation: { id: 101 },
      message: { id, message_type: 'outgoing', created_at: iso(10) },
    })
    return armedBy([customer, agent], [rule({ eventName: 'message_created' })])
  }
  expect(chase(501)).toMatchObject([{ episodeKey: 'reply_chase:500' }])
  expect(chase(499)).toEqual([])
})
