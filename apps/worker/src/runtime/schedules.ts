import type { Queue } from 'bullmq'
import { TICK_MINUTES } from '../workloads/sweep.workload'

/** UTC. Retention runs at an hour when nobody is likely to look. */
const SCHEDULES = {
  sweep: { id: 'sweep-tick', pattern: `*/${TICK_MINUTES} * * * *`, name: 'tick' },
  retention: { id: 'retention-daily', pattern: '17 3 * * *', name: 'daily' },
} as const

/** How long a sweep at boot keeps other replicas from running one as well. */
const BOOT_SWEEP_ONCE_MS = 60_000

/** Brings the schedules into Redis; one that is there already is left alone, so that a restart moves no tick. */
export async function reconcileSchedules(queues: { readonly sweep: Queue; readonly retention: Queue }): Promise<void> {
  for (const [queue, { id, pattern, name }] of [
    [queues.sweep, SCHEDULES.sweep],
    [queues.retention, SCHEDULES.retention],
  ] as const) {
    const known = await queue.getJobScheduler(id)
    if (known?.pattern === pattern && known.tz === 'UTC') continue
    await queue.upsertJobScheduler(id, { pattern, tz: 'UTC' }, { name, data: {} })
  }
  await queues.sweep.setGlobalConcurrency(1)
  await queues.retention.setGlobalConcurrency(1)
}

/** Catches up on what came due while nobody ran; once, however many replicas start together. */
export async function requestBootSweep(sweepQueue: Queue): Promise<void> {
  await sweepQueue.add('boot', {}, { deduplication: { id: 'boot', ttl: BOOT_SWEEP_ONCE_MS } })
}
