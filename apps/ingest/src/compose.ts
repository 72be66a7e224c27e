import { takeBatch } from '@dwell/database/ingest/take-batch'
import { createPool } from '@dwell/database/pool'
import { RuleBooks } from '@dwell/database/rule-books'
import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import { openQueue } from '@dwell/queues/queue-connection'
import { Wake } from '@dwell/queues/wake'
import { createClock } from '@dwell/runtime/clock'
import type { IngestConfig } from '@dwell/runtime/config'
import { createHealth, type HealthServer, startHealthServer } from '@dwell/runtime/health'
import type { Logger } from '@dwell/runtime/logger'
import { createMetrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import type { Shutdown } from '@dwell/runtime/shutdown'
import { createTracing } from '@dwell/runtime/tracing'
import { EntryProcessor } from './batch/entry-processor'
import { FollowUp } from './batch/follow-up'
import { Consumer } from './consumer'
import { createIngestMetrics } from './ingest-metrics'
import { Pause } from './pause'
import { checkGroups, readBacklog } from './stream/group-info'
import { startTrimming, type Trimming } from './trimming'

/** Puts ingest together; what it opens is closed by the steps it adds to the shutdown. */
export function compose(config: IngestConfig, logger: Logger, shutdown: Shutdown): { start(): Promise<void> } {
  const pool = createPool({
    connectionString: config.databaseUrl,
    max: config.databasePoolSize,
    applicationName: 'dwell-ingest',
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    onError: (error) => logger.warn('database connection lost', { event: 'database.lost', error }),
  })
  const redis = connectRedis(config.redis, { purpose: 'producing', name: 'ingest', logger })
  const queues = { process: openQueue('process', redis), sweep: openQueue('sweep', redis) }
  const clock = createClock(config, redis)
  const registry = createMetrics()
  const metrics = createIngestMetrics(registry)
  const tracing = createTracing({
    endpoint: config.tracesEndpoint,
    headers: config.tracesHeaders,
    service: 'dwell-ingest',
    logger,
  })
  const stop = new AbortController()
  const pause = new Pause(logger, metrics, stop.signal)
  const books = new RuleBooks()
  const processor = new EntryProcessor({
    take: async (events) => takeBatch(pool, books, events, await clock.now()),
    redis,
    clock,
    followUp: new FollowUp({
      db: pool,
      clock,
      enqueue: (claims) => enqueueProcessJobs(queues.process, claims),
      wake: config.testClock ? null : new Wake(queues.sweep, redis),
      logger,
      metrics,
    }),
    pause,
    logger,
    metrics,
    tracing,
    limits: config,
  })
  const streamGroups = streamsReadTogether(config)
  const consumers = streamGroups.map(
    (streams, i) =>
      new Consumer(
        {
          reader: connectRedis(config.redis, { purpose: 'blocking', name: `ingest-reader-${i}`, logger }),
          redis,
          processor,
          pause,
          logger,
          metrics,
        },
        { ...config, streams, consumer: config.consumerName },
      ),
  )
  const health = createHealth([
    { name: 'database', check: () => pool.query('SELECT FROM accounts LIMIT 0') },
    { name: 'redis', check: () => redis.ping() },
    { name: 'group', check: () => checkGroups(redis, config.eventStreams) },
  ])
  registry.observedGauge('dwell_ingest_backlog_events', 'Events on the streams that are not taken yet.', () =>
    readBacklog(redis, config.eventStreams),
  )
  let server: HealthServer | undefined
  let trimming: Trimming | undefined
  let running: Promise<unknown> | undefined

  shutdown.add({ name: 'not ready', run: () => health.shutDown() })
  shutdown.add({ name: 'trimming', run: () => trimming?.stop() })
  shutdown.add({
    name: 'consumers',
    run: async () => {
      stop.abort()
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await running
    },
  })
  shutdown.add({ name: 'http', run: () => server?.close() })
  shutdown.add({ name: 'queues', run: () => Promise.all([queues.process.close(), queues.sweep.close()]) })
  shutdown.add({ name: 'traces', run: () => tracing.close() })
  shutdown.add({ name: 'redis', run: () => closeRedis(redis) })
  shutdown.add({ name: 'database', run: () => pool.end() })

  return {
    async start() {
      server = await startHealthServer({ host: config.bindAddress, port: config.port, health, metrics: registry })
      trimming = startTrimming({ redis, logger, metrics, streams: config.eventStreams, everyMs: config.trimIntervalMs })
      running = Promise.all(consumers.map((consumer) => consumer.run())).catch((error: unknown) => {
        logger.error('consumer ended unexpectedly', { event: 'ingest.failed', error })
        void shutdown.begin('consumer ended', 1)
      })
      logger.info('ingest started', { event: 'ingest.started', port: server.port, consumer: config.consumerName })
    },
  }
}

/** A cluster keeps streams on different nodes, so each has a reader of its own; otherwise one reads them all. */
function streamsReadTogether({ redis, eventStreams }: IngestConfig): readonly (readonly string[])[] {
  return redis.kind === 'cluster' ? eventStreams.map((stream) => [stream]) : [eventStreams]
}
