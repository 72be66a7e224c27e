import { formatInstant, type Micros } from '@dwell/contracts/instant'
import type { ExplainedCondition } from './conditions'
import { awaitingAgentKey, awaitingAgentSince, episodeKindOf, eventKey, replyChaseKey, statusKey } from './episode'
import { askGuards, conditionsHold, explainConditions, type FireSituation, type GuardAnswer } from './guards'
import { isArmed, type PendingExecution } from './pending-execution'
import type { MessagePlace } from './projection'
import { sentenceOf } from './why-sentences'

/** A rule and a conversation as they are now. */
export interface WhyInput extends Omit<FireSituation, 'row'> {
  readonly accountId: number
  readonly ruleId: number
  readonly conversationId: number
  /** Whether `message` is the one that was asked for, rather than that of the row. */
  readonly messageAsked: boolean
  /** The rule's rows of this conversation, the newest first. */
  readonly rows: readonly PendingExecution[]
}

export type WhyOutcome =
  /** It did act in the present episode. */
  | 'executed'
  /** Armed, nothing is in the way, its time has not come. */
  | 'waits'
  /** Armed and due, nothing is in the way. */
  | 'due'
  /** Armed, but held back as long as something is switched off. */
  | 'held'
  /** Armed, and would be skipped if its time came now. */
  | 'would_skip'
  /** The row of the present episode was skipped. */
  | 'skipped'
  /** No row waits: no event has armed one. */
  | 'not_armed'

export interface WhyStep extends Pick<GuardAnswer, 'guard' | 'passed' | 'seen'> {
  /** One sentence for people. */
  readonly detail: string
}

/** Episode of the judged row, or the one that an event would arm now. */
export interface WhyEpisode {
  readonly key: string | null
  /** Where the clock would run from; null where only the next event tells. Of a row: due_at less the present delay. */
  readonly clockStartsAt: Micros | null
  readonly dueAt: Micros | null
}

export interface Why {
  readonly outcome: WhyOutcome
  readonly sentence: string
  /** Id of the row that was judged; null when it was what an event would arm now. */
  readonly judged: number | null
  readonly steps: readonly WhyStep[]
  readonly conditions: readonly ExplainedCondition[]
  readonly episode: WhyEpisode
}

/** Walks the whole guard chain for a rule and a conversation as they are now, and says in words what it means. */
export function explainWhy(input: WhyInput): Why {
  const present = presentEpisode(input)
  const row = judgedRow(input, present.key)
  const judged = row ?? supposedRow(input, present)
  const anchor = input.messageAsked ? (placeOf(input.message) ?? judged.anchor) : judged.anchor
  const situation: FireSituation = { ...input, row: { ...judged, anchor: judged.anchor === null ? null : anchor } }
  const answers = row === null ? askGuards(situation).map((answer) => unarmed(answer, situation)) : askGuards(situation)
  const failed = answers.find(({ passed }) => !passed) ?? null
  const outcome = outcomeOf(input, row, failed)
  return {
    outcome,
    sentence: sentenceOf({ outcome, row, failed, input }),
    judged: row?.id ?? null,
    steps: answers.map(({ guard, passed, seen }) => ({
      guard,
      passed,
      seen,
      detail: detailOf(guard, situation, passed),
    })),
    conditions: explainConditions(situation),
    episode: row === null ? present : episodeOfRow(row, input),
  }
}

/** Conditions of an immediate rule are judged on the event; where none came they are what people ask about. */
function unarmed(answer: GuardAnswer, situation: FireSituation): GuardAnswer {
  if (answer.guard !== 'conditions' || conditionsHold(situation)) return answer
  return { ...answer, passed: false, verdict: 'conditions_changed' }
}

/** What is armed comes first, then the row of the present episode, then the youngest. */
function judgedRow(input: WhyInput, presentKey: string | null): PendingExecution | null {
  const { rows, rule, message } = input
  const present = rows.find(({ episodeKey }) => episodeKey === presentKey)
  if (input.messageAsked && rule?.eventName === 'message_created') {
    return rows.find(({ anchor }) => anchor !== null && anchor.id === message?.id) ?? present ?? null
  }
  const immediate = rule !== null && rule.delay === null ? rows[0] : undefined
  return rows.find(isArmed) ?? present ?? immediate ?? null
}

function outcomeOf({ now }: WhyInput, row: PendingExecution | null, failed: GuardAnswer | null): WhyOutcome {
  if (row === null) return 'not_armed'
  if (row.status === 'executed') return 'executed'
  if (row.status === 'skipped') return 'skipped'
  if (failed !== null) return failed.verdict === 'release' ? 'held' : 'would_skip'
  return row.dueAt > now ? 'waits' : 'due'
}

function episodeOfRow(row: PendingExecution, { rule }: WhyInput): WhyEpisode {
  const delay = rule?.delay ?? 0
  return { key: row.episodeKey, clockStartsAt: (row.dueAt - delay) as Micros, dueAt: row.dueAt }
}

/** The episode that the next event, or the message at hand, would arm. */
function presentEpisode({ rule, conversation, message }: WhyInput): WhyEpisode {
  const none = { key: null, clockStartsAt: null, dueAt: null }
  if (rule === null || rule.delay === null || conversation === null) return none
  const from = (key: string, start: Micros | null): WhyEpisode => ({
    key,
    clockStartsAt: start,
    dueAt: start === null || rule.delay === null ? null : ((start + rule.delay) as Micros),
  })
  if (rule.eventName !== 'message_created') {
    const { facts } = conversation
    return from(statusKey(facts), rule.conditions.onlyStatusAndInbox ? facts.status_changed_at : null)
  }
  const anchor = placeOf(message)
  if (message === null || anchor === null) return none
  if (message.facts.message_type === 'incoming') {
    const since = awaitingAgentSince(conversation.facts, anchor.createdAt)
    return from(awaitingAgentKey(since), since)
  }
  return from(replyChaseKey(conversation.recentIncoming, anchor), anchor.createdAt)
}

/** What an event would arm now, to put the guards' questions to. */
function supposedRow(input: WhyInput, present: WhyEpisode): PendingExecution {
  const immediate = input.rule !== null && input.rule.delay === null
  const messageRule = input.rule?.eventName === 'message_created'
  const anchor = messageRule ? (placeOf(input.message) ?? { createdAt: input.now, id: 0 }) : null
  const keyNow =
    anchor !== null && input.conversation !== null
      ? replyChaseKey(input.conversation.recentIncoming, anchor)
      : 'status:0'
  return {
    id: null,
    accountId: input.accountId,
    ruleId: input.ruleId,
    conversationId: input.conversationId,
    episodeKey: immediate ? eventKey('?') : (present.key ?? keyNow),
    status: 'pending',
    skipReason: null,
    dueAt: present.dueAt ?? input.now,
    anchor,
    armedAt: input.now,
    traceparent: null,
  }
}

function placeOf(message: WhyInput['message']): MessagePlace | null {
  const createdAt = message?.facts.created_at ?? null
  return message === null || createdAt === null ? null : { createdAt, id: message.id }
}

const DETAILS: Readonly<Record<GuardAnswer['guard'], (situation: FireSituation, passed: boolean) => string>> = {
  kill_switch: ({ killSwitch }) =>
    killSwitch
      ? 'Delayed automations are switched off for the whole installation (DISABLE_DELAYED_AUTOMATIONS).'
      : 'Delayed automations are not switched off.',
  rule: ({ rule }, passed) => {
    if (rule === null) return 'The rule is gone.'
    if (!rule.active) return 'The rule is switched off.'
    if (!passed) return 'The rule has been changed since: it waits no longer, or for another kind of event.'
    return rule.conditions.broken.length > 0
      ? 'The rule is on, but broken: a condition asks about a custom attribute that no longer exists.'
      : 'The rule is on.'
  },
  flag: ({ delayedAutomations, whenDisabled }, passed) => {
    if (delayedAutomations) return 'The account has the feature delayed automations.'
    if (passed) return 'The feature delayed automations is off; a rule without a delay does not need it.'
    return whenDisabled === 'pause'
      ? 'The feature delayed automations is off for this account; what waits is kept until it returns.'
      : 'The feature delayed automations is off for this account; what waits is skipped.'
  },
  conversation: ({ conversation }) => {
    if (conversation === null) return 'No event has told of this conversation yet.'
    return conversation.deletedAt === null
      ? 'The conversation is known.'
      : `The conversation was deleted at ${formatInstant(conversation.deletedAt)}.`
  },
  episode: ({ row }, passed) => {
    if (episodeKindOf(row.episodeKey) === 'event') return 'A rule without a delay acts on the event itself.'
    return passed
      ? 'What it waits for still goes on: nothing has ended this stretch.'
      : 'What it waited for has ended: the status changed, somebody answered, or the customer wrote again.'
  },
  conditions: (situation, passed) => {
    if (passed) return 'The conditions hold.'
    if (situation.row.anchor !== null && situation.message === null)
      return 'No message is known that it could ask about.'
    if (situation.message?.deletedAt != null) return 'The message that triggered it was deleted.'
    return 'The conditions do not hold now.'
  },
}

function detailOf(guard: GuardAnswer['guard'], situation: FireSituation, passed: boolean): string {
  return DETAILS[guard](situation, passed)
}
