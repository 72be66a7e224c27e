import { STEP_STATUSES } from '@dwell/contracts/automations'
import { UnknownStepStatusError } from '@dwell/domain/automations/classification'

const KNOWN = STEP_STATUSES.map((status) => `'${status}'`).join(', ')

/**
 * Steps that the partial index `automation_steps_unknown_idx` holds, under the alias `s`: none, unless somebody dropped the
 * constraint. Words of ours, so they may stand in the text of a statement; parameters would not match the index.
 */
export const IS_UNKNOWN = `s.status NOT IN (${KNOWN})`

/** @throws UnknownStepStatusError where a statement has found such a step */
export function refuseUnknown(status: string | null): void {
  if (status !== null) throw new UnknownStepStatusError(status)
}
