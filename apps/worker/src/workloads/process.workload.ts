import { type ProcessJob, processJob } from '@dwell/contracts/jobs'
import DataLoader from 'dataloader'
import type { ProcessOutcome } from '../process/outcome'
import { type ProcessDependencies, processBatch } from '../process/process-batch'
import type { Workload } from './workload'

/** More per statement gains nothing and holds row locks longer. */
const MAX_BATCH = 500

/**
 * Ends one claimed row. Triggered by a sweep, or by ingest for immediate rules. Idempotent by the claim token. Outcomes:
 * executed, skipped with a reason, released (switched off for now), lost (another has it). Run again for a row that has
 * ended it answers `already …`; for one that waits and is due, or whose claim has expired, it claims anew and runs.
 *
 * Jobs of one turn of the event loop share their statements: three round trips per batch instead of per row.
 */
export function createProcessWorkload(deps: ProcessDependencies, concurrency: number): Workload<ProcessJob> {
  const loader = new DataLoader<ProcessJob, ProcessOutcome, ProcessJob>(
    (jobs) =>
      processBatch(
        deps,
        jobs.map((job) => ({ id: job.pending_execution_id, claimToken: job.claim_token })),
      ),
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (run) => setImmediate(run) },
  )
  return {
    queue: 'process',
    payload: processJob,
    concurrency,
    async process(job) {
      const result = await loader.load(job)
      return 'reason' in result ? `${result.outcome}: ${result.reason}` : result.outcome
    },
  }
}
