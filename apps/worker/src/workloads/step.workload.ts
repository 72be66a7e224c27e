import { type StepJob, stepJob } from '@dwell/contracts/jobs'
import { runStep, type StepDependencies } from '../steps/run-step'
import type { Workload } from './workload'

/**
 * Carries out one step of an automation. Triggered by every sweep for what is ready. Idempotent by the lock token and the
 * send record: run again it answers `lost`.
 */
export function createStepWorkload(deps: StepDependencies, concurrency: number): Workload<StepJob> {
  return {
    queue: 'step',
    payload: stepJob,
    concurrency,
    process: (job, { signal }) => runStep(deps, { id: job.step_id, lockToken: job.lock_token }, signal),
  }
}
