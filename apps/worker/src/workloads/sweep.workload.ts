import { MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'
import { type SweepJob, sweepJob } from '@dwell/contracts/jobs'
import { nextAttemptDueAt } from '@dwell/database/deliveries/attempts'
import { nextDueAt } from '@dwell/database/pending-executions/sweep-steps'
import type { SweepTrigger } from '@dwell/database/sweeps'
import type { Wake } from '@dwell/queues/wake'
import { type RetentionDependencies, runRetention } from '../retention/run-retention'
import { type AwaitDependencies, awaitWork } from '../sweep/await-work'
import { runSweep, type SweepDependencies } from '../sweep/run-sweep'
import type { Workload } from './workload'

export type SweepWorkloadDependencies = SweepDependencies &
  AwaitDependencies &
  RetentionDependencies & {
    /** Left out under the test clock: there nothing happens by the passing of time. */
    readonly wake?: Wake
  }

/** Minutes between two ticks of the schedule. Seed phase 4. */
export const TICK_MINUTES = 5
const TRIGGERS: Readonly<Record<string, SweepTrigger>> = { wake: 'wake', boot: 'boot', request: 'request' }

/**
 * Runs one sweep. Triggered by the schedule, by the wake at the next due time, at boot, and by `POST /sweeps`. Two sweeps at
 * once would be harmless: each claims its own rows. A requested one ends when all that it started has ended.
 */
export function createSweepWorkload(deps: SweepWorkloadDependencies): Workload<SweepJob> {
  return {
    queue: 'sweep',
    payload: sweepJob,
    concurrency: 1,
    async process(job, { jobName, signal }) {
      const sweep = await runSweep(deps, TRIGGERS[jobName] ?? 'schedule')
      if (job.retention === true) await runRetention(deps, signal)
      if (sweep.summary.event === 'completed') await setWake(deps, sweep.startedAt)
      if (job.request_id !== undefined) await awaitWork(deps, sweep, signal)
      return sweep.summary
    },
  }
}

/** The next due time, where it comes before the next tick: the only delayed job there is, however many rows wait. */
export async function setWake(
  deps: Pick<SweepWorkloadDependencies, 'wake' | 'pool' | 'clock'>,
  sweptAt: Micros,
): Promise<void> {
  if (deps.wake === undefined) return
  const now = await deps.clock.now()
  await deps.wake.clearPast(now)
  const times = [await nextDueAt(deps.pool, sweptAt), await nextAttemptDueAt(deps.pool, sweptAt)].filter(
    (at) => at !== null,
  )
  const next = times.length === 0 ? null : (Math.min(...times) as Micros)
  if (next !== null && next < nextTick(now)) await deps.wake.bringForward(next, now)
}

function nextTick(now: Micros): Micros {
  const tick = TICK_MINUTES * MICROS_PER_MINUTE
  return ((Math.floor(now / tick) + 1) * tick) as Micros
}
