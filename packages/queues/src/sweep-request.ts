import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type SettleJob, type SweepJob, type SweepSummary, sweepSummary } from '@dwell/contracts/jobs'
import type { Job, Queue } from 'bullmq'

/** The sweep that was asked for will not answer. Whether it took place is not known; another one does no harm. */
export class SweepRequestError extends Error {
  override readonly name = 'SweepRequestError'

  constructor(
    /** `failed`: it ended with an error · `lost`: Redis no longer knows it · `unreachable`: Redis does not answer. */
    readonly reason: 'failed' | 'lost' | 'unreachable',
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options)
  }
}

/** Looked at, not listened for: an event that is missed in an outage would be waited for in vain. */
const LOOK_MS = 10
/** Redis may be away so long before a sweep that was asked for is given up. */
const OUTAGE_MS = 5_000

type RequestQueues = Readonly<Record<'sweep' | 'settle', Queue>>

/**
 * Runs a sweep now and answers its summary once everything it started has ended. The sweep itself ends at once; waiting
 * for its work is the job of the same id in `settle`, so that ticks, wakes and other requests do not wait as well.
 * Throws `SweepRequestError`, and the signal's reason when it is aborted.
 */
export async function requestSweep(
  queues: RequestQueues,
  options: { readonly retention: boolean; readonly signal: AbortSignal },
): Promise<SweepSummary> {
  const { signal } = options
  const requestId = `request-${randomUUID()}`
  const data: SweepJob = { request_id: requestId, ...(options.retention ? { retention: true } : {}) }
  await queues.sweep.add('request', data, { jobId: requestId })
  const answered = performance.now()
  let lastAnswer = answered
  for (;;) {
    signal.throwIfAborted()
    try {
      const result = await look(queues, requestId)
      if (result !== null) return sweepSummary.parse(result)
      lastAnswer = performance.now()
    } catch (error) {
      if (error instanceof SweepRequestError) throw error
      if (performance.now() - lastAnswer > OUTAGE_MS)
        throw new SweepRequestError('unreachable', 'Redis does not answer.', { cause: error })
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** The result, or null while there is none. */
async function look(queues: RequestQueues, requestId: string): Promise<unknown> {
  const settling = await queues.settle.getJob(requestId)
  if (settling !== undefined) return resultOf(settling)
  const sweep = await queues.sweep.getJob(requestId)
  if (sweep !== undefined) {
    resultOf(sweep)
    return null
  }
  // It may have been handed on between the two looks.
  if ((await queues.settle.getJob(requestId)) !== undefined) return null
  throw new SweepRequestError('lost', 'Redis has lost the request.')
}

function resultOf(job: Job): unknown {
  if (job.finishedOn === undefined || job.finishedOn === null) return null
  if (job.failedReason) throw new SweepRequestError('failed', job.failedReason)
  return job.returnvalue
}

/** Hands on what a requested sweep has to wait for. */
export async function enqueueSettling(settleQueue: Queue, requestId: string, job: SettleJob): Promise<void> {
  await settleQueue.add('settle', job, { jobId: requestId })
}
