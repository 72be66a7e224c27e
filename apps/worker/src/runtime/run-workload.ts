import { setMaxListeners } from 'node:events'
import { QUEUE_PREFIX } from '@dwell/queues/names'
import { QUEUE_SPECS, type QueueSpec } from '@dwell/queues/specs'
import type { Logger } from '@dwell/runtime/logger'
import { redactText } from '@dwell/runtime/redact'
import type { RedisConnection } from '@dwell/runtime/redis'
import { UnrecoverableError, Worker } from 'bullmq'
import type { WorkerMetrics } from '../worker-metrics'
import type { Workload } from '../workloads/workload'
import { createOutagePause } from './outage-pause'

export interface RunningWorkload {
  readonly name: string
  /**
   * Takes no further jobs and waits for those under way. After `patienceMs` they are told to stop where they safely can;
   * when `signal` is aborted the rest is left: its rows stay `processing` and are reclaimed.
   */
  close(options: { readonly patienceMs: number; readonly signal: AbortSignal }): Promise<void>
}

/** The only place that touches BullMQ's Worker: parses payloads, counts and reports, ends in order. */
export function runWorkload<Payload>(
  workload: Workload<Payload>,
  options: {
    readonly connection: RedisConnection
    /** Rejects while the database does not answer: then no more jobs are taken. */
    readonly databaseAnswers: () => Promise<unknown>
    readonly logger: Logger
    readonly metrics: WorkerMetrics
  },
): RunningWorkload {
  const { logger, metrics } = options
  const { queue } = workload
  const { stalls }: QueueSpec = QUEUE_SPECS[queue]
  const abort = new AbortController()
  // As many jobs as run at once listen to it.
  setMaxListeners(0, abort.signal)
  const worker = new Worker(
    queue,
    async (job) => {
      const payload = workload.payload.safeParse(job.data)
      if (!payload.success)
        throw new UnrecoverableError(`the payload is not one of this queue: ${payload.error.message}`)
      try {
        return await workload.process(payload.data, {
          jobId: job.id ?? '',
          jobName: job.name,
          repeated: job.attemptsStarted > 1,
          signal: abort.signal,
          log: (line) => void job.log(redactText(line)).catch(() => undefined),
        })
      } catch (error) {
        await pauseIfDatabaseIsAway()
        throw error
      }
    },
    {
      connection: options.connection,
      prefix: QUEUE_PREFIX,
      concurrency: workload.concurrency,
      lockDuration: stalls.lockMs,
      stalledInterval: stalls.checkMs,
      maxStalledCount: stalls.maxStalls,
      ...(stalls.maxStarts === undefined ? {} : { maxStartedAttempts: stalls.maxStarts }),
    },
  )
  const closing = new AbortController()
  const pauseIfDatabaseIsAway = createOutagePause({
    queue,
    databaseAnswers: options.databaseAnswers,
    pause: () => worker.pause(true),
    resume: () => worker.resume(),
    logger,
    signal: closing.signal,
  })
  worker.on('error', (error) => logger.warn('queue worker error', { event: 'queue.error', queue, error }))
  worker.on('completed', () => metrics.jobs.add({ queue, outcome: 'completed' }))
  worker.on('failed', (job, error) => {
    metrics.jobs.add({ queue, outcome: 'failed' })
    logger.error('job failed', { event: 'job.failed', queue, job_id: job?.id, error })
  })
  worker.on('stalled', () => metrics.jobs.add({ queue, outcome: 'stalled' }))
  return {
    name: queue,
    async close({ patienceMs, signal }) {
      closing.abort()
      const timer = setTimeout(() => abort.abort(new Error('the process is ending')), patienceMs)
      const outOfTime = new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        else signal.addEventListener('abort', () => resolve(), { once: true })
      })
      // Waits without limit by itself, and a second, forced call would only join the first.
      await Promise.race([worker.close(), outOfTime])
      clearTimeout(timer)
    },
  }
}
