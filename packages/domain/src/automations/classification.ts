import { type EndReason, type RunStatus, STEP_STATUSES, type StepStatus } from '@dwell/contracts/automations'

/** A step carries a status that nobody knows: whatever was asked fails as a whole. automations.md section 8. */
export class UnknownStepStatusError extends Error {
  readonly code = 'unknown_step_status'

  constructor(readonly status: string) {
    super(`a step has the unknown status ${JSON.stringify(status.slice(0, 100))}`)
  }
}

export interface Classification {
  readonly status: RunStatus
  /** A detail of `exited_early`: a step's latest status is `failed`. */
  readonly failed: boolean
}

/**
 * The one rule that tells how a run stands, from the present statuses of its steps. Null without steps: such a run is left
 * out.
 *
 * @throws UnknownStepStatusError even beside a pending step
 */
export function classifyRun(statuses: readonly string[]): Classification | null {
  const known = statuses.map(knownStatus)
  if (known.length === 0) return null
  if (known.includes('pending')) return { status: 'in_progress', failed: false }
  if (known.every((status) => status === 'finished')) return { status: 'completed', failed: false }
  return { status: 'exited_early', failed: known.includes('failed') }
}

/** The same, from why the run ended: what is stored with a run and what its steps say must agree. */
export function classificationOf(endReason: EndReason | null): Classification {
  switch (endReason) {
    case null:
      return { status: 'in_progress', failed: false }
    case 'completed':
    case 'path_cut':
    case 'turned_off':
      return { status: 'completed', failed: false }
    case 'failed':
    case 'automation_disabled':
    case 'member_status_changed':
    case 'member_tier_changed':
    case 'member_unsubscribed':
      return { status: 'exited_early', failed: endReason === 'failed' }
  }
}

export function knownStatus(status: string): StepStatus {
  const known = STEP_STATUSES.find((candidate) => candidate === status)
  if (known === undefined) throw new UnknownStepStatusError(status)
  return known
}
