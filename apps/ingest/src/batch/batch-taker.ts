import type { InboundEvent } from '@dwell/contracts/events'
import { failureClassOf } from '@dwell/database/ingest/failure-class'
import type { TakenBatch } from '@dwell/database/ingest/take-batch'
import type { Logger } from '@dwell/runtime/logger'
import type { IngestMetrics } from '../ingest-metrics'
import type { Pause } from '../pause'
import type { DeadEntry } from '../stream/settle'
import type { ReceivedEvent } from './read-entry'

const MAX_IMMEDIATE_RETRIES = 5

/** Takes all of the events or none of them. */
export type TakeEvents = (events: readonly InboundEvent[]) => Promise<TakenBatch>

/**
 * Takes batches whatever comes: a lost race is run again, an outage waited out, and an event that cannot be taken is
 * found by halving the batch, so that only it becomes a dead letter.
 */
export class BatchTaker {
  constructor(
    private readonly take: TakeEvents,
    private readonly pause: Pause,
    private readonly logger: Logger,
    private readonly metrics: Pick<IngestMetrics, 'retried'>,
    /** Right after each commit; must not fail. */
    private readonly onTaken: (batch: TakenBatch) => Promise<void>,
  ) {}

  /** `batch` in order of occurrence. Answers the events that became dead letters; throws `Stopped` only. */
  async takeAll(batch: readonly ReceivedEvent[]): Promise<DeadEntry[]> {
    let taken: TakenBatch
    try {
      taken = await this.pause.until(
        'database',
        () => this.takeWithRetries(batch),
        (error) => failureClassOf(error) !== 'event',
      )
    } catch (error) {
      if (failureClassOf(error) !== 'event') throw error
      return this.isolate(batch, error)
    }
    await this.onTaken(taken)
    return batch.flatMap(({ entry, text, event }, i) =>
      taken.outcomes[i] === 'unknown_account'
        ? [
            {
              entry,
              received: text,
              error: 'unknown_account' as const,
              detail: `account_id: there is no account ${event.account_id}; accounts are made by the API only`,
            },
          ]
        : [],
    )
  }

  private async takeWithRetries(batch: readonly ReceivedEvent[]): Promise<TakenBatch> {
    const events = batch.map((received) => received.event)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.take(events)
      } catch (error) {
        if (attempt > MAX_IMMEDIATE_RETRIES || failureClassOf(error) !== 'retry') throw error
        this.metrics.retried()
      }
    }
  }

  /** One of the events is to blame. The halves stay in order; each is a transaction of its own. */
  private async isolate(batch: readonly ReceivedEvent[], error: unknown): Promise<DeadEntry[]> {
    const [only, ...others] = batch
    if (only === undefined) return []
    if (others.length === 0) {
      this.logger.error('event could not be taken', { event: 'ingest.event_failed', entry_id: only.entry.id, error })
      return [{ entry: only.entry, received: only.text, error: 'processing_failed', detail: describe(error) }]
    }
    const middle = batch.length >> 1
    return [...(await this.takeAll(batch.slice(0, middle))), ...(await this.takeAll(batch.slice(middle)))]
  }
}

const MAX_DETAIL = 1_000

function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text
}
