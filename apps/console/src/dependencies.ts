import type { Micros } from '@dwell/contracts/instant'
import type { SweepSummary } from '@dwell/contracts/jobs'
import type { Pool } from '@dwell/database/pool'
import type { Database } from '@dwell/database/prisma-client'
import type { MailSender } from '@dwell/mail/smtp-sender'
import type { QueueState } from '@dwell/queues/queue-state'
import type { Clock } from '@dwell/runtime/clock'
import type { ConsoleConfig } from '@dwell/runtime/config'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { AttemptLimit } from './sessions/attempt-limit'

export interface NamedQueueState {
  readonly name: string
  /** What its jobs are, for people. */
  readonly about: string
  readonly state: QueueState
}

/** What of the queues the console needs. */
export interface WorkRequests {
  /** Runs a sweep now and answers when all of its jobs have ended; rejects after `limitMs`. */
  sweep(options: { readonly retention: boolean }, limitMs: number): Promise<SweepSummary>
  /** Claims these rows anew and enqueues them; answers which ids were claimed. */
  claim(ids: readonly number[], now: Micros): Promise<readonly number[]>
  /** What stands in the queues at this moment. */
  queues(): Promise<readonly NamedQueueState[]>
  /** Something is due sooner than whoever waits expects. */
  wakeAt(dueAt: Micros, now: Micros): Promise<void>
}

export interface Dependencies {
  readonly config: Pick<
    ConsoleConfig,
    'adminToken' | 'maxBodyBytes' | 'eventStreams' | 'testClock' | 'signingKey' | 'publicUrl' | 'mailFrom'
  >
  readonly pool: Pool
  /** For reading how automations perform. */
  readonly statisticsPool: Pool
  readonly database: Database
  readonly redis: RedisConnection
  readonly clock: Clock
  readonly work: WorkRequests
  readonly signIns: AttemptLimit
  /** Null where no mail server is configured. */
  readonly mail: MailSender | null
  readonly logger: Logger
}
