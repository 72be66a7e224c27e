import type { SweepSummary } from '@dwell/contracts/jobs'
import { QUEUE_NAMES, type QueueName } from '@dwell/queues/names'
import { openQueue } from '@dwell/queues/queue-connection'
import { requestSweep } from '@dwell/queues/sweep-request'
import { loadWorkerConfig } from '@dwell/runtime/config'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { createShutdown } from '@dwell/runtime/shutdown'
import { composeWorker } from '../compose'
import { loggerInto } from './worker-parts'

/** A whole worker in the test's own process. */
export interface RunningWorker {
  /** The lines it logged, parsed. */
  readonly lines: readonly Record<string, unknown>[]
  readonly port: number
  /** As on SIGTERM; answers the exit code. */
  stop(): Promise<number>
}

export interface StoreUrls {
  readonly databaseUrl: string
  readonly redisUrl: string
}

/** Time stands still unless `DWELL_TEST_CLOCK` is set to 0. */
export async function startWorker(
  stores: StoreUrls,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningWorker> {
  const lines: Record<string, unknown>[] = []
  const config = loadWorkerConfig({
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    WORKER_PORT: '0',
    DWELL_BIND_ADDRESS: '127.0.0.1',
    DWELL_TEST_CLOCK: '1',
    DWELL_SHUTDOWN_DEADLINE: '5s',
    ...environment,
  })
  const logger = loggerInto(lines)
  const host = { exitCode: 0 as number, on: () => undefined, off: () => undefined, exit: () => undefined }
  const shutdown = createShutdown({ logger, deadlineMs: config.shutdownDeadlineMs, host })
  const port = await composeWorker(config, logger, shutdown).start()
  return {
    lines,
    port,
    async stop() {
      await shutdown.begin('test')
      return host.exitCode
    },
  }
}

/** The queues as the console uses them. */
export interface Queues extends Readonly<Record<QueueName, ReturnType<typeof openQueue>>> {
  sweepNow(options?: { readonly retention?: boolean }): Promise<SweepSummary>
  /** Jobs that have not ended, of all kinds. */
  open(name: QueueName): Promise<number>
  close(): Promise<void>
}

export function openQueues(redisUrl: string): Queues {
  const logger = loggerInto([])
  const target = parseRedisUrl(redisUrl)
  const redis = connectRedis(target, { purpose: 'producing', name: 'test-queues', logger })
  const queues = Object.fromEntries(QUEUE_NAMES.map((name) => [name, openQueue(name, redis)])) as Record<
    QueueName,
    ReturnType<typeof openQueue>
  >
  return {
    ...queues,
    sweepNow: ({ retention = false } = {}) => requestSweep(queues, { retention, signal: new AbortController().signal }),
    async open(name) {
      return queues[name].getJobCountByTypes('active', 'waiting', 'prioritized', 'delayed')
    },
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()))
      await closeRedis(redis)
    },
  }
}
