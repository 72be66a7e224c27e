import { createServer } from 'node:http'
import { createStatisticsPool } from '@dwell/database/automations/snapshot'
import { createPool } from '@dwell/database/pool'
import { createPrismaClient } from '@dwell/database/prisma-client'
import { createSmtpSender } from '@dwell/mail/smtp-sender'
import { QUEUE_NAMES } from '@dwell/queues/names'
import { openQueue } from '@dwell/queues/queue-connection'
import { QUEUE_SPECS } from '@dwell/queues/specs'
import { Wake } from '@dwell/queues/wake'
import { createClock } from '@dwell/runtime/clock'
import type { ConsoleConfig } from '@dwell/runtime/config'
import { closeServer, createHealth, listen } from '@dwell/runtime/health'
import type { Logger } from '@dwell/runtime/logger'
import { createMetrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import type { Shutdown } from '@dwell/runtime/shutdown'
import { createTracing } from '@dwell/runtime/tracing'
import { createApp } from './app'
import type { BoardQueue } from './board/board'
import { createAdminRouter } from './board/router'
import type { Dependencies } from './dependencies'
import { createSignInLimit } from './sessions/attempt-limit'
import { createWorkRequests } from './work-requests'

const ABOUT = {
  sweep: 'Finds what is due and enqueues it. A run of its own does no harm: it takes what is due, once.',
  process: 'One job per claimed row. A job whose claim was superseded ends as lost and does nothing.',
  step: 'One job per claimed step of an automation. A job whose claim was superseded ends as lost and does nothing.',
  deliver: 'One job per webhook or e-mail that is due.',
  settle: 'Waits for all that a requested sweep started. A run of its own only looks.',
  retention: 'Deletes what ended more than 30 days ago.',
} as const

/** How long requests under way may take once the process is to end. */
const DRAIN_MS = 10_000
const IDLE_CHECK_MS = 50
/** Somebody waits for the answer. */
const MAIL_TIMEOUT_MS = 10_000

/** Puts the console together; what it opens is closed by the steps it adds to the shutdown. */
export function compose(config: ConsoleConfig, logger: Logger, shutdown: Shutdown): { start(): Promise<void> } {
  const pool = createPool({
    connectionString: config.databaseUrl,
    max: config.databasePoolSize,
    applicationName: 'dwell-console',
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    onError: (error) => logger.warn('database connection lost', { event: 'database.lost', error }),
  })
  const statisticsPool = createStatisticsPool({
    connectionString: config.databaseUrl,
    max: config.statisticsPoolSize,
    applicationName: 'dwell-console-statistics',
    connectTimeoutMs: config.statisticsTimeoutMs,
    statementTimeoutMs: config.statisticsTimeoutMs,
    onError: (error) => logger.warn('database connection lost', { event: 'database.lost', error }),
  })
  const database = createPrismaClient(pool)
  const redis = connectRedis(config.redis, { purpose: 'producing', name: 'console', logger })
  const queues = Object.fromEntries(QUEUE_NAMES.map((name) => [name, openQueue(name, redis)] as const)) as Record<
    (typeof QUEUE_NAMES)[number],
    ReturnType<typeof openQueue>
  >
  const ending = new AbortController()
  const mail =
    config.smtpUrl === undefined
      ? null
      : createSmtpSender({ url: config.smtpUrl, from: config.mailFrom, timeoutMs: MAIL_TIMEOUT_MS })
  const deps: Dependencies = {
    config,
    pool,
    statisticsPool,
    database,
    redis,
    clock: createClock(config, redis),
    logger,
    signIns: createSignInLimit(),
    mail,
    work: createWorkRequests({
      pool,
      byName: queues,
      queues: QUEUE_NAMES.map((name) => ({ queue: queues[name], about: ABOUT[name] })),
      wake: config.testClock ? null : new Wake(queues.sweep, redis),
      ending: ending.signal,
    }),
  }
  const board: BoardQueue[] = QUEUE_NAMES.map((name) => ({
    queue: queues[name],
    about: ABOUT[name],
    schema: QUEUE_SPECS[name].payload,
  }))
  const metrics = createMetrics()
  const health = createHealth([
    { name: 'database', check: () => pool.query('SELECT FROM accounts LIMIT 0') },
    { name: 'redis', check: () => redis.ping() },
  ])
  const tracing = createTracing({
    endpoint: config.tracesEndpoint,
    headers: config.tracesHeaders,
    service: 'dwell-console',
    logger,
  })
  const server = createServer(createApp(deps, { health, metrics, tracing, board: createAdminRouter(board, deps) }))

  shutdown.add({
    name: 'not ready',
    run: () => {
      health.shutDown()
      ending.abort()
    },
  })
  shutdown.add({
    name: 'http',
    run: async (signal) => {
      signal.addEventListener('abort', () => server.closeAllConnections(), { once: true })
      // A connection whose request ends only now would else be kept open for its next one.
      const sweeping = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
      await closeServer(server).finally(() => clearInterval(sweeping))
    },
    limitMs: DRAIN_MS,
  })
  shutdown.add({ name: 'mail', run: () => mail?.close() })
  shutdown.add({
    name: 'queues',
    run: () => Promise.all(Object.values(queues).map((queue) => queue.close())),
  })
  shutdown.add({ name: 'traces', run: () => tracing.close() })
  shutdown.add({ name: 'redis', run: () => closeRedis(redis) })
  shutdown.add({
    name: 'database',
    run: () => database.$disconnect().then(() => Promise.all([pool.end(), statisticsPool.end()])),
  })

  return {
    async start() {
      await listen(server, config.port, config.bindAddress)
      logger.info('console listens', { event: 'console.listening', address: server.address() })
    },
  }
}
