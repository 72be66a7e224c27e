import type { Queue } from 'bullmq'
import { TICK_MINUTES } from './schedule'
import { QUEUE_SPECS } from './specs'

/** UTC. Retention runs at an hour when nobody is likely to look. */
const SCHEDULES = [
  { queue: 'sweep', id: 'sweep-tick', pattern: `*/${TICK_MINUTES} * * * *`, name: 'tick' },
  { queue: 'retention', id: 'retention-daily', pattern: '17 3 * * *', name: 'daily' },
] as const

type ScheduledQueues = Readonly<Record<(typeof SCHEDULES)[number]['queue'], Queue>>

/**
 * Brings the schedules and the limits that hold across processes into Redis. A schedule that is as it should be is left
 * alone, so a restart moves no tick; one that an operator has changed is set right. For the boot of a worker.
 */
export async function reconcileSchedules(queues: ScheduledQueues): Promise<void> {
  for (const { queue, id, pattern, name } of SCHEDULES) {
    const known = await queues[queue].getJobScheduler(id)
    if (known?.pattern !== pattern || known.tz !== 'UTC')
      await queues[queue].upsertJobScheduler(id, { pattern, tz: 'UTC' }, { name, data: {} })
    await queues[queue].setGlobalConcurrency(QUEUE_SPECS[queue].globalConcurrency)
  }
}

/**
 * Sets the schedules up again where they are gone: Redis was emptied, and without its tick nothing would ever fire again.
 * Answers whether that was so. What an operator has changed stays until the next boot.
 */
export async function restoreSchedules(queues: ScheduledQueues): Promise<boolean> {
  const known = await Promise.all(SCHEDULES.map(({ queue, id }) => queues[queue].getJobScheduler(id)))
  if (known.every((scheduler) => scheduler !== undefined && scheduler !== null)) return false
  await reconcileSchedules(queues)
  return true
}

/** How long a sweep at boot keeps other replicas from running one as well. */
const BOOT_SWEEP_ONCE_MS = 60_000

/** Catches up on what came due while nobody ran; once, however many replicas start together. */
export async function requestBootSweep(sweepQueue: Queue): Promise<void> {
  await sweepQueue.add('boot', {}, { deduplication: { id: 'boot', ttl: BOOT_SWEEP_ONCE_MS } })
}
