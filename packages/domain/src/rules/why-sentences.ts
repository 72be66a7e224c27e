import { formatInstant } from '@dwell/contracts/instant'
import type { SkipReason } from '@dwell/contracts/pending-execution'
import type { CompiledRule } from './compiled-rule'
import type { GuardAnswer } from './guards'
import { isRearmable, type PendingExecution } from './pending-execution'
import type { WhyOutcome } from './why'

const REASONS: Readonly<Record<SkipReason, string>> = {
  rule_inactive: 'the rule was switched off',
  rule_changed: 'the rule was changed so that it no longer waits for this',
  flag_disabled: 'the feature delayed automations was off for the account',
  conversation_gone: 'the conversation was deleted',
  episode_moved: 'what it waited for had ended: the status changed, somebody answered, or the customer wrote again',
  conditions_changed: 'the conditions no longer held when its time came',
  expired: 'it was due more than three days before anything could run it',
}

const OBSTACLES: Readonly<Record<GuardAnswer['guard'], string>> = {
  kill_switch: 'delayed automations are switched off for the whole installation',
  rule: 'the rule is off, gone, or waits for something else now',
  flag: 'the feature delayed automations is off for this account',
  conversation: 'the conversation is unknown or deleted',
  episode: 'what it waits for has ended',
  conditions: 'its conditions do not hold now',
}

/** The verdict in words a support person understands. */
export function sentenceOf(why: {
  readonly outcome: WhyOutcome
  readonly row: PendingExecution | null
  readonly failed: GuardAnswer | null
  readonly input: { readonly rule: CompiledRule | null; readonly rows: readonly PendingExecution[] }
}): string {
  const { row, failed, input } = why
  const obstacle = failed === null ? '' : OBSTACLES[failed.guard]
  const due = row === null ? '' : formatInstant(row.dueAt)
  switch (why.outcome) {
    case 'executed':
      return 'It did fire, and acts once for each such stretch. See the deliveries for what became of its actions.'
    case 'waits':
      return `It is waiting: nothing is in its way, and it is due at ${due}.`
    case 'due':
      return row?.status === 'processing'
        ? 'It is being carried out at this moment.'
        : `It has been due since ${due}; the next sweep carries it out.`
    case 'held':
      return `It is held back, because ${obstacle}. It goes on when that changes.`
    case 'would_skip':
      return `It is armed for ${due}, but would not act, because ${obstacle}.`
    case 'skipped': {
      const reason = row?.skipReason == null ? 'it was skipped' : REASONS[row.skipReason]
      const again = row !== null && isRearmable(row) ? 'A newer event that matches arms it again.' : 'That is final.'
      return `It did not fire, because ${reason}. ${again}`
    }
    case 'not_armed':
      return [notArmed(obstacle, input.rule), lastTime(input.rows[0])].filter((part) => part !== '').join(' ')
  }
}

function notArmed(obstacle: string, rule: CompiledRule | null): string {
  if (obstacle !== '') return `Nothing waits for this conversation, and ${obstacle}.`
  return rule !== null && rule.delay !== null
    ? 'Nothing waits for this conversation: no event has armed the rule in this stretch. The next one that matches does.'
    : 'It has not acted here: no event has matched. The next one of its kind is judged by itself.'
}

function lastTime(row: PendingExecution | undefined): string {
  if (row === undefined) return ''
  if (row.status === 'executed') return 'In an earlier stretch it did fire.'
  return row.skipReason === null ? '' : `The last time it waited it did not fire, because ${REASONS[row.skipReason]}.`
}
