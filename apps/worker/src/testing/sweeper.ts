import type { ClaimedExecution } from '@dwell/database/pending-executions/claim'
import { runSweep, type SweepDependencies } from '../sweep/run-sweep'
import type { WorkerParts } from './worker-parts'

/** Runs sweeps whose jobs the test gets instead of a queue, in the order in which they were enqueued. */
export function sweeper(worker: WorkerParts) {
  return async (overrides: Partial<SweepDependencies> = {}, trigger: 'schedule' | 'wake' = 'schedule') => {
    const jobs: ClaimedExecution[] = []
    const sweep = await runSweep(
      {
        pool: worker.pool,
        clock: worker.clock,
        relay: worker.relay,
        enqueue: async (claims) => void jobs.push(...claims),
        sweepSteps: async () => [],
        enqueueDeliveries: async () => undefined,
        logger: worker.logger,
        metrics: worker.metrics,
        ...overrides,
      },
      trigger,
    )
    return { ...sweep, jobs }
  }
}
