import { MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'
import { PENDING_EXECUTION_STATUSES, SKIP_REASONS } from '@dwell/contracts/pending-execution'
import type { Condition, CustomAttributeDefinition, RuleEvent } from '@dwell/contracts/rule'
import fc from 'fast-check'
import { compileRule } from './compile-rule'
import type { CompiledRule } from './compiled-rule'
import { type ConversationFacts, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'
import { judge } from './guards'
import type { PendingExecution } from './pending-execution'
import { type ProjectedConversation, type ProjectedMessage, unknownConversation, unknownMessage } from './projection'
import { explainWhy, type Why, type WhyInput } from './why'

const at = (time: string) => (Date.parse(`2026-09-01T${time}Z`) * 1000) as Micros

const isPending: Condition = {
  attribute_key: 'status',
  filter_operator: 'equal_to',
  values: ['pending'],
  query_operator: null,
  custom_attribute_type: '',
}
const saysRefund: Condition = {
  ...isPending,
  attribute_key: 'content',
  filter_operator: 'contains',
  values: ['refund'],
}

function rule(eventName: RuleEvent, minutes: number | null, conditions: Condition[] = []): CompiledRule {
  const definitions: CustomAttributeDefinition[] = []
  return compileRule(
    { id: 7, accountId: 1, name: 'R1', eventName, active: true, executionDelay: minutes, conditions, actions: [] },
    definitions,
  )
}

function conversation(facts: Partial<ConversationFacts>, more: Partial<ProjectedConversation> = {}) {
  return { ...unknownConversation(1, 101), facts: { ...UNKNOWN_CONVERSATION, ...facts }, ...more }
}

function message(id: number, type: 'incoming' | 'outgoing', time: string, content = 'hello'): ProjectedMessage {
  const facts = { ...UNKNOWN_MESSAGE, message_type: type, created_at: at(time), content }
  return { ...unknownMessage(1, 101, id), facts }
}

/** A rule "pending for an hour", and a conversation that is pending since ten. Nothing is armed. */
const pendingForAnHour: WhyInput = {
  accountId: 1,
  ruleId: 7,
  conversationId: 101,
  messageAsked: false,
  rows: [],
  killSwitch: false,
  rule: rule('conversation_updated', 60, [isPending]),
  delayedAutomations: true,
  whenDisabled: 'skip',
  conversation: conversation({ status: 'pending', status_changed_at: at('10:00:00'), created_at: at('08:00:00') }),
  contact: null,
  message: null,
  now: at('10:30:00'),
  timeZone: 'UTC',
}

const statusRow: PendingExecution = {
  id: 900,
  accountId: 1,
  ruleId: 7,
  conversationId: 101,
  episodeKey: `status:${at('10:00:00')}`,
  status: 'pending',
  skipReason: null,
  dueAt: at('11:00:00'),
  anchor: null,
  armedAt: at('10:00:00'),
  traceparent: null,
}

const armed: WhyInput = { ...pendingForAnHour, rows: [statusRow] }
const why = (change: Partial<WhyInput>, from: WhyInput = armed): Why => explainWhy({ ...from, ...change })
const withRow = (change: Partial<PendingExecution>, more: Partial<WhyInput> = {}) =>
  why({ rows: [{ ...statusRow, ...change }], ...more })
const detail = ({ steps }: Why, wanted: string) => steps.find(({ guard }) => guard === wanted)?.detail
const passes = ({ steps }: Why) => Object.fromEntries(steps.map(({ guard, passed }) => [guard, passed]))

const ALL_PASS = { kill_switch: true, rule: true, flag: true, conversation: true, episode: true, conditions: true }

describe('the answer for a row that waits', () => {
  test('names the row, its episode, when its clock started and when it is due', () => {
    const answer = why({})
    expect(answer).toMatchObject({
      outcome: 'waits',
      judged: 900,
      sentence: 'It is waiting: nothing is in its way, and it is due at 2026-09-01T11:00:00.000000Z.',
      episode: { key: statusRow.episodeKey, clockStartsAt: at('10:00:00'), dueAt: at('11:00:00') },
    })
    expect(passes(answer)).toEqual(ALL_PASS)
  })

  test('shows each condition with what it saw', () => {
    expect(why({}).conditions).toEqual([
      {
        attribute_key: 'status',
        filter_operator: 'equal_to',
        values: ['pending'],
        group: 0,
        seen: 'pending',
        result: true,
      },
    ])
  })

  test('is "due" from the very instant it is due, not before', () => {
    expect(why({ now: (at('11:00:00') - 1) as Micros }).outcome).toBe('waits')
    expect(why({ now: at('11:00:00') })).toMatchObject({
      outcome: 'due',
      sentence: 'It has been due since 2026-09-01T11:00:00.000000Z; the next sweep carries it out.',
    })
  })

  test('says so while a worker holds it', () => {
    expect(withRow({ status: 'processing' }, { now: at('11:01:00') })).toMatchObject({
      outcome: 'due',
      sentence: 'It is being carried out at this moment.',
    })
  })

  const held: [string, Partial<WhyInput>, string, string][] = [
    [
      'the kill switch',
      { killSwitch: true },
      'It is held back, because delayed automations are switched off for the whole installation. It goes on when that changes.',
      'kill_switch',
    ],
    [
      'a pause of the feature',
      { delayedAutomations: false, whenDisabled: 'pause' },
      'It is held back, because the feature delayed automations is off for this account. It goes on when that changes.',
      'flag',
    ],
  ]
  test.each(held)('is held back by %s, and not lost', (_, change, sentence, guard) => {
    const answer = why(change)
    expect(answer).toMatchObject({ outcome: 'held', sentence })
    expect(passes(answer)).toEqual({ ...ALL_PASS, [guard]: false })
  })

  const skips: [string, Partial<WhyInput>, string][] = [
    ['the rule is gone', { rule: null }, 'the rule is off, gone, or waits for something else now'],
    [
      'the rule is off',
      { rule: { ...rule('conversation_updated', 60), active: false } },
      'the rule is off, gone, or waits for something else now',
    ],
    ['the feature is off', { delayedAutomations: false }, 'the feature delayed automations is off for this account'],
    ['the conversation is unknown', { conversation: null }, 'the conversation is unknown or deleted'],
    [
      'the status changed',
      { conversation: conversation({ status: 'pending', status_changed_at: at('10:10:00') }) },
      'what it waits for has ended',
    ],
    [
      'the conditions do not hold',
      { conversation: conversation({ status: 'open', status_changed_at: at('10:00:00') }) },
      'its conditions do not hold now',
    ],
  ]
  test.each(skips)('says that it would not act where %s', (_, change, reason) => {
    expect(why(change)).toMatchObject({
      outcome: 'would_skip',
      sentence: `It is armed for 2026-09-01T11:00:00.000000Z, but would not act, because ${reason}.`,
    })
  })

  test('names the first guard that fails and shows the others too', () => {
    const answer = why({ delayedAutomations: false, conversation: null })
    expect(answer.sentence).toContain('the feature delayed automations is off')
    expect(passes(answer)).toEqual({ ...ALL_PASS, flag: false, conversation: false, episode: false, conditions: false })
    expect(answer.conditions).toEqual([])
  })

  test('foretells what a worker would do at that moment', () => {
    const situation = fc.record({
      killSwitch: fc.boolean(),
      delayedAutomations: fc.boolean(),
      whenDisabled: fc.constantFrom('skip' as const, 'pause' as const),
      rule: fc.constantFrom(
        null,
        rule('conversation_updated', 60, [isPending]),
        { ...rule('conversation_updated', 60), active: false },
        rule('message_created', 60),
        rule('conversation_updated', null),
      ),
      conversation: fc.constantFrom(
        null,
        armed.conversation,
        conversation({ status: 'open', status_changed_at: at('10:00:00') }),
        conversation({ status: 'pending', status_changed_at: at('10:10:00') }),
        conversation({ status: 'pending', status_changed_at: at('10:00:00') }, { deletedAt: at('10:20:00') }),
      ),
    })
    const outcomes = { execute: 'due', skip: 'would_skip', release: 'held' }
    fc.assert(
      fc.property(situation, (change) => {
        const input = { ...armed, ...change, now: at('12:00:00') }
        expect(explainWhy(input).outcome).toBe(outcomes[judge({ ...input, row: statusRow }).outcome])
      }),
    )
  })
})

describe('the answer for a row that ended', () => {
  test('says that it did fire, whatever was switched off since', () => {
    expect(withRow({ status: 'executed' }, { killSwitch: true, delayedAutomations: false })).toMatchObject({
      outcome: 'executed',
      judged: 900,
      sentence: 'It did fire, and acts once for each such stretch. See the deliveries for what became of its actions.',
    })
  })

  const reasons: [PendingExecution['skipReason'], string][] = [
    ['rule_inactive', 'the rule was switched off. A newer event that matches arms it again.'],
    [
      'rule_changed',
      'the rule was changed so that it no longer waits for this. A newer event that matches arms it again.',
    ],
    [
      'flag_disabled',
      'the feature delayed automations was off for the account. A newer event that matches arms it again.',
    ],
    [
      'conditions_changed',
      'the conditions no longer held when its time came. A newer event that matches arms it again.',
    ],
    [
      'expired',
      'it was due more than three days before anything could run it. A newer event that matches arms it again.',
    ],
    ['conversation_gone', 'the conversation was deleted. That is final.'],
    [
      'episode_moved',
      'what it waited for had ended: the status changed, somebody answered, or the customer wrote again. That is final.',
    ],
    [null, 'it was skipped. That is final.'],
  ]
  test.each(reasons)('tells why it was skipped, and whether that is final: %s', (skipReason, rest) => {
    expect(withRow({ status: 'skipped', skipReason })).toMatchObject({
      outcome: 'skipped',
      sentence: `It did not fire, because ${rest}`,
    })
  })
})

describe('the answer where nothing is armed', () => {
  test('shows what the next event would arm', () => {
    const answer = why({ rows: [] })
    expect(answer).toMatchObject({
      outcome: 'not_armed',
      judged: null,
      sentence:
        'Nothing waits for this conversation: no event has armed the rule in this stretch. The next one that matches does.',
      episode: { key: statusRow.episodeKey, clockStartsAt: at('10:00:00'), dueAt: at('11:00:00') },
    })
    expect(passes(answer)).toEqual(ALL_PASS)
  })

  test('names what is in the way already', () => {
    const open = conversation({ status: 'open', status_changed_at: at('10:00:00') })
    expect(why({ rows: [], conversation: open }).sentence).toBe(
      'Nothing waits for this conversation, and its conditions do not hold now.',
    )
  })

  const earlier: [string, Partial<PendingExecution>, string][] = [
    ['did fire', { status: 'executed' }, 'In an earlier stretch it did fire.'],
    [
      'was skipped',
      { status: 'skipped', skipReason: 'episode_moved' },
      'The last time it waited it did not fire, because what it waited for had ended: the status changed, somebody answered, or the customer wrote again.',
    ],
  ]
  test.each(earlier)('adds that the rule %s in an earlier stretch, and judges that row no more', (_, change, more) => {
    const row = { ...statusRow, ...change, episodeKey: `status:${at('09:00:00')}` }
    expect(why({ rows: [row] })).toMatchObject({
      outcome: 'not_armed',
      judged: null,
      sentence: `Nothing waits for this conversation: no event has armed the rule in this stretch. The next one that matches does. ${more}`,
    })
  })

  test('says nothing of the last time where no reason was kept', () => {
    const row: PendingExecution = { ...statusRow, status: 'skipped', episodeKey: 'status:1' }
    expect(why({ rows: [row] }).sentence).toMatch(/The next one that matches does\.$/)
  })

  test('leaves the clock open where a rule asks for more than the status: the next event starts it', () => {
    const vip = { ...isPending, attribute_key: 'labels', values: ['vip'] }
    const answer = why({ rows: [], rule: rule('conversation_updated', 60, [vip]) })
    expect(answer.episode).toEqual({ key: statusRow.episodeKey, clockStartsAt: null, dueAt: null })
  })

  test('knows no episode where rule or conversation are unknown', () => {
    const none = { key: null, clockStartsAt: null, dueAt: null }
    expect(why({ rows: [], rule: null }).episode).toEqual(none)
    expect(why({ rows: [], conversation: null }).episode).toEqual(none)
    expect(why({ rows: [], rule: rule('conversation_updated', null) }).episode).toEqual(none)
    expect(why({ rows: [], rule: rule('message_created', 60), message: null }).episode).toEqual(none)
  })
})

describe('a rule on conversations that is asked about together with a message', () => {
  test('answers with its own row: no message has to do with it', () => {
    const older: PendingExecution = { ...statusRow, id: 899, episodeKey: `status:${at('09:00:00')}` }
    const answer = why({ messageAsked: true, message: message(501, 'outgoing', '10:00:00'), rows: [older] })
    expect(answer.judged).toBe(899)
    expect(passes(answer)).toEqual({ ...ALL_PASS, episode: false })
  })

  test('is held back by the kill switch also where nothing is armed', () => {
    expect(why({ rows: [], killSwitch: true }).sentence).toBe(
      'Nothing waits for this conversation, and delayed automations are switched off for the whole installation.',
    )
  })
})

describe('which row is judged', () => {
  const older: PendingExecution = { ...statusRow, id: 899, episodeKey: `status:${at('09:00:00')}` }

  test('what is armed comes before the row of the present stretch', () => {
    const executed: PendingExecution = { ...statusRow, status: 'executed' }
    expect(why({ rows: [executed, older] })).toMatchObject({ judged: 899, outcome: 'would_skip' })
  })

  test('the row of the present stretch comes before a younger one that ended', () => {
    const young: PendingExecution = { ...older, id: 901, status: 'executed' }
    const present: PendingExecution = { ...statusRow, status: 'skipped', skipReason: 'expired' }
    expect(why({ rows: [young, present] })).toMatchObject({ judged: 900, outcome: 'skipped' })
  })

  test('an immediate rule answers with its youngest row', () => {
    const rows: PendingExecution[] = [3, 2].map((id) => ({
      ...statusRow,
      id,
      episodeKey: `event:e${id}`,
      status: 'executed',
    }))
    expect(why({ rows, rule: rule('conversation_updated', null, [isPending]) })).toMatchObject({
      judged: 3,
      outcome: 'executed',
    })
  })

  test('a rule that waits does not answer with a row of another stretch', () => {
    expect(why({ rows: [{ ...older, status: 'executed' }] }).judged).toBeNull()
  })
})

describe('a rule on messages', () => {
  const chased: WhyInput = {
    ...pendingForAnHour,
    rule: rule('message_created', 60),
    conversation: conversation(
      { status: 'open', created_at: at('08:00:00') },
      { recentIncoming: [{ createdAt: at('09:00:00'), id: 500 }] },
    ),
    message: message(501, 'outgoing', '10:00:00'),
  }
  const chaseRow: PendingExecution = {
    ...statusRow,
    episodeKey: 'reply_chase:500',
    anchor: { createdAt: at('10:00:00'), id: 501 },
  }

  test('chases the silence after the customer’s last message from the agent’s message on', () => {
    expect(why({}, chased)).toMatchObject({
      outcome: 'not_armed',
      episode: { key: 'reply_chase:500', clockStartsAt: at('10:00:00'), dueAt: at('11:00:00') },
    })
    expect(passes(why({}, chased))).toEqual(ALL_PASS)
  })

  test('awaits an agent from the instant since when the customer waits', () => {
    const waiting = conversation({ waiting_since: at('09:30:00') })
    const customer = message(502, 'incoming', '10:10:00')
    expect(why({ conversation: waiting, message: customer }, chased).episode).toEqual({
      key: `awaiting_agent:${at('09:30:00')}`,
      clockStartsAt: at('09:30:00'),
      dueAt: at('10:30:00'),
    })
    expect(why({ conversation: conversation({}), message: customer }, chased).episode).toEqual({
      key: `awaiting_agent:${at('10:10:00')}`,
      clockStartsAt: at('10:10:00'),
      dueAt: at('11:10:00'),
    })
  })

  test('a message whose time is unknown stands for no episode', () => {
    const unknown = unknownMessage(1, 101, 501)
    expect(why({ message: unknown }, chased).episode).toEqual({ key: null, clockStartsAt: null, dueAt: null })
  })

  test('asked about one message, it answers with that message’s row', () => {
    const other: PendingExecution = {
      ...chaseRow,
      id: 901,
      episodeKey: 'reply_chase:0',
      anchor: { createdAt: at('08:00:00'), id: 400 },
    }
    const asked = { ...chased, messageAsked: true, rows: [other, chaseRow] }
    expect(why({}, asked).judged).toBe(900)
    expect(why({ message: message(400, 'outgoing', '08:00:00') }, asked).judged).toBe(901)
  })

  test('asked about one message, it answers with that message’s row also where it is of another stretch by now', () => {
    const moved: PendingExecution = { ...chaseRow, id: 902, episodeKey: 'reply_chase:77', status: 'executed' }
    const newer: PendingExecution = { ...chaseRow, id: 903, anchor: { createdAt: at('10:20:00'), id: 504 } }
    expect(why({ messageAsked: true, rows: [newer, moved] }, chased)).toMatchObject({
      judged: 902,
      outcome: 'executed',
    })
  })

  test('asked about a message without a row, it answers with the row of the stretch the message is in', () => {
    const asked = { ...chased, messageAsked: true, rows: [chaseRow], message: message(503, 'outgoing', '10:20:00') }
    expect(why({}, asked).judged).toBe(900)
    const elsewhere = { ...asked, message: message(399, 'outgoing', '08:00:00') }
    expect(why({}, elsewhere)).toMatchObject({ judged: null, episode: { key: 'reply_chase:0' } })
  })

  test('not asked about a message, it answers with what is armed', () => {
    const other: PendingExecution = { ...chaseRow, id: 901, status: 'executed' }
    expect(why({ rows: [other, { ...chaseRow, id: 902, episodeKey: 'reply_chase:0' }] }, chased).judged).toBe(902)
  })

  test('rows of conversation events have no message: asked about one, they are none of its rows', () => {
    const asked = { ...chased, messageAsked: true, message: null, rows: [{ ...statusRow, episodeKey: 'status:5' }] }
    expect(why({}, asked).judged).toBeNull()
  })

  test('asked about a message, the silence is judged from that message’s place', () => {
    // The customer wrote at 10:30, after the row's message and before the one that is asked about.
    const answered = conversation({}, { recentIncoming: [{ createdAt: at('10:30:00'), id: 600 }] })
    const row: PendingExecution = { ...chaseRow, episodeKey: 'reply_chase:600' }
    const asked = { ...chased, conversation: answered, rows: [row], message: message(700, 'outgoing', '10:40:00') }
    expect(passes(why({ messageAsked: true }, asked)).episode).toBe(true)
    expect(passes(why({ messageAsked: false }, asked)).episode).toBe(false)
  })

  test('without any message it says what is missing', () => {
    const answer = why({ message: null, rows: [] }, chased)
    expect(passes(answer)).toEqual({ ...ALL_PASS, conditions: false })
    expect(detail(answer, 'conditions')).toBe('No message is known that it could ask about.')
  })

  test('is judged on the message’s words', () => {
    const asksForRefund = { ...chased, rule: rule('message_created', 60, [saysRefund]) }
    expect(passes(why({}, asksForRefund))).toEqual({ ...ALL_PASS, conditions: false })
    expect(passes(why({ message: message(501, 'outgoing', '10:00:00', 'your REFUND') }, asksForRefund))).toEqual(
      ALL_PASS,
    )
  })

  test('a message that was deleted is named as the reason', () => {
    const gone = { ...message(501, 'outgoing', '10:00:00'), deletedAt: at('10:05:00') }
    expect(detail(why({ message: gone }, chased), 'conditions')).toBe('The message that triggered it was deleted.')
  })
})

describe('an immediate rule', () => {
  const atOnce: WhyInput = { ...pendingForAnHour, rule: rule('conversation_updated', null, [isPending]) }

  test('says that it acts on the event, and needs neither feature nor kill switch', () => {
    const answer = why({ delayedAutomations: false, killSwitch: true }, atOnce)
    expect(answer).toMatchObject({
      outcome: 'not_armed',
      sentence: 'It has not acted here: no event has matched. The next one of its kind is judged by itself.',
    })
    expect(passes(answer)).toEqual(ALL_PASS)
    expect(detail(answer, 'episode')).toBe('A rule without a delay acts on the event itself.')
    expect(detail(answer, 'flag')).toBe(
      'The feature delayed automations is off; a rule without a delay does not need it.',
    )
  })

  test('once it has acted, says so whatever holds now', () => {
    const row: PendingExecution = { ...statusRow, episodeKey: 'event:e1', status: 'executed' }
    const answer = why({ rows: [row], conversation: conversation({ status: 'open' }) }, atOnce)
    expect(answer.outcome).toBe('executed')
    expect(passes(answer)).toEqual(ALL_PASS)
  })

  test('shows whether its conditions would hold now', () => {
    const answer = why({ conversation: conversation({ status: 'open' }) }, atOnce)
    expect(passes(answer)).toEqual({ ...ALL_PASS, conditions: false })
    expect(answer.sentence).toBe('Nothing waits for this conversation, and its conditions do not hold now.')
  })
})

describe('the details in words', () => {
  const details: [string, string, string, Partial<WhyInput>][] = [
    ['kill_switch', 'off', 'Delayed automations are not switched off.', {}],
    [
      'kill_switch',
      'on',
      'Delayed automations are switched off for the whole installation (DISABLE_DELAYED_AUTOMATIONS).',
      { killSwitch: true },
    ],
    ['rule', 'there and on', 'The rule is on.', {}],
    ['rule', 'gone', 'The rule is gone.', { rule: null }],
    [
      'rule',
      'switched off',
      'The rule is switched off.',
      { rule: { ...rule('conversation_updated', 60), active: false } },
    ],
    [
      'rule',
      'changed',
      'The rule has been changed since: it waits no longer, or for another kind of event.',
      { rule: rule('message_created', 60) },
    ],
    [
      'rule',
      'broken',
      'The rule is on, but broken: a condition asks about a custom attribute that no longer exists.',
      {
        rule: rule('conversation_updated', 60, [
          { ...isPending, attribute_key: 'tier', custom_attribute_type: 'conversation_attribute' },
        ]),
      },
    ],
    ['flag', 'on', 'The account has the feature delayed automations.', {}],
    [
      'flag',
      'off',
      'The feature delayed automations is off for this account; what waits is skipped.',
      { delayedAutomations: false },
    ],
    [
      'flag',
      'off, with a pause',
      'The feature delayed automations is off for this account; what waits is kept until it returns.',
      { delayedAutomations: false, whenDisabled: 'pause' },
    ],
    ['conversation', 'known', 'The conversation is known.', {}],
    ['conversation', 'unknown', 'No event has told of this conversation yet.', { conversation: null }],
    [
      'conversation',
      'deleted',
      'The conversation was deleted at 2026-09-01T10:20:00.000000Z.',
      { conversation: conversation({ status: 'pending' }, { deletedAt: at('10:20:00') }) },
    ],
    ['episode', 'present', 'What it waits for still goes on: nothing has ended this stretch.', {}],
    [
      'episode',
      'over',
      'What it waited for has ended: the status changed, somebody answered, or the customer wrote again.',
      { conversation: conversation({ status: 'pending', status_changed_at: at('10:10:00') }) },
    ],
    ['conditions', 'true', 'The conditions hold.', {}],
    [
      'conditions',
      'false',
      'The conditions do not hold now.',
      { conversation: conversation({ status: 'open', status_changed_at: at('10:00:00') }) },
    ],
  ]
  test.each(details)('%s: %s', (guard, _, words, change) => {
    expect(detail(why(change), guard)).toBe(words)
  })

  test('every status and every reason has a sentence', () => {
    for (const status of PENDING_EXECUTION_STATUSES) {
      for (const skipReason of [null, ...SKIP_REASONS]) {
        expect(withRow({ status, skipReason }).sentence).toMatch(/^It .*\.$/)
      }
    }
  })
})

test('a rule edited to another delay: its row keeps its due time, its clock is shown by the present delay', () => {
  expect(why({ rule: rule('conversation_updated', 90, [isPending]) }).episode).toEqual({
    key: statusRow.episodeKey,
    clockStartsAt: statusRow.dueAt - 90 * MICROS_PER_MINUTE,
    dueAt: statusRow.dueAt,
  })
})
