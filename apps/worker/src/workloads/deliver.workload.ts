import { type DeliverJob, deliverJob } from '@dwell/contracts/jobs'
import { type AttemptDependencies, attemptDelivery } from '../outbox/attempt-delivery'
import type { Workload } from './workload'

/**
 * Makes one attempt of one delivery to a slow target. Triggered by the row's execution and by every sweep for what is due.
 * When the next attempt is due stands in Postgres; a job that comes too early, or twice, finds nothing due.
 */
export function createDeliverWorkload(
  deps: AttemptDependencies & { readonly bringWakeForward: () => Promise<void> },
  concurrency: number,
): Workload<DeliverJob> {
  return {
    queue: 'deliver',
    payload: deliverJob,
    concurrency,
    async process({ delivery_id: id }, { signal }) {
      const result = await attemptDelivery(deps, id, signal)
      if (result.outcome === 'retry') await deps.bringWakeForward()
      return result
    },
  }
}
