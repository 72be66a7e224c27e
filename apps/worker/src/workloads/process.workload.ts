import { type ProcessJob, processJob } from '@dwell/contracts/jobs'
import type { Tracing } from '@dwell/runtime/tracing'
import { Coalescer } from '../process/coalescer'
import type { JobClaim } from '../process/hold-claims'
import type { ProcessOutcome } from '../process/outcome'
import { type ProcessDependencies, processBatch } from '../process/process-batch'
import type { Workload } from './workload'

/** More per statement gains nothing and holds row locks longer. */
const MAX_BATCH = 500
/** While one waits for the database the jobs of the other are fetched; more would only be smaller. */
const BATCHES_AT_ONCE = 2

/**
 * Ends one claimed row. Triggered by a sweep, or by ingest for immediate rules. Idempotent by the claim token. Outcomes:
 * executed, skipped with a reason, released (switched off for now), lost (another has it). Run again for a row that has
 * ended it answers `already …`; for one that waits and is due, or whose claim has expired or is that of this job's failed try, it claims anew and runs.
 *
 * Jobs of one turn of the event loop share their statements: three round trips per batch instead of per row.
 */
export function createProcessWorkload(
  deps: ProcessDependencies,
  concurrency: number,
  tracing: Tracing,
): Workload<ProcessJob> {
  const traced = (claims: readonly JobClaim[]) =>
    tracing.span('process batch', { kind: 'consumer', attributes: { 'dwell.rows': claims.length } }, (span) =>
      processBatch({ ...deps, onJudge: (row) => span.link(row.traceparent) }, claims),
    )
  const run = tracing.on ? traced : (claims: readonly JobClaim[]) => processBatch(deps, claims)
  const batches = new Coalescer<JobClaim, ProcessOutcome>(run, {
    batchSize: MAX_BATCH,
    batchesAtOnce: BATCHES_AT_ONCE,
  })
  return {
    queue: 'process',
    payload: processJob,
    concurrency,
    async process(job, { repeated }) {
      const result = await batches.do({ id: job.pending_execution_id, claimToken: job.claim_token, repeated })
      return 'reason' in result ? `${result.outcome}: ${result.reason}` : result.outcome
    },
  }
}
