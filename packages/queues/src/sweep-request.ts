import { randomUUID } from 'node:crypto'
import { type SweepJob, type SweepSummary, sweepSummary } from '@dwell/contracts/jobs'
import type { Queue, QueueEvents } from 'bullmq'

/**
 * Runs a sweep now and answers its summary once everything it started has ended (the worker waits for that before it
 * finishes the job). Rejects when the sweep fails. How long to wait is the caller's business: BullMQ's own limit is a
 * timer that outlives the queue.
 */
export async function requestSweep(
  sweepQueue: Queue,
  events: QueueEvents,
  options: { readonly retention: boolean },
): Promise<SweepSummary> {
  await events.waitUntilReady()
  const data: SweepJob = { request_id: randomUUID(), ...(options.retention ? { retention: true } : {}) }
  const job = await sweepQueue.add('request', data)
  return sweepSummary.parse(await job.waitUntilFinished(events))
}
