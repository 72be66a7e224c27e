import { QUEUE_PREFIX } from '@dwell/queues/names'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import { UnrecoverableError, Worker } from 'bullmq'
import type { WorkerMetrics } from '../worker-metrics'
import type { Workload } from '../workloads/workload'

export interface RunningWorkload {
  readonly name: string
  /** Takes no further jobs and waits for those under way; when the signal is aborted first, leaves them to be found stalled. */
  close(signal: AbortSignal): Promise<void>
}

/** The only place that touches BullMQ's Worker: parses payloads, counts and reports, ends in order. */
export function runWorkload<Payload>(
  workload: Workload<Payload>,
  options: { readonly connection: RedisConnection; readonly logger: Logger; readonly metrics: WorkerMetrics },
): RunningWorkload {
  const { logger, metrics } = options
  const abort = new AbortController()
  const worker = new Worker(
    workload.queue,
    async (job) => {
      const payload = workload.payload.safeParse(job.data)
      if (!payload.success)
        throw new UnrecoverableError(`the payload is not one of this queue: ${payload.error.message}`)
      return workload.process(payload.data, { jobId: job.id ?? '', jobName: job.name, signal: abort.signal })
    },
    {
      connection: options.connection,
      prefix: QUEUE_PREFIX,
      concurrency: workload.concurrency,
      // A job that stalls again and again takes its worker down each time; the row it speaks of is reclaimed anyway.
      maxStalledCount: 2,
      maxStartedAttempts: 4,
    },
  )
  worker.on('error', (error) =>
    logger.warn('queue worker error', { event: 'queue.error', queue: workload.queue, error }),
  )
  worker.on('completed', () => metrics.jobs.add({ queue: workload.queue, outcome: 'completed' }))
  worker.on('failed', (job, error) => {
    metrics.jobs.add({ queue: workload.queue, outcome: 'failed' })
    logger.error('job failed', { event: 'job.failed', queue: workload.queue, job_id: job?.id, error })
  })
  return {
    name: workload.queue,
    async close(signal) {
      const outOfPatience = new Promise<'aborted'>((resolve) => {
        signal.addEventListener('abort', () => resolve('aborted'), { once: true })
      })
      if ((await Promise.race([worker.close(), outOfPatience])) === 'aborted') {
        abort.abort()
        await worker.close(true)
      }
    },
  }
}
