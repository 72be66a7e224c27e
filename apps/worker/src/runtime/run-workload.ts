import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { QUEUE_PREFIX } from '@dwell/queues/names'
import { QUEUE_SPECS, type QueueSpec } from '@dwell/queues/specs'
import type { Logger } from '@dwell/runtime/logger'
import { redactText } from '@dwell/runtime/redact'
import { isConnectionError, type RedisConnection } from '@dwell/runtime/redis'
import { NO_TRACING, type Tracing } from '@dwell/runtime/tracing'
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

const GONE_AFTER_MS = 1_000
const LOOK_EVERY_MS = 100

/** Resolves when Redis has been away for a second while no job was under way: nothing is left that could be ended in order. */
async function untilGone(connection: RedisConnection, idle: () => boolean, signal: AbortSignal): Promise<void> {
  let awaySince: number | null = null
  while (!signal.aborted) {
    if (connection.status === 'ready') awaySince = null
    else awaySince ??= performance.now()
    if (awaySince !== null && performance.now() - awaySince >= GONE_AFTER_MS && idle()) return
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
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
    readonly tracing: Tracing
  },
): RunningWorkload {
  const { logger, metrics } = options
  const { queue } = workload
  // Rows are judged in batches, which are traced as such.
  const tracing = queue === 'process' ? NO_TRACING : options.tracing
  const { stalls }: QueueSpec = QUEUE_SPECS[queue]
  const abort = new AbortController()
  // As many jobs as run at once listen to it.
  setMaxListeners(0, abort.signal)
  let underWay = 0
  const worker = new Worker(
    queue,
    async (job) => {
      const payload = workload.payload.safeParse(job.data)
      if (!payload.success)
        throw new UnrecoverableError(`the payload is not one of this queue: ${payload.error.message}`)
      underWay += 1
      try {
        const attributes = { 'messaging.destination.name': queue, 'messaging.message.id': job.id }
        return await tracing.span(`${queue} ${job.name}`, { kind: 'consumer', attributes }, () =>
          workload.process(payload.data, {
            jobId: job.id ?? '',
            jobName: job.name,
            repeated: job.attemptsStarted > 1,
            signal: abort.signal,
            log: (line) => void job.log(redactText(line)).catch(() => undefined),
          }),
        )
      } catch (error) {
        await pauseIfDatabaseIsAway()
        throw error
      } finally {
        underWay -= 1
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
  worker.on('error', (error) => {
    // An outage is told once, by the connection; every queue would go on telling it as long as it lasts.
    if (!isConnectionError(error)) logger.warn('queue worker error', { event: 'queue.error', queue, error })
  })
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
      const over = new AbortController()
      const closed = worker.close().finally(() => over.abort())
      const redisIsGone = untilGone(options.connection, () => underWay === 0, over.signal)
      await Promise.race([closed, outOfTime, redisIsGone])
      clearTimeout(timer)
      // Else its connections would try on for ever, and say so.
      if (!over.signal.aborted) void worker.disconnect().catch(() => undefined)
      over.abort()
    },
  }
}
