import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { type SettleJob, type SweepJob, sweepJob } from '@dwell/contracts/jobs'
import { nextAttemptDueAt } from '@dwell/database/deliveries/attempts'
import { nextDueAt } from '@dwell/database/pending-executions/sweep-steps'
import type { SweepTrigger } from '@dwell/database/sweeps'
import type { Wake } from '@dwell/queues/wake'
import { nextStepWake, type StepSweepDependencies, sweepSteps } from '../steps/sweep-steps'
import { createCountsMerger } from '../sweep/merge-counts'
import { runSweep, type Sweep, type SweepDependencies } from '../sweep/run-sweep'
import type { Workload } from './workload'

export type SweepWorkloadDependencies = Omit<SweepDependencies, 'sweepSteps'> &
  StepSweepDependencies & {
    /** Null under the test clock: there nothing happens by the passing of time. */
    readonly wake: Pick<Wake, 'bringForward' | 'fired'> | null
    /** Has the work of a requested sweep waited for: settle.workload.ts. */
    readonly enqueueSettling: (requestId: string, job: SettleJob) => Promise<void>
  }

const TRIGGERS: Readonly<Record<string, SweepTrigger>> = { wake: 'wake', boot: 'boot', request: 'request' }

/**
 * Runs one sweep. Triggered by the schedule, by the wake at the next due time, at boot, and by `POST /sweeps`. Two sweeps at
 * once would be harmless: each claims its own rows; so is a replay, which is one more sweep. Only one runs at a time, so it
 * never waits for what it started: of a requested one that is the business of a job in `settle`.
 */
export function createSweepWorkload(deps: SweepWorkloadDependencies): Workload<SweepJob> {
  // A wake is about what came due since: of a long queue of slow deliveries it need not ask again for every one.
  let lastSweptAt: Micros | undefined
  const mergeCounts = createCountsMerger(deps)
  return {
    queue: 'sweep',
    payload: sweepJob,
    concurrency: 1,
    async process(job, { jobId, jobName, log }) {
      const trigger = TRIGGERS[jobName] ?? 'schedule'
      if (trigger === 'wake') await deps.wake?.fired(jobId)
      const sweep = await runSweep(
        { ...deps, sweepSteps: () => sweepSteps(deps) },
        trigger,
        trigger === 'wake' ? lastSweptAt : undefined,
      )
      lastSweptAt = sweep.startedAt
      await setWake(deps, sweep)
      if (job.request_id !== undefined) await deps.enqueueSettling(job.request_id, settlingOf(sweep, job))
      else await mergeCounts(trigger)
      log(JSON.stringify(sweep.summary))
      return sweep.summary
    },
  }
}

function settlingOf(sweep: Sweep, { retention }: SweepJob): SettleJob {
  const byToken = new Map<string, number[]>()
  for (const { id, claimToken } of sweep.claims) {
    const ids = byToken.get(claimToken)
    if (ids === undefined) byToken.set(claimToken, [id])
    else ids.push(id)
  }
  return {
    ...(retention === undefined ? {} : { retention }),
    sweep_id: sweep.id,
    summary: sweep.summary,
    claims: [...byToken].map(([claim_token, ids]) => ({ claim_token, ids })),
    deliveries: sweep.deliveries.map(({ id }) => id),
    steps: sweep.steps.map(({ id, lockToken: lock_token }) => ({ id, lock_token })),
  }
}

/** What somebody held while the sweep passed is looked for again after this time: a batch of ingest is over by then. */
const PASSED_OVER_AGAIN = 250 * MICROS_PER_MILLISECOND

/**
 * The next due time, where it comes before the next tick: the only delayed job there is, however many rows wait. After a
 * sweep that reached its limit the rest waits for the next tick, and what comes due meanwhile stands behind it; under the
 * kill switch rows are not asked for at all. What was passed over is due already, so nothing else would ask for it.
 */
async function setWake(deps: SweepWorkloadDependencies, { startedAt, summary }: Sweep): Promise<void> {
  if (deps.wake === null) return
  const times = await Promise.all([
    summary.event === 'completed' && !summary.capped ? nextDueAt(deps.pool, startedAt) : null,
    nextAttemptDueAt(deps.pool, startedAt),
    nextStepWake(deps.pool, startedAt),
    summary.remaining > 0 && !summary.capped ? ((startedAt + PASSED_OVER_AGAIN) as Micros) : null,
  ])
  const next = times.filter((at) => at !== null).sort((a, b) => a - b)[0]
  if (next !== undefined) await deps.wake.bringForward(next, await deps.clock.now())
}
