import type { Micros } from '@dwell/contracts/instant'
import type { CompiledRule } from './compiled-rule'
import type { Situation } from './conditions'
import { UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'
import { askGuards, conditionsHold, type FireSituation, judge } from './guards'
import { unknownContact, unknownConversation, unknownMessage } from './projection'

const µs = (value: number) => value as Micros

const rule: CompiledRule = {
  id: 7,
  accountId: 1,
  name: 'R1',
  eventName: 'conversation_updated',
  active: true,
  delay: µs(60),
  conditions: {
    matches: ({ conversation }: Situation) => conversation.status === 'pending',
    explain: ({ conversation }: Situation) => [
      { seen: conversation.status, result: conversation.status === 'pending' },
    ],
    onlyStatusAndInbox: true,
    broken: [],
  },
  actions: [],
} as unknown as CompiledRule

const base: FireSituation = {
  row: {
    id: 1,
    accountId: 1,
    ruleId: 7,
    conversationId: 101,
    episodeKey: 'status:100',
    status: 'processing',
    skipReason: null,
    dueAt: µs(160),
    anchor: null,
    armedAt: µs(100),
    traceparent: null,
  },
  killSwitch: false,
  rule,
  delayedAutomations: true,
  whenDisabled: 'skip',
  conversation: {
    ...unknownConversation(1, 101),
    facts: { ...UNKNOWN_CONVERSATION, status: 'pending', status_changed_at: µs(100) },
  },
  contact: null,
  message: null,
  now: µs(200),
  timeZone: 'UTC',
}

const conversation = (facts: object) => ({
  ...unknownConversation(1, 101),
  facts: { ...UNKNOWN_CONVERSATION, ...facts },
})
const moved = conversation({ status: 'resolved', status_changed_at: µs(150) })
const messageRow = { ...base.row, episodeKey: 'reply_chase:0', anchor: { createdAt: µs(100), id: 501 } }
const messageRule: CompiledRule = {
  ...rule,
  eventName: 'message_created',
  conditions: { ...rule.conditions, matches: ({ message }: Situation) => message?.content === 'x' },
}
const message = { ...unknownMessage(1, 101, 501), facts: { ...UNKNOWN_MESSAGE, content: 'x' } }

describe('the guard chain', () => {
  test('executes when every guard passes', () => {
    expect(judge(base)).toEqual({
      outcome: 'execute',
      rule,
      guards: ['kill_switch', 'rule', 'flag', 'conversation', 'episode', 'conditions'].map((guard) => ({
        guard,
        passed: true,
      })),
    })
  })

  const skips: [string, Partial<FireSituation>, string][] = [
    ['the rule is gone', { rule: null }, 'rule_inactive'],
    ['the rule is off', { rule: { ...rule, active: false } }, 'rule_inactive'],
    ['the rule waits no longer', { rule: { ...rule, delay: null } }, 'rule_changed'],
    ['the rule listens to messages now', { rule: { ...rule, eventName: 'message_created' } }, 'rule_changed'],
    ['the flag is off', { delayedAutomations: false }, 'flag_disabled'],
    ['the conversation is unknown', { conversation: null }, 'conversation_gone'],
    ['the conversation was deleted', { conversation: { ...moved, deletedAt: µs(150) } }, 'conversation_gone'],
    ['the episode moved', { conversation: moved }, 'episode_moved'],
    [
      'the conditions hold no more',
      { conversation: conversation({ status: 'open', status_changed_at: µs(100) }) },
      'conditions_changed',
    ],
    ['the anchor message is unknown', { row: messageRow, rule: messageRule }, 'conditions_changed'],
    [
      'the anchor message was deleted',
      { row: messageRow, rule: messageRule, message: { ...message, deletedAt: µs(120) } },
      'conditions_changed',
    ],
  ]
  test.each(skips)('skips when %s', (_, change, reason) => {
    expect(judge({ ...base, ...change })).toMatchObject({ outcome: 'skip', reason })
  })

  test('judges the anchor message as it is now', () => {
    expect(judge({ ...base, row: messageRow, rule: messageRule, message })).toMatchObject({ outcome: 'execute' })
  })

  test('the first failing guard names the reason', () => {
    const everythingWrong = { ...base, rule: null, delayedAutomations: false, conversation: moved }
    expect(judge(everythingWrong)).toEqual({
      outcome: 'skip',
      reason: 'rule_inactive',
      guards: [
        { guard: 'kill_switch', passed: true },
        { guard: 'rule', passed: false, seen: { known: false } },
      ],
    })
    expect(judge({ ...everythingWrong, rule })).toMatchObject({ reason: 'flag_disabled' })
    expect(judge({ ...everythingWrong, rule, delayedAutomations: true })).toMatchObject({ reason: 'episode_moved' })
  })

  test('a guard that fails tells what it saw, small enough to be kept', () => {
    const open = conversation({ status: 'open', status_changed_at: µs(100) })
    const last = (change: Partial<FireSituation>) => judge({ ...base, ...change }).guards.at(-1)
    expect(last({ conversation: open })).toEqual({
      guard: 'conditions',
      passed: false,
      seen: { message: null, results: [false] },
    })
    expect(last({ conversation: moved })).toMatchObject({ seen: { row: 'status:100', now: 'status:150' } })
    expect(last({ row: messageRow, rule: messageRule })).toMatchObject({ seen: { message: 'unknown' } })
  })

  test('asked why, every guard answers, also after the first that fails', () => {
    const answers = askGuards({ ...base, killSwitch: true, delayedAutomations: false, conversation: moved })
    expect(answers.map(({ guard, verdict }) => [guard, verdict])).toEqual([
      ['kill_switch', 'release'],
      ['rule', 'pass'],
      ['flag', 'flag_disabled'],
      ['conversation', 'pass'],
      ['episode', 'episode_moved'],
      ['conditions', 'conditions_changed'],
    ])
    expect(answers[2]?.seen).toEqual({ delayed_automations: false, when_disabled: 'skip' })
    expect(answers[3]?.seen).toEqual({ known: true, deleted_at: null })
  })

  test('gives the row back under the kill switch, and while a paused account is off', () => {
    expect(judge({ ...base, killSwitch: true, rule: null })).toMatchObject({ outcome: 'release' })
    expect(judge({ ...base, delayedAutomations: false, whenDisabled: 'pause' })).toMatchObject({ outcome: 'release' })
  })

  test('asks an immediate row only whether rule and conversation are still there', () => {
    const immediate = {
      ...base,
      row: { ...base.row, episodeKey: 'event:e1' },
      rule: { ...rule, delay: null },
      killSwitch: true,
      delayedAutomations: false,
      conversation: moved,
    }
    expect(judge(immediate)).toMatchObject({ outcome: 'execute' })
    expect(judge({ ...immediate, rule: null })).toMatchObject({ outcome: 'skip', reason: 'rule_inactive' })
    expect(judge({ ...immediate, conversation: null })).toMatchObject({ outcome: 'skip', reason: 'conversation_gone' })
  })
})

describe('what a guard saw', () => {
  const seen = (change: Partial<FireSituation>) =>
    Object.fromEntries(askGuards({ ...base, ...change }).map((answer) => [answer.guard, answer.seen]))

  test('is told by each in words of the API', () => {
    expect(seen({ rule: { ...rule, delay: µs(240 * 60_000_000) } })).toEqual({
      kill_switch: { DISABLE_DELAYED_AUTOMATIONS: false },
      rule: { known: true, active: true, event_name: 'conversation_updated', execution_delay: 240, broken: false },
      flag: { delayed_automations: true, when_disabled: 'skip' },
      conversation: { known: true, deleted_at: null },
      episode: { row: 'status:100', now: 'status:100' },
      conditions: { message: null, results: [true] },
    })
  })

  test('is said of what is missing too', () => {
    expect(seen({ rule: null, conversation: null })).toMatchObject({
      rule: { known: false },
      conversation: { known: false, deleted_at: null },
      episode: { row: 'status:100', now: null },
      conditions: { results: [] },
    })
    expect(seen({ conversation: { ...moved, deletedAt: µs(1_788_256_800_000_001) } }).conversation).toEqual({
      known: true,
      deleted_at: '2026-09-01T10:00:00.000001Z',
    })
  })

  test('tells whether a rule waits and whether it is broken', () => {
    const fault = { pointer: '/conditions/0/attribute_key', code: 'unknown_attribute', message: 'gone' }
    const broken = { ...rule, delay: null, conditions: { ...rule.conditions, broken: [fault] } }
    expect(seen({ rule: broken }).rule).toMatchObject({ execution_delay: null, broken: true })
  })

  test('tells what became of the anchor message', () => {
    const messageOf = (about: FireSituation['message']) => seen({ row: messageRow, message: about }).conditions?.message
    expect(messageOf(message)).toBe('known')
    expect(messageOf(null)).toBe('unknown')
    expect(messageOf({ ...message, deletedAt: µs(120) })).toBe('deleted')
  })
})

describe('the conditions at fire time', () => {
  const seeing = (matches: (situation: Situation) => boolean, change: Partial<FireSituation>) =>
    conditionsHold({ ...base, rule: { ...rule, conditions: { ...rule.conditions, matches } }, ...change })
  const ann = { ...unknownContact(1, 9), facts: { ...unknownContact(1, 9).facts, name: 'Ann' } }

  test('see the contact as it is now, and none that was deleted', () => {
    const isAnn = ({ contact }: Situation) => contact?.name === 'Ann'
    expect(seeing(isAnn, { contact: ann })).toBe(true)
    expect(seeing(isAnn, { contact: null })).toBe(false)
    expect(seeing(isAnn, { contact: { ...ann, deletedAt: µs(150) } })).toBe(false)
  })

  test('see no message where the row has none', () => {
    expect(seeing(({ message: seen }: Situation) => seen === null, { message })).toBe(true)
  })

  test('see neither a change nor another time than that of the judgement', () => {
    const clock = ({ changed, now, timeZone }: Situation) => changed === null && now === 200 && timeZone === 'UTC'
    expect(seeing(clock, {})).toBe(true)
  })

  test('never hold without a rule or a conversation', () => {
    expect(conditionsHold({ ...base, rule: null })).toBe(false)
    expect(conditionsHold({ ...base, conversation: null })).toBe(false)
  })
})

test('an immediate row is not asked for its episode, even where the conversation is gone', () => {
  const immediate = { ...base, row: { ...base.row, episodeKey: 'event:e1' }, conversation: null }
  const failing = askGuards(immediate).filter(({ passed }) => !passed)
  expect(failing.map(({ guard }) => guard)).toEqual(['conversation'])
})
