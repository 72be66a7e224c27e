import {
  type AutomationActionType,
  type AutomationStatus,
  type EndReason,
  MAX_STEP_ATTEMPTS,
  type SendStatus,
  STEP_LOCK_MINUTES,
  STEP_RETRY_MINUTES,
  type StepStatus,
  type Trigger,
} from '@dwell/contracts/automations'
import { MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'
import { statusFits, tiersFit } from './audience'
import type { RunningAutomation } from './automation'
import { acceptsEmail, isGone, type ProjectedMember } from './member'
import { type PlannedStep, planStep } from './step-plan'

/**
 * The state machine of a step. automations.md section 4; every write compares the lock token in SQL, here is only decided
 * what to write.
 */

export const LOCK_DURATION = (STEP_LOCK_MINUTES * MICROS_PER_MINUTE) as Micros
export const RETRY_DELAY = (STEP_RETRY_MINUTES * MICROS_PER_MINUTE) as Micros

export interface WaitingStep {
  readonly id: string
  readonly status: StepStatus
  readonly readyAt: Micros
  readonly createdAt: Micros
  readonly lockedAt: Micros | null
}

/** Ready and free, or held by a worker that has not been heard of for half an hour. Exactly at its time counts. */
export function isTakeable(step: WaitingStep, now: Micros): boolean {
  if (step.status !== 'pending' || step.readyAt > now) return false
  return step.lockedAt === null || step.lockedAt < now - LOCK_DURATION
}

/** The order steps are taken in. */
export function compareSteps(a: WaitingStep, b: WaitingStep): number {
  return a.readyAt - b.readyAt || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

/** When a step needs a worker next, if nothing else happens: at its time, or when its lock is over. */
export function wakeAt(step: WaitingStep): Micros | null {
  if (step.status !== 'pending') return null
  if (step.lockedAt === null) return step.readyAt
  return Math.max(step.readyAt, step.lockedAt + LOCK_DURATION + 1) as Micros
}

/** What is known when a step was taken. */
export interface StepSituation {
  /** This one included. */
  readonly attempts: number
  readonly type: AutomationActionType
  readonly automation: { readonly status: AutomationStatus; readonly trigger: Trigger }
  /** Null when the member is not known at all. */
  readonly member: ProjectedMember | null
  /** The step's send record of an earlier attempt. */
  readonly sent: SendStatus | null
}

export type StepJudgement =
  /** The step ends with this status, and the run with it. */
  | { readonly do: 'end'; readonly status: Exclude<StepStatus, 'pending' | 'finished'>; readonly error: string | null }
  | { readonly do: 'finish' }
  /** An earlier attempt may have sent the mail: never again; the record shows `unknown`. */
  | { readonly do: 'finish_unknown' }
  /** To the member's present address. */
  | { readonly do: 'send'; readonly member: ProjectedMember; readonly email: string }

/**
 * In the order of the reference; the first that holds decides. Waits are judged too, when they mature. Before all of it: a
 * mail that is out already has done its step's work, whatever became of the member or the automation since.
 */
export function judgeStep({ attempts, type, automation, member, sent }: StepSituation): StepJudgement {
  if (sent === 'sent' || sent === 'unknown') return { do: 'finish' }
  if (automation.status !== 'active') return end('automation_disabled')
  if (attempts > MAX_STEP_ATTEMPTS) return end('failed', `given up after ${MAX_STEP_ATTEMPTS} attempts`)
  if (member === null || isGone(member)) return end('member_unsubscribed')
  // An automation whose trigger was taken away has no audience anybody could fall out of.
  if (automation.trigger.scope !== null) {
    if (!statusFits(automation.trigger, member.facts)) return end('member_status_changed')
    if (!tiersFit(automation.trigger, member.facts)) return end('member_tier_changed')
  }
  if (type === 'wait') return { do: 'finish' }
  if (sent === 'sending') return { do: 'finish_unknown' }
  if (sent === 'failed') return end('failed', 'the mail was refused for good')
  if (!acceptsEmail(member)) return end('member_unsubscribed')
  if (member.facts.email === null || member.facts.email === '') return end('failed', 'the member has no e-mail address')
  return { do: 'send', member, email: member.facts.email }
}

function end(status: Exclude<StepStatus, 'pending' | 'finished'>, error: string | null = null): StepJudgement {
  return { do: 'end', status, error }
}

/** What follows a finished step: the next one, or the end of the run. */
export type Continuation =
  | { readonly next: PlannedStep; readonly endReason: null }
  | { readonly next: null; readonly endReason: EndReason }

/**
 * The next action over the present path at its latest revision; its time counts from when this step really finished.
 * `followed` is what the step remembers of the path at its own beginning: an edit that removed what came after it, or the
 * step's own action, cut the path.
 */
export function continueRun(
  step: { readonly actionId: string; readonly followed: boolean },
  automation: Pick<RunningAutomation, 'status' | 'path'>,
  finishedAt: Micros,
): Continuation {
  if (automation.status !== 'active') return { next: null, endReason: 'turned_off' }
  const position = automation.path.findIndex((action) => action.id === step.actionId)
  if (position < 0) return { next: null, endReason: 'path_cut' }
  const next = planStep(automation.path, position + 1, finishedAt)
  if (next !== null) return { next, endReason: null }
  return { next: null, endReason: step.followed ? 'path_cut' : 'completed' }
}

/** `permanent`: trying again cannot help (bad address, SMTP 5xx, content that cannot be rendered). */
export type FailureKind = 'transient' | 'permanent'

export type AfterFailure =
  /** Pending and unlocked again; attempts stay counted. */
  | { readonly do: 'retry'; readonly readyAt: Micros }
  | { readonly do: 'end'; readonly status: 'failed' | 'automation_disabled' }

export function afterFailure(
  {
    attempts,
    automation,
  }: Pick<StepSituation, 'attempts'> & { readonly automation: { readonly status: AutomationStatus } },
  kind: FailureKind,
  now: Micros,
): AfterFailure {
  if (kind === 'permanent') return { do: 'end', status: 'failed' }
  if (automation.status !== 'active') return { do: 'end', status: 'automation_disabled' }
  if (attempts >= MAX_STEP_ATTEMPTS) return { do: 'end', status: 'failed' }
  return { do: 'retry', readyAt: (now + RETRY_DELAY) as Micros }
}
