import type { Fault } from '@dwell/contracts/rule'
import { StatisticsTimeoutError } from '@dwell/database/automations/snapshot'
import { UnknownStepStatusError } from '@dwell/domain/automations/classification'
import { BrokenHistoryError } from '@dwell/domain/automations/run-history'
import { invalid, Problem } from './problem'

/** What statistics may answer besides what every endpoint may. */
export const STATISTICS_PROBLEMS = {
  500: 'The record contradicts itself (`unknown_step_status`, `broken_history`) or cannot be read: nothing is answered.',
  503: 'It took longer than it may (`statistics_timeout`), or a store does not answer.',
} as const

/** Runs a reading of statistics: it succeeds as a whole, or fails with a problem that says why. */
export async function answeredAsWhole<T>(reading: () => Promise<T>): Promise<T> {
  try {
    return await reading()
  } catch (error) {
    if (error instanceof UnknownStepStatusError || error instanceof BrokenHistoryError)
      throw new Problem(500, error.code, `The record of this automation is broken: ${error.message}.`)
    if (error instanceof StatisticsTimeoutError)
      throw new Problem(503, error.code, 'This took longer than it may. A shorter range of dates may help.')
    throw error
  }
}

/** Faults of query parameters, which are named like keys of a body. */
export function invalidParameters(faults: readonly Fault[]): Problem {
  return invalid(faults.map((fault) => ({ ...fault, pointer: `/${fault.pointer}` })))
}
