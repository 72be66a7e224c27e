import type { TakenBatch } from '@dwell/database/ingest/take-batch'
import type { RowChangeKind } from '@dwell/domain/rules/fold-rows'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { Tracing } from '@dwell/runtime/tracing'
import type { IngestMetrics } from '../ingest-metrics'
import type { Pause } from '../pause'
import { type DeadEntry, settle } from '../stream/settle'
import type { StreamEntry } from '../stream/stream-entry'
import { BatchTaker, type TakeEvents } from './batch-taker'
import { cutBatches } from './cut-batches'
import type { FollowUp } from './follow-up'
import { type ReadEntries, readEntries } from './read-entry'

export interface ProcessingLimits {
  /** Events per transaction. */
  readonly batchSize: number
  readonly maxEventBytes: number
  readonly maxDeliveries: number
}

export interface ProcessorDependencies {
  readonly take: TakeEvents
  readonly redis: RedisConnection
  readonly clock: Clock
  readonly followUp: FollowUp
  readonly pause: Pause
  readonly logger: Logger
  readonly metrics: IngestMetrics
  readonly tracing: Tracing
  readonly limits: ProcessingLimits
}

/**
 * What becomes of the entries of one read: parse, take, follow up, acknowledge, in this order. They are acknowledged when
 * everything of them is committed; whatever ends the process before that makes them come again, and a second time they
 * have no effect.
 */
export class EntryProcessor {
  private readonly taker: BatchTaker

  constructor(private readonly deps: ProcessorDependencies) {
    this.taker = new BatchTaker(deps.take, deps.pause, deps.logger, deps.metrics, async (batch) => {
      this.count(batch)
      await deps.followUp.after(batch)
    })
  }

  /** Parsing needs nobody else: it may be done while another batch is under way. */
  read(entries: readonly StreamEntry[]): ReadEntries {
    return readEntries(entries, this.deps.limits)
  }

  /** `again`: somebody was handed them before. Throws `Stopped` only: then nothing of it is acknowledged. */
  process(read: ReadEntries, { again } = { again: false }): Promise<void> {
    const { tracing } = this.deps
    if (!tracing.on) return this.takeAndSettle(read, again)
    const attributes = { 'messaging.batch.message_count': read.entries.length, 'dwell.dead': read.dead.length }
    return tracing.span('ingest batch', { kind: 'consumer', attributes }, (span) => {
      for (const { event } of read.events) span.link(event.traceparent)
      return this.takeAndSettle(read, again)
    })
  }

  private async takeAndSettle(read: ReadEntries, again: boolean): Promise<void> {
    const { clock, limits, metrics, pause, redis } = this.deps
    const began = performance.now()
    const dead: DeadEntry[] = [...read.dead]
    for (const batch of cutBatches(read.events, limits.batchSize)) dead.push(...(await this.taker.takeAll(batch)))
    if (again) await this.deps.followUp.catchUp()
    await pause.until('redis', async () => settle(redis, read.entries, dead, await clock.now()))
    this.report(dead)
    metrics.batch((performance.now() - began) / 1_000)
  }

  /** One line per reason, however many events of a batch share it: their letters tell the rest. */
  private report(dead: readonly DeadEntry[]): void {
    const firsts = new Map<DeadEntry['error'], { entry_id: string; events: number }>()
    for (const { entry, error } of dead) {
      this.deps.metrics.deadEvent(error)
      const first = firsts.get(error)
      if (first === undefined) firsts.set(error, { entry_id: entry.id, events: 1 })
      else first.events += 1
    }
    for (const [reason, first] of firsts)
      this.deps.logger.warn('events became dead letters', { event: 'ingest.dead_letters', reason, ...first })
  }

  private count(batch: TakenBatch): void {
    const { metrics } = this.deps
    const counts = { taken: 0, duplicate: 0, ignored: 0, unknown_account: 0 }
    for (const outcome of batch.outcomes) counts[outcome] += 1
    metrics.events('taken', counts.taken)
    metrics.events('duplicate', counts.duplicate)
    metrics.events('ignored', counts.ignored)
    metrics.runs(batch.runsBegun)
    for (const [kind, rows] of Object.entries(batch.changes)) metrics.rows(kind as RowChangeKind, rows)
  }
}
