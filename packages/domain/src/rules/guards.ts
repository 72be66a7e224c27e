import { formatOptionalInstant, MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'
import type { SkipReason } from '@dwell/contracts/pending-execution'
import type { CompiledRule } from './compiled-rule'
import type { ExplainedCondition, Situation } from './conditions'
import { episodeKindOf, isEpisodeCurrent, presentKey } from './episode'
import type { PendingExecution } from './pending-execution'
import type { ProjectedContact, ProjectedConversation, ProjectedMessage } from './projection'

/** What is known when a row's time has come. */
export interface FireSituation {
  readonly row: PendingExecution
  /** Installation setting DISABLE_DELAYED_AUTOMATIONS. */
  readonly killSwitch: boolean
  /** Null when deleted. */
  readonly rule: CompiledRule | null
  readonly delayedAutomations: boolean
  readonly whenDisabled: 'skip' | 'pause'
  readonly conversation: ProjectedConversation | null
  readonly contact: ProjectedContact | null
  readonly message: ProjectedMessage | null
  readonly now: Micros
  readonly timeZone: string
}

export const GUARDS = ['kill_switch', 'rule', 'flag', 'conversation', 'episode', 'conditions'] as const
export type Guard = (typeof GUARDS)[number]

/** `outcome` of the guards up to the first that failed; kept with the row and shown as the answer to "why". */
export interface GuardStep {
  readonly guard: Guard
  readonly passed: boolean
  /** What the guard looked at; small, as it is kept with the row where the guard failed. Instants are ISO. */
  readonly seen?: Readonly<Record<string, unknown>>
}

/** One guard's answer together with what it saw. */
export interface GuardAnswer extends Required<GuardStep> {
  readonly verdict: Verdict
}

export type Judgement =
  | { readonly outcome: 'execute'; readonly rule: CompiledRule; readonly guards: readonly GuardStep[] }
  | { readonly outcome: 'skip'; readonly reason: SkipReason; readonly guards: readonly GuardStep[] }
  /** Back to pending: switched off for now, not for good. */
  | { readonly outcome: 'release'; readonly guards: readonly GuardStep[] }

export type Verdict = 'pass' | 'release' | SkipReason

/**
 * The guard chain in the seed's order; the first guard that fails names the reason. Immediate rows (`event:`) were judged
 * on their event: for them only the rule and the conversation must still be there.
 */
export function judge(situation: FireSituation): Judgement {
  const guards: GuardStep[] = []
  for (const guard of GUARDS) {
    const verdict = ask(guard, situation)
    if (verdict === 'pass') {
      guards.push({ guard, passed: true })
      continue
    }
    guards.push({ guard, passed: false, seen: SEEN[guard](situation) })
    return verdict === 'release' ? { outcome: 'release', guards } : { outcome: 'skip', reason: verdict, guards }
  }
  return situation.rule === null
    ? { outcome: 'skip', reason: 'rule_inactive', guards }
    : { outcome: 'execute', rule: situation.rule, guards }
}

/** Every guard's answer, also of those after the first that fails: for people who ask why. Decides nothing. */
export function askGuards(situation: FireSituation): GuardAnswer[] {
  return GUARDS.map((guard) => {
    const verdict = ask(guard, situation)
    return { guard, verdict, passed: verdict === 'pass', seen: SEEN[guard](situation) }
  })
}

/** Each condition with what it sees in this situation; none where there is nothing to look at. */
export function explainConditions(situation: FireSituation): readonly ExplainedCondition[] {
  const seen = situationOf(situation)
  return situation.rule === null || seen === null ? [] : situation.rule.conditions.explain(seen)
}

function ask(guard: Guard, situation: FireSituation): Verdict {
  return isImmediate(situation.row) && IMMEDIATE_PASSES.has(guard) ? 'pass' : CHAIN[guard](situation)
}

const IMMEDIATE_PASSES: ReadonlySet<Guard> = new Set(['kill_switch', 'flag', 'episode', 'conditions'])

const CHAIN: Readonly<Record<Guard, (situation: FireSituation) => Verdict>> = {
  kill_switch: ({ killSwitch }) => (killSwitch ? 'release' : 'pass'),
  rule: ({ rule, row }) => {
    if (rule === null || !rule.active) return 'rule_inactive'
    return isImmediate(row) || stillWaits(rule, row) ? 'pass' : 'rule_changed'
  },
  flag: ({ delayedAutomations, whenDisabled }) => {
    if (delayedAutomations) return 'pass'
    return whenDisabled === 'pause' ? 'release' : 'flag_disabled'
  },
  conversation: ({ conversation }) =>
    conversation === null || conversation.deletedAt !== null ? 'conversation_gone' : 'pass',
  episode: ({ row, conversation }) =>
    conversation !== null && isEpisodeCurrent(row.episodeKey, row.anchor, row.armedAt, conversation)
      ? 'pass'
      : 'episode_moved',
  conditions: (situation) => (conditionsHold(situation) ? 'pass' : 'conditions_changed'),
}

function isImmediate(row: PendingExecution): boolean {
  return episodeKindOf(row.episodeKey) === 'event'
}

/** The rule still has a delay and still listens to the kind of event that armed the row. */
function stillWaits(rule: CompiledRule, row: PendingExecution): boolean {
  return rule.delay !== null && (rule.eventName === 'message_created') === (row.anchor !== null)
}

const SEEN: Readonly<Record<Guard, (situation: FireSituation) => Readonly<Record<string, unknown>>>> = {
  kill_switch: ({ killSwitch }) => ({ DISABLE_DELAYED_AUTOMATIONS: killSwitch }),
  rule: ({ rule }) =>
    rule === null
      ? { known: false }
      : {
          known: true,
          active: rule.active,
          event_name: rule.eventName,
          execution_delay: rule.delay === null ? null : rule.delay / MICROS_PER_MINUTE,
          broken: rule.conditions.broken.length > 0,
        },
  flag: ({ delayedAutomations, whenDisabled }) => ({
    delayed_automations: delayedAutomations,
    when_disabled: whenDisabled,
  }),
  conversation: ({ conversation }) => ({
    known: conversation !== null,
    deleted_at: formatOptionalInstant(conversation?.deletedAt ?? null),
  }),
  episode: ({ row, conversation }) => ({
    row: row.episodeKey,
    now: conversation === null ? null : presentKey(row.episodeKey, row.anchor, conversation),
  }),
  conditions: (situation) => ({
    message: situation.row.anchor === null ? null : messageState(situation.message),
    results: explainConditions(situation).map(({ result }) => result),
  }),
}

function messageState(message: ProjectedMessage | null): 'known' | 'unknown' | 'deleted' {
  if (message === null) return 'unknown'
  return message.deletedAt === null ? 'known' : 'deleted'
}

/** The triggering message is still there and the present conditions hold. */
export function conditionsHold(situation: FireSituation): boolean {
  const { rule, row, message } = situation
  if (row.anchor !== null && messageState(message) !== 'known') return false
  const seen = situationOf(situation)
  return rule !== null && seen !== null && rule.conditions.matches(seen)
}

function situationOf({ row, conversation, contact, message, now, timeZone }: FireSituation): Situation | null {
  if (conversation === null) return null
  return {
    conversation: conversation.facts,
    contact: contact === null || contact.deletedAt !== null ? null : contact.facts,
    message: row.anchor === null ? null : (message?.facts ?? null),
    changed: null,
    now,
    timeZone,
  }
}
