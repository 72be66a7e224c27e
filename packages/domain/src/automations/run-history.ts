import type { ActionData, AutomationActionType, EndReason } from '@dwell/contracts/automations'
import { formatMilliseconds, formatOptionalMilliseconds, type Micros } from '@dwell/contracts/instant'
import { classifyRun, knownStatus } from './classification'

/** A recorded step, with the content of the revision it was queued with. */
export interface RecordedStep {
  readonly id: string
  readonly revisionId: string
  /** As stored: may be anything. */
  readonly status: string
  readonly createdAt: Micros
  readonly updatedAt: Micros
  readonly readyAt: Micros
  readonly startedAt: Micros | null
  readonly finishedAt: Micros | null
  /** Earliest of its send records. */
  readonly emailSentAt: Micros | null
  readonly emailDeliveredAt: Micros | null
  /** Null where the revision or its content is missing. */
  readonly action: { readonly id: string; readonly type: AutomationActionType; readonly data: ActionData | null } | null
}

export interface RecordedRun {
  readonly id: string
  readonly automationId: string
  readonly createdAt: Micros
  readonly endedAt: Micros | null
  readonly endReason: EndReason | null
  /** Present details; null once the member is deleted. */
  readonly member: RunMember | null
  readonly steps: readonly RecordedStep[]
}

export interface RunMember {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
}

/** The record contradicts itself: the request fails as a whole, nothing is made up. automations.md section 12. */
export class BrokenHistoryError extends Error {
  readonly code = 'broken_history'
}

/**
 * `automation_run_history`: exactly the recorded steps in order of creation, then id. Nothing of the present path, no later
 * steps, nobody else's identity.
 *
 * @throws BrokenHistoryError without steps, revision, content or end of a terminal step
 * @throws UnknownStepStatusError
 */
export function runHistory(run: RecordedRun) {
  const steps = [...run.steps].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const classification = classifyRun(steps.map((step) => step.status))
  if (classification === null) throw new BrokenHistoryError('the run has no steps')
  return {
    id: run.id,
    automation_id: run.automationId,
    created_at: formatMilliseconds(run.createdAt),
    member: run.member,
    ...classification,
    ended_at: formatOptionalMilliseconds(run.endedAt),
    end_reason: run.endReason,
    steps: steps.map(answeredStep),
  }
}

function answeredStep(step: RecordedStep) {
  const status = knownStatus(step.status)
  const { action } = step
  if (status !== 'pending' && step.finishedAt === null) {
    throw new BrokenHistoryError(`step ${step.id} has ended, but nobody knows when`)
  }
  if (action === null || action.data === null) throw new BrokenHistoryError(`step ${step.id} has lost its content`)
  return {
    id: step.id,
    automation_action_revision_id: step.revisionId,
    status,
    created_at: formatMilliseconds(step.createdAt),
    updated_at: formatMilliseconds(step.updatedAt),
    ready_at: formatMilliseconds(step.readyAt),
    started_at: formatOptionalMilliseconds(step.startedAt),
    finished_at: formatOptionalMilliseconds(step.finishedAt),
    email_sent_at: formatOptionalMilliseconds(step.emailSentAt),
    email_delivered_at: formatOptionalMilliseconds(step.emailDeliveredAt),
    action: { id: action.id, type: action.type, data: action.data },
  }
}
