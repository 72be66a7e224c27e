import type { Micros } from '@dwell/contracts/instant'
import type { SkipReason } from '@dwell/contracts/pending-execution'
import type { CompiledRule } from './compiled-rule'
import { episodeKindOf, isEpisodeCurrent } from './episode'
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
}

export type Judgement =
  | { readonly outcome: 'execute'; readonly rule: CompiledRule; readonly guards: readonly GuardStep[] }
  | { readonly outcome: 'skip'; readonly reason: SkipReason; readonly guards: readonly GuardStep[] }
  /** Back to pending: switched off for now, not for good. */
  | { readonly outcome: 'release'; readonly guards: readonly GuardStep[] }

type Verdict = 'pass' | 'release' | SkipReason

/**
 * The guard chain in the seed's order; the first guard that fails names the reason. Immediate rows (`event:`) were judged
 * on their event: for them only the rule and the conversation must still be there.
 */
export function judge(situation: FireSituation): Judgement {
  const guards: GuardStep[] = []
  for (const guard of GUARDS) {
    const verdict = isImmediate(situation.row) && IMMEDIATE_PASSES.has(guard) ? 'pass' : CHAIN[guard](situation)
    guards.push({ guard, passed: verdict === 'pass' })
    if (verdict === 'pass') continue
    return verdict === 'release' ? { outcome: 'release', guards } : { outcome: 'skip', reason: verdict, guards }
  }
  return situation.rule === null
    ? { outcome: 'skip', reason: 'rule_inactive', guards }
    : { outcome: 'execute', rule: situation.rule, guards }
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

function conditionsHold({ rule, row, conversation, contact, message, now, timeZone }: FireSituation): boolean {
  if (rule === null || conversation === null) return false
  if (row.anchor !== null && (message === null || message.deletedAt !== null)) return false
  return rule.conditions.matches({
    conversation: conversation.facts,
    contact: contact === null || contact.deletedAt !== null ? null : contact.facts,
    message: row.anchor === null ? null : (message?.facts ?? null),
    changed: null,
    now,
    timeZone,
  })
}
