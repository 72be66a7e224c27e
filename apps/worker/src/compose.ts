import { nextAttemptDueAt } from '@dwell/database/deliveries/attempts'
import { createPool } from '@dwell/database/pool'
import { RuleBooks } from '@dwell/database/rule-books'
import { enqueueDeliverJobs } from '@dwell/queues/deliver-queue'
import { enqueueProcessJobs, processJobId } from '@dwell/queues/process-queue'
import { openQueue } from '@dwell/queues/queue-connection'
import { Wake } from '@dwell/queues/wake'
import { createClock } from '@dwell/runtime/clock'
import type { WorkerConfig } from '@dwell/runtime/config'
import { createHealth, type Health } from '@dwell/runtime/health'
import type { Logger } from '@dwell/runtime/logger'
import { createMetrics, type Metrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import type { Shutdown } from '@dwell/runtime/shutdown'
import { observeBacklog } from './backlog-metrics'
import { StreamRelay } from './outbox/stream-relay'
import { runWorkload } from './runtime/run-workload'
import { reconcileSchedules, requestBootSweep } from './runtime/schedules'
import { createTargets } from './targets/create-targets'
import { createWorkerMetrics } from './worker-metrics'
import { createDeliverWorkload } from './workloads/deliver.workload'
import { createProcessWorkload } from './workloads/process.workload'
import { createRetentionWorkload } from './workloads/retention.workload'
import { createSweepWorkload } from './workloads/sweep.workload'
import type { Workload } from './workloads/workload'

export interface WorkerProcess {
  readonly health: Health
  readonly metrics: Metrics
  /** Brings the schedules into Redis, catches up and begins to work. */
  start(): Promise<void>
}

/** Wires the worker: connections, workloads and, in reverse, the steps of its shutdown. */
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
  const registry = createMetrics()
  const metrics = createWorkerMetrics(registry)
  const queues = {
    sweep: openQueue('sweep', redis),
    process: openQueue('process', redis),
    deliver: openQueue('deliver', redis),
    retention: openQueue('retention', redis),
  }
  const wake = config.testClock ? undefined : new Wake(queues.sweep, redis)
  const relay = new StreamRelay({ pool, redis, clock, logger, metrics })
  const report = (message: string, error: unknown, fields = {}) => logger.error(message, { ...fields, error })
  const enqueueDeliveries = (deliveries: Parameters<typeof enqueueDeliverJobs>[1]) =>
    enqueueDeliverJobs(queues.deliver, deliveries)

  const base = { pool, redis, clock, logger, metrics }
  const workloads = {
    sweep: createSweepWorkload({
      ...base,
      relay,
      enqueue: (claims) => enqueueProcessJobs(queues.process, claims),
      enqueueDeliveries,
      hasEnded: async (claim) => !UNDER_WAY.has(await queues.process.getJobState(processJobId(claim))),
      ...(wake === undefined ? {} : { wake }),
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
    ),
    deliver: createDeliverWorkload(
      {
        ...base,
        targets: createTargets(config, { pool, clock }),
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

  const run = <Payload>(workload: Workload<Payload>) => runWorkload(workload, { connection: blocking, logger, metrics })

  const health = createHealth([
    { name: 'database', check: () => pool.query('SELECT 1 FROM sweeps LIMIT 1') },
    { name: 'redis', check: () => redis.ping() },
  ])
  observeBacklog(registry, pool, clock)
  shutdown.add({ name: 'not ready', run: () => health.shutDown() })
  return {
    health,
    metrics: registry,
    async start() {
      // What was marked delivered just before Redis went away may be missing on the stream when it is back.
      redis.on(
        'ready',
        () => void relay.relayRecent().catch((error) => report('relay failed', error, { event: 'relay.failed' })),
      )
      await relay.relayRecent()
      if (!config.testClock) {
        await reconcileSchedules(queues)
        await requestBootSweep(queues.sweep)
      }
      const running = [
        run(workloads.sweep),
        run(workloads.processing),
        run(workloads.deliver),
        run(workloads.retention),
      ]
      shutdown.add({
        name: 'workloads',
        run: (signal) => Promise.all(running.map((workload) => workload.close(signal))),
      })
      shutdown.add({ name: 'queues', run: () => Promise.all(Object.values(queues).map((queue) => queue.close())) })
      shutdown.add({ name: 'redis', run: () => Promise.all([closeRedis(redis), closeRedis(blocking)]) })
      shutdown.add({ name: 'database', run: () => pool.end() })
    },
  }
}

/** States of a job that has not come to its end. */
const UNDER_WAY: ReadonlySet<string> = new Set(['active', 'waiting', 'prioritized', 'delayed', 'waiting-children'])
