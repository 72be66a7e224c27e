import { type SettleJob, settleJob } from '@dwell/contracts/jobs'
import { recountSteps } from '@dwell/database/sweeps'
import { type RetentionDependencies, runRetention } from '../retention/run-retention'
import { awaitSteps, type StepSweepDependencies } from '../steps/sweep-steps'
import { type AwaitDependencies, awaitWork } from '../sweep/await-work'
import { createCountsMerger } from '../sweep/merge-counts'
import type { Workload } from './workload'

/** Requests that one worker waits for at once; waiting costs a look at the database every few milliseconds. */
const CONCURRENCY = 20

/**
 * Waits until all that a requested sweep started has come to an end, and answers the summary. Triggered by that sweep, under
 * the id of its request. It only looks, so a replay or a second worker does no harm.
 */
export function createSettleWorkload(
  deps: AwaitDependencies & StepSweepDependencies & RetentionDependencies,
): Workload<SettleJob> {
  const mergeCounts = createCountsMerger(deps)
  return {
    queue: 'settle',
    payload: settleJob,
    concurrency: CONCURRENCY,
    async process(job, { signal, log }) {
      const claims = job.claims.flatMap(({ claim_token: claimToken, ids }) => ids.map((id) => ({ id, claimToken })))
      await awaitWork(deps, { claims, deliveryIds: job.deliveries }, signal)
      const first = job.steps.map(({ id, lock_token: lockToken }) => ({ id, lockToken }))
      const steps = await awaitSteps(deps, first, signal)
      // What has not ended must not be answered for: whoever asked is told to ask again.
      signal.throwIfAborted()
      if (job.sweep_id !== null && steps > job.summary.steps) await recountSteps(deps.pool, job.sweep_id, steps)
      await mergeCounts('request')
      if (job.retention === true) await runRetention(deps, signal)
      const summary = { ...job.summary, steps }
      log(JSON.stringify(summary))
      return summary
    },
  }
}
