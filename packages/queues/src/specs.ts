import { deliverJob, processJob, retentionJob, settleJob, stepJob, sweepJob } from '@dwell/contracts/jobs'
import type { JobsOptions } from 'bullmq'
import type { z } from 'zod'
import type { QueueName } from './names'

/** What is fixed about a queue: the shape of its payloads and what becomes of its jobs. */
export interface QueueSpec {
  readonly payload: z.ZodType
  readonly options: JobsOptions
  /** Jobs of all processes together that may run at once; left out: no limit. */
  readonly globalConcurrency?: number
  readonly stalls: StallLimits
}

/** When a job whose worker went silent is given to another, and how often. */
export interface StallLimits {
  /** ms without a sign of life. */
  readonly lockMs: number
  /** ms between two looks for such jobs. */
  readonly checkMs: number
  readonly maxStalls: number
  /** BullMQ gives jobs of a schedule back without limit, unless their starts are counted. */
  readonly maxStarts?: number
}

const DAY_SECONDS = 86_400
const STALLS: StallLimits = { lockMs: 30_000, checkMs: 30_000, maxStalls: 2 }

/**
 * Postgres keeps the history; jobs are kept so that an operator can look at the latest. No job is retried by BullMQ: the
 * next tick, the reclaim and `next_attempt_at` are the retries, and two ledgers of attempts would disagree.
 */
export const QUEUE_SPECS = {
  sweep: {
    payload: sweepJob,
    options: { attempts: 1, removeOnComplete: { count: 300 }, removeOnFail: { age: 14 * DAY_SECONDS, count: 1_000 } },
    globalConcurrency: 1,
    // Only one may run, so a dead worker's sweep must not stand in the way for long. One that is taken for dead and is not
    // does no harm: two sweeps share the rows.
    stalls: { lockMs: 4_000, checkMs: 2_000, maxStalls: 5, maxStarts: 10 },
  },
  process: {
    payload: processJob,
    options: {
      attempts: 1,
      removeOnComplete: { age: DAY_SECONDS, count: 5_000 },
      removeOnFail: { age: 14 * DAY_SECONDS, count: 10_000 },
    },
    stalls: STALLS,
  },
  step: {
    payload: stepJob,
    options: {
      attempts: 1,
      removeOnComplete: { age: DAY_SECONDS, count: 5_000 },
      removeOnFail: { age: 14 * DAY_SECONDS, count: 10_000 },
    },
    stalls: STALLS,
  },
  deliver: {
    payload: deliverJob,
    options: {
      attempts: 1,
      // Under an attempt's id only one job may exist. A kept one, of an attempt that could not be made or came too early,
      // would swallow the next; what attempts came to is kept with the delivery.
      removeOnComplete: true,
      removeOnFail: true,
    },
    stalls: STALLS,
  },
  settle: {
    payload: settleJob,
    // Whoever asked reads the result within a moment; the ids of what was waited for may be many.
    options: {
      attempts: 1,
      removeOnComplete: { age: 300, count: 100 },
      removeOnFail: { age: DAY_SECONDS, count: 100 },
    },
    stalls: { lockMs: 10_000, checkMs: 5_000, maxStalls: 5 },
  },
  retention: {
    payload: retentionJob,
    options: { attempts: 1, removeOnComplete: { count: 60 }, removeOnFail: { count: 60 } },
    globalConcurrency: 1,
    stalls: { ...STALLS, maxStarts: 3 },
  },
} as const satisfies Record<QueueName, QueueSpec>
