import { type RetentionJob, retentionJob } from '@dwell/contracts/jobs'
import { type RetentionDependencies, runRetention } from '../retention/run-retention'
import type { Workload } from './workload'

/** Deletes what ended more than 30 days ago. Triggered daily; running it twice deletes nothing twice. */
export function createRetentionWorkload(deps: RetentionDependencies): Workload<RetentionJob> {
  return {
    queue: 'retention',
    payload: retentionJob,
    concurrency: 1,
    async process(_payload, { signal, log }) {
      const pruned = await runRetention(deps, signal)
      log(JSON.stringify(pruned))
      return pruned
    },
  }
}
