import { deliverJob, processJob, retentionJob, sweepJob } from '@dwell/contracts/jobs'
import type { JobsOptions } from 'bullmq'
import type { z } from 'zod'
import type { QueueName } from './names'

/** What is fixed about a queue: the shape of its payloads and what becomes of its jobs. */
export interface QueueSpec {
  readonly payload: z.ZodType
  readonly options: JobsOptions
  /** Jobs of all processes together that may run at once; left out: no limit. */
  readonly globalConcurrency?: number
}

const DAY_SECONDS = 86_400

/**
 * Postgres keeps the history; jobs are kept so that an operator can look at the latest. No job is retried by BullMQ: the
 * next tick, the reclaim and `next_attempt_at` are the retries, and two ledgers of attempts would disagree.
 */
export const QUEUE_SPECS = {
  sweep: {
    payload: sweepJob,
    options: { attempts: 1, removeOnComplete: { count: 300 }, removeOnFail: { age: 14 * DAY_SECONDS, count: 1_000 } },
    globalConcurrency: 1,
  },
  process: {
    payload: processJob,
    options: {
      attempts: 1,
      removeOnComplete: { age: DAY_SECONDS, count: 5_000 },
      removeOnFail: { age: 14 * DAY_SECONDS, count: 10_000 },
    },
  },
  deliver: {
    payload: deliverJob,
    options: {
      attempts: 1,
      // Under the delivery's id only one job may exist: kept ones would swallow the next attempt.
      removeOnComplete: true,
      removeOnFail: { age: 14 * DAY_SECONDS, count: 10_000 },
    },
  },
  retention: {
    payload: retentionJob,
    options: { attempts: 1, removeOnComplete: { count: 60 }, removeOnFail: { count: 60 } },
    globalConcurrency: 1,
  },
} as const satisfies Record<QueueName, QueueSpec>
