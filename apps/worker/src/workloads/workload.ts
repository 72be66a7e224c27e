import type { QueueName } from '@dwell/queues/names'
import type { z } from 'zod'

/** What a job knows about itself; nothing of the queue's library. */
export interface JobContext {
  readonly jobId: string
  /** Name under which it was added, e.g. `wake`. */
  readonly jobName: string
  /** It began before: it is run again after it failed, or after its worker died. */
  readonly repeated: boolean
  /** Aborted when the process shuts down and its patience is over. */
  readonly signal: AbortSignal
  /** Adds a line to the job's own log, which Bull Board shows. Best effort; one write to Redis, so not for every row. */
  log(line: string): void
}

/** One queue's work. */
export interface Workload<Payload> {
  readonly queue: QueueName
  readonly payload: z.ZodType<Payload>
  /** Jobs that this process runs at once. */
  readonly concurrency: number
  /** The result is what an operator sees on the job. */
  readonly process: (payload: Payload, context: JobContext) => Promise<unknown>
}
