import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import { nextAttemptDueAt } from '@dwell/database/deliveries/attempts'
import { createPool } from '@dwell/database/pool'
import { RuleBooks } from '@dwell/database/rule-books'
import { enqueueDeliverJobs } from '@dwell/queues/deliver-queue'
import { enqueueProcessJobs, processJobId } from '@dwell/queues/process-queue'
import { openQueue } from '@dwell/queues/queue-connection'
import { enqueueStepJobs, stepJobId, waitingSteps } from '@dwell/queues/step-queue'
import { enqueueSettling } from '@dwell/queues/sweep-request'
import { Wake } from '@dwell/queues/wake'
import { createClock } from '@dwell/runtime/clock'
import type { WorkerConfig } from '@dwell/runtime/config'
import { createHealth, type HealthServer, startHealthServer } from '@dwell/runtime/health'
import type { Logger } from '@dwell/runtime/logger'
import { createMetrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import type { Shutdown } from '@dwell/runtime/shutdown'
import { createTracing } from '@dwell/runtime/tracing'
import { observeBacklog } from './backlog-metrics'
import { restoreAfterOutages } from './outbox/restore-after-outage'
import { StreamRelay } from './outbox/stream-relay'
import { queueMetrics } from './runtime/queue-metrics'
import { type RunningWorkload, runWorkload } from './runtime/run-workload'
import { keepSchedules } from './runtime/schedule-keeper'
import { untilStoresAnswer } from './runtime/until-stores-answer'
import type { HeldStep } from './steps/sweep-steps'
import { createMailSender, createTargets } from './targets/create-targets'
import { createWorkerMetrics } from './worker-metrics'
import { createDeliverWorkload } from './workloads/deliver.workload'
import { createProcessWorkload } from './workloads/process.workload'
import { createRetentionWorkload } from './workloads/retention.workload'
import { createSettleWorkload } from './workloads/settle.workload'
import { createStepWorkload } from './workloads/step.workload'
import { createSweepWorkload } from './workloads/sweep.workload'
import type { Workload } from './workloads/workload'

/** Shares of the shutdown's deadline: for jobs to end by themselves, and for all that they may take. */
const PATIENCE = 0.6
const WORKLOADS_LIMIT = 0.8

export interface WorkerProcess {
  /** Relays what a crash left behind, sees to the schedules and begins to work. Answers the port of the probes. */
  start(): Promise<number>
}

/** Puts the worker together; what it opens is closed by the steps it adds to the shutdown. */
export function composeWorker(config: WorkerConfig, logger: Logger, shutdown: Shutdown): WorkerProcess {
  const pool = createPool({
    connectionString: config.databaseUrl,
    max: config.databasePoolSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    applicationName: 'dwell-worker',
    onError: (error) => logger.warn('idle database connection lost', { event: 'database.lost', error }),
  })
  const redis = connectRedis(config.redis, { purpose: 'producing', name: 'worker', logger })
  const blocking = connectRedis(config.redis, { purpose: 'blocking', name: 'worker-jobs', logger })
  const clock = createClock(config, redis)
  const tracing = createTracing({
    endpoint: config.tracesEndpoint,
    headers: config.tracesHeaders,
    service: 'dwell-worker',
    logger,
  })
  const registry = createMetrics()
  const metrics = createWorkerMetrics(registry)
  const queues = {
    sweep: openQueue('sweep', redis),
    process: openQueue('process', redis),
    step: openQueue('step', redis),
    deliver: openQueue('deliver', redis),
    settle: openQueue('settle', redis),
    retention: openQueue('retention', redis),
  }
  const wake = config.testClock ? null : new Wake(queues.sweep, redis)
  const relay = new StreamRelay({ pool, redis, clock, logger, metrics })
  const report = (message: string, error: unknown, fields = {}) => logger.error(message, { ...fields, error })
  const enqueueDeliveries = (deliveries: Parameters<typeof enqueueDeliverJobs>[1]) =>
    enqueueDeliverJobs(queues.deliver, deliveries)

  const sender = createMailSender(config)

  const base = {
    pool,
    redis,
    clock,
    logger,
    metrics,
    actionsMaxEntries: config.actionsMaxEntries,
    deadEventsMaxAgeMs: config.deadEventsMaxAgeMs,
    deadEventsMaxEntries: config.deadEventsMaxEntries,
  }
  const stepHasEnded = async (claim: HeldStep) => !UNDER_WAY.has(await queues.step.getJobState(stepJobId(claim)))
  const workloads = {
    sweep: createSweepWorkload({
      ...base,
      relay,
      wake,
      enqueue: (claims, turns) => enqueueProcessJobs(queues.process, claims, turns),
      enqueueDeliveries,
      enqueueSteps: (steps, turns) => enqueueStepJobs(queues.step, steps, turns),
      waitingSteps: () => waitingSteps(queues.step),
      stepHasEnded,
      enqueueSettling: (requestId, job) => enqueueSettling(queues.settle, requestId, job),
    }),
    settle: createSettleWorkload({
      ...base,
      enqueueSteps: (steps, turns) => enqueueStepJobs(queues.step, steps, turns),
      waitingSteps: () => waitingSteps(queues.step),
      stepHasEnded,
      hasEnded: async (claim) => !UNDER_WAY.has(await queues.process.getJobState(processJobId(claim))),
    }),
    processing: createProcessWorkload(
      {
        ...base,
        rules: new RuleBooks(),
        relay,
        enqueueDeliveries: (deliveries) =>
          enqueueDeliveries(deliveries.map((delivery) => ({ ...delivery, attempt: 1 }))),
        report,
      },
      config.processConcurrency,
      tracing,
    ),
    steps: createStepWorkload(
      {
        ...base,
        sender,
        mails:
          config.signingKey === undefined
            ? null
            : { key: Buffer.from(config.signingKey, 'utf8'), publicUrl: config.publicUrl },
        mailFrom: config.mailFrom,
        bringWakeForward: async (at) => wake?.bringForward(at, await clock.now()),
      },
      config.stepConcurrency,
    ),
    deliver: createDeliverWorkload(
      {
        ...base,
        targets: createTargets(config, { pool, clock, sender }),
        random: Math.random,
        async bringWakeForward() {
          const now = await clock.now()
          const next = await nextAttemptDueAt(pool, now)
          if (next !== null) await wake?.bringForward(next, now)
        },
      },
      config.deliverConcurrency,
    ),
    retention: createRetentionWorkload(base),
  }
  const databaseAnswers = () => pool.query('SELECT 1')
  const run = <Payload>(workload: Workload<Payload>) =>
    runWorkload(workload, { connection: blocking, databaseAnswers, logger, metrics, tracing })

  const health = createHealth([
    { name: 'database', check: () => pool.query('SELECT FROM sweeps LIMIT 0') },
    { name: 'redis', check: () => redis.ping() },
  ])
  observeBacklog(registry, pool, clock)
  registry.observedGauge('dwell_dead_events', 'Entries of the stream of dead events.', () =>
    redis.xlen(DEAD_EVENTS_STREAM),
  )
  registry.include(() => queueMetrics(queues))

  let server: HealthServer | undefined
  let keeper: { stop(): void } | undefined
  let running: RunningWorkload[] = []
  const patienceMs = config.shutdownDeadlineMs * PATIENCE
  const ending = new AbortController()
  shutdown.add({ name: 'not ready', run: () => health.shutDown() })
  shutdown.add({
    name: 'schedules',
    run: () => {
      ending.abort()
      keeper?.stop()
    },
  })
  shutdown.add({
    name: 'workloads',
    run: (signal) => Promise.all(running.map((workload) => workload.close({ patienceMs, signal }))),
    limitMs: config.shutdownDeadlineMs * WORKLOADS_LIMIT,
  })
  shutdown.add({ name: 'mail', run: () => sender?.close() })
  shutdown.add({ name: 'http', run: () => server?.close() })
  shutdown.add({ name: 'queues', run: () => Promise.all(Object.values(queues).map((queue) => queue.close())) })
  shutdown.add({ name: 'traces', run: () => tracing.close() })
  shutdown.add({ name: 'redis', run: () => Promise.all([closeRedis(redis), closeRedis(blocking)]) })
  shutdown.add({ name: 'database', run: () => pool.end() })

  return {
    async start() {
      server = await startHealthServer({ host: config.bindAddress, port: config.port, health, metrics: registry })
      restoreAfterOutages(redis, relay, (error) => report('relay failed', error, { event: 'relay.failed' }))
      const booted = await untilStoresAnswer(
        async () => {
          await relay.relayLost(null)
          if (!config.testClock) keeper = await keepSchedules(queues, logger)
        },
        { logger, signal: ending.signal },
      )
      if (!booted) return server.port
      running = [
        run(workloads.sweep),
        run(workloads.processing),
        run(workloads.steps),
        run(workloads.deliver),
        run(workloads.settle),
        run(workloads.retention),
      ]
      logger.info('worker started', { event: 'worker.started', port: server.port })
      return server.port
    },
  }
}

/** States of a job that has not come to its end. */
const UNDER_WAY: ReadonlySet<string> = new Set(['active', 'waiting', 'prioritized', 'delayed', 'waiting-children'])
