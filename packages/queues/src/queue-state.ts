import type { Queue } from 'bullmq'

/** What an operator wants to know of a queue at a glance. */
export interface QueueState {
  readonly waiting: number
  readonly active: number
  readonly delayed: number
  readonly completed: number
  readonly failed: number
  readonly paused: boolean
  readonly workers: number
  /** When the longest waiting of the jobs that are taken next was added, in ms of the real clock; null when none waits. */
  readonly oldestWaitingAt: number | null
}

/** Jobs looked at for the oldest: they stand in the order of their priority, not of their age. */
const LOOKED_AT = 100

export async function readQueueState(queue: Queue): Promise<QueueState> {
  const [counts, paused, workers, next] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'completed', 'failed'),
    queue.isPaused(),
    queue.getWorkersCount(),
    queue.getJobs(['waiting', 'prioritized'], 0, LOOKED_AT - 1, true),
  ])
  const count = (state: string) => counts[state] ?? 0
  // A job may end between the two questions; then nothing is left of it.
  const added = next.flatMap((job) => (job === undefined ? [] : [job.timestamp]))
  return {
    waiting: count('waiting') + count('prioritized'),
    active: count('active'),
    delayed: count('delayed'),
    completed: count('completed'),
    failed: count('failed'),
    paused,
    workers,
    oldestWaitingAt: added.length === 0 ? null : Math.min(...added),
  }
}
