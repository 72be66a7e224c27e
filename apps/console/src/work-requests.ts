import { claimByIds, releaseClaims } from '@dwell/database/pending-executions/claim'
import type { Pool } from '@dwell/database/pool'
import type { QueueName } from '@dwell/queues/names'
import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import type { openQueue } from '@dwell/queues/queue-connection'
import { readQueueState } from '@dwell/queues/queue-state'
import { requestSweep, SweepRequestError } from '@dwell/queues/sweep-request'
import type { Wake } from '@dwell/queues/wake'
import type { WorkRequests } from './dependencies'
import { Problem, unavailable } from './http/problem'

type Queue = ReturnType<typeof openQueue>

/** What the console asks of the workers, through the queues. */
export function createWorkRequests(parts: {
  readonly pool: Pool
  readonly byName: Readonly<Record<QueueName, Queue>>
  /** All of them, with what their jobs are. */
  readonly queues: readonly { readonly queue: Queue; readonly about: string }[]
  /** Null where time stands still: nothing happens by its passing. */
  readonly wake: Pick<Wake, 'bringForward'> | null
  /** Aborted when the process is to end: who still waits for a sweep is told instead of cut off. */
  readonly ending: AbortSignal
}): WorkRequests {
  const { pool, wake, ending } = parts
  return {
    sweep: (options, limitMs) =>
      within(limitMs, ending, (signal) => requestSweep(parts.byName, { ...options, signal })).catch(explainSweep),
    async claim(ids, now) {
      const claims = await claimByIds(pool, { ids, now })
      try {
        await enqueueProcessJobs(parts.byName.process, claims)
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

/** Answers what the work answers, or the problem that came first. Then the work is told to stop. */
async function within<T>(limitMs: number, ending: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(unfinished()), limitMs)
  const onEnding = () => giveUp.abort(unavailable('This process is ending. The sweep goes on.'))
  ending.addEventListener('abort', onEnding, { once: true })
  try {
    return await work(giveUp.signal)
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', onEnding)
  }
}

const WHY_NO_SWEEP: Readonly<Record<SweepRequestError['reason'], string>> = {
  failed: 'The sweep failed: the log of the workers says why. Ask for another one.',
  lost: 'Redis has lost the request, so whether the sweep took place is not known. Ask for another one.',
  unreachable: 'Redis does not answer, so whether the sweep took place is not known. Ask for another one.',
}

/** Another sweep does no harm, so whoever asked can ask again. */
function explainSweep(error: unknown): never {
  if (!(error instanceof SweepRequestError)) throw error
  throw new Problem(503, `sweep_${error.reason}`, WHY_NO_SWEEP[error.reason], { headers: { 'retry-after': '5' } })
}

function unfinished(): Problem {
  return new Problem(
    504,
    'sweep_unfinished',
    'The sweep has not ended yet. It goes on; GET /sweeps will show what it did.',
  )
}
