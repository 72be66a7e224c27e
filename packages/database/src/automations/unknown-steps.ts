import { STEP_STATUSES } from '@dwell/contracts/automations'
import { UnknownStepStatusError } from '@dwell/domain/automations/classification'

const KNOWN = STEP_STATUSES.map((status) => `'${status}'`).join(', ')

/**
 * Steps (`run_id`, `status`) that the partial index `automation_steps_unknown_idx` holds: none, unless somebody dropped the
 * constraint. Words of ours, so they may stand in the text of a statement; parameters would not match the index. The planner
 * takes a tenth of all steps for unknown ones and would read the table until it meets the first; in this order it goes by the
 * index, which is empty.
 *
 * @param automation the parameter that holds the automation's id
 */
export function unknownSteps(automation: `$${number}`): string {
  return `SELECT run_id, status FROM automation_steps WHERE automation_id = ${automation} AND status NOT IN (${KNOWN})
      ORDER BY automation_id, run_id OFFSET 0`
}

/** @throws UnknownStepStatusError where a statement has found such a step */
export function refuseUnknown(status: string | null): void {
  if (status !== null) throw new UnknownStepStatusError(status)
}
