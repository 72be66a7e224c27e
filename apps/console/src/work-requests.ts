import { claimByIds, releaseClaims } from '@dwell/database/pending-executions/claim'
import type { Pool } from '@dwell/database/pool'
import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import type { openQueue, openQueueEvents } from '@dwell/queues/queue-connection'
import { readQueueState } from '@dwell/queues/queue-state'
import { requestSweep } from '@dwell/queues/sweep-request'
import type { Wake } from '@dwell/queues/wake'
import type { WorkRequests } from './dependencies'
import { Problem, unavailable } from './http/problem'

type Queue = ReturnType<typeof openQueue>

/** What the console asks of the workers, through the queues. */
export function createWorkRequests(parts: {
  readonly pool: Pool
  readonly sweep: Queue
  readonly sweepEvents: ReturnType<typeof openQueueEvents>
  readonly process: Queue
  /** All of them, with what their jobs are. */
  readonly queues: readonly { readonly queue: Queue; readonly about: string }[]
  /** Null where time stands still: nothing happens by its passing. */
  readonly wake: Pick<Wake, 'bringForward'> | null
  /** Aborted when the process is to end: who still waits for a sweep is told instead of cut off. */
  readonly ending: AbortSignal
}): WorkRequests {
  const { pool, wake, ending } = parts
  return {
    sweep: (options, limitMs) => within(limitMs, ending, requestSweep(parts.sweep, parts.sweepEvents, options)),
    async claim(ids, now) {
      const claims = await claimByIds(pool, { ids, now })
      try {
        await enqueueProcessJobs(parts.process, claims)
      } catch (error) {
        await releaseClaims(pool, claims, now)
        throw error
      }
      return claims.map(({ id }) => id)
    },
    queues: () =>
      Promise.all(
        parts.queues.map(async ({ queue, about }) => ({ name: queue.name, about, state: await readQueueState(queue) })),
      ),
    async wakeAt(dueAt, now) {
      await wake?.bringForward(dueAt, now)
    },
  }
}

async function within<T>(limitMs: number, ending: AbortSignal, work: Promise<T>): Promise<T> {
  let giveUp: (problem: Problem) => void = () => undefined
  const limit = new Promise<never>((_resolve, reject) => {
    giveUp = reject
  })
  const timer = setTimeout(() => giveUp(unfinished()), limitMs)
  const onEnding = () => giveUp(unavailable('This process is ending. The sweep goes on.'))
  ending.addEventListener('abort', onEnding, { once: true })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', onEnding)
    // Whoever lost the race must not be an unhandled rejection.
    work.catch(() => undefined)
  }
}

function unfinished(): Problem {
  return new Problem(
    504,
    'sweep_unfinished',
    'The sweep has not ended yet. It goes on; GET /sweeps will show what it did.',
  )
}
