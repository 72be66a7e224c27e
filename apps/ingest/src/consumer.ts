import { EVENTS_GROUP } from '@dwell/contracts/events'
import type { Logger } from '@dwell/runtime/logger'
import { closeRedis, type RedisConnection } from '@dwell/runtime/redis'
import { Cluster } from 'ioredis'
import type { EntryProcessor } from './batch/entry-processor'
import type { ReadEntries } from './batch/read-entry'
import type { IngestMetrics } from './ingest-metrics'
import { type Pause, Stopped } from './pause'
import { ensureGroups, isGroupMissing, readNew, readOwnPending } from './stream/consumer-group'
import { claimAbandoned, FROM_THE_START, removeIdleConsumers, withDeliveries } from './stream/takeover'

const MAX_CONSUMER_IDLE_MS = 86_400_000
const LONGEST_LAST_READ_MS = 3_000

export interface ConsumerOptions {
  readonly streams: readonly string[]
  readonly consumer: string
  /** Entries per stream and read. */
  readonly batchSize: number
  readonly blockMs: number
  readonly takeoverAfterMs: number
}

export interface ConsumerDependencies {
  /** For reads that wait; nobody else uses it. */
  readonly reader: RedisConnection
  readonly redis: RedisConnection
  readonly processor: EntryProcessor
  readonly pause: Pause
  readonly logger: Logger
  readonly metrics: IngestMetrics
}

/**
 * One consumer of the group `dwell-ingest`: reads, has the entries processed, and while a batch is under way already
 * waits for the next. Begins with what it was handed before it was last stopped, and from time to time takes over what
 * consumers that died have left.
 */
export class Consumer {
  private stopping = false
  /** Aborted when the reader is closed: what it was asked is answered by then, or never. */
  private readonly closed = new AbortController()
  /** Entries may be pending in our name that we do not hold: at the start, and after answers were lost. */
  private ownPendingDue = true
  private nextTakeoverAt = 0
  /** By which Redis knows the connection that waits. */
  private readerId: number | null = null

  constructor(
    private readonly deps: ConsumerDependencies,
    private readonly options: ConsumerOptions,
  ) {
    const { reader } = deps
    reader.on('close', () => {
      this.ownPendingDue = true
      this.readerId = null
    })
    reader.on('ready', () => {
      // Clients of a cluster have an id per node.
      if (reader instanceof Cluster) return
      reader.client('ID').then(
        (id) => {
          this.readerId = id
        },
        () => undefined,
      )
    })
  }

  /** Resolves after `stop`, when the batch under way is acknowledged or given up. */
  async run(): Promise<void> {
    try {
      await this.onRedis(() => ensureGroups(this.deps.redis, this.options.streams))
      while (!this.stopping) {
        if (this.ownPendingDue) await this.finishOwnPending()
        if (performance.now() >= this.nextTakeoverAt) await this.takeOver()
        await this.consume()
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    }
  }

  /** No entry is read any more. What was read, or is handed out by the read under way, is still processed. */
  async stop(): Promise<void> {
    this.stopping = true
    const { reader, redis } = this.deps
    // The read that waits answers now, with what it has: cutting it off could lose sight of an entry for a while.
    if (this.readerId !== null) await redis.client('UNBLOCK', this.readerId).catch(() => undefined)
    const cut = setTimeout(() => reader.disconnect(), LONGEST_LAST_READ_MS)
    await closeRedis(reader)
    clearTimeout(cut)
    this.closed.abort()
  }

  /** Reads until the streams are empty or something else is due, always one read ahead. */
  private async consume(): Promise<void> {
    let batch = await this.read()
    while (batch !== null) {
      const ahead = this.mayReadAhead() ? this.read() : null
      // A failure is met below, not before the batch under way has ended.
      ahead?.catch(() => undefined)
      await this.deps.processor.process(batch)
      batch = await ahead
    }
  }

  private mayReadAhead(): boolean {
    return !this.stopping && !this.ownPendingDue && performance.now() < this.nextTakeoverAt
  }

  /** Waits out outages. Null when there is nothing, and when the process ends. */
  private async read(): Promise<ReadEntries | null> {
    const { reader, processor } = this.deps
    const { batchSize, blockMs } = this.options
    try {
      const entries = await this.onRedis(() =>
        this.unlessClosed(readNew(reader, this.options, { count: batchSize, blockMs })),
      )
      return entries.length === 0 ? null : processor.read(entries)
    } catch (error) {
      if (error instanceof Stopped) return null
      throw error
    }
  }

  /** A reader that is closed while Redis is away leaves its command without an answer. */
  private async unlessClosed<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this.closed
    let stop: () => void = () => undefined
    const closed = new Promise<never>((_resolve, reject) => {
      stop = () => reject(new Stopped('The process ends'))
    })
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    try {
      return await Promise.race([answer, closed])
    } finally {
      signal.removeEventListener('abort', stop)
      answer.catch(() => undefined)
    }
  }

  private async finishOwnPending(): Promise<void> {
    this.ownPendingDue = false
    const { redis, processor } = this.deps
    for (;;) {
      const entries = await this.onRedis(async () => {
        const own = await readOwnPending(redis, this.options, this.options.batchSize)
        return withDeliveries(redis, this.options.consumer, own)
      })
      if (entries.length === 0) return
      await processor.process(processor.read(entries), { again: true })
      if (this.stopping) return
    }
  }

  private async takeOver(): Promise<void> {
    const { takeoverAfterMs } = this.options
    for (const stream of this.options.streams) {
      let cursor = FROM_THE_START
      do {
        cursor = await this.takeOverFrom(stream, cursor)
      } while (cursor !== FROM_THE_START && !this.stopping)
      await this.onRedis(() =>
        removeIdleConsumers(this.deps.redis, stream, {
          idleMs: MAX_CONSUMER_IDLE_MS,
          except: this.options.consumer,
        }),
      )
    }
    this.nextTakeoverAt = performance.now() + takeoverAfterMs / 2
  }

  private async takeOverFrom(stream: string, cursor: string): Promise<string> {
    const { redis, processor, logger, metrics } = this.deps
    const { consumer, takeoverAfterMs, batchSize } = this.options
    const claimed = await this.onRedis(async () => {
      const found = await claimAbandoned(redis, stream, {
        consumer,
        minIdleMs: takeoverAfterMs,
        count: batchSize,
        cursor,
      })
      return { cursor: found.cursor, entries: await withDeliveries(redis, consumer, found.entries) }
    })
    if (claimed.entries.length > 0) {
      metrics.takenOver(claimed.entries.length)
      logger.info('abandoned entries were taken over', {
        event: 'ingest.taken_over',
        stream,
        entries: claimed.entries.length,
      })
      await processor.process(processor.read(claimed.entries), { again: true })
    }
    return claimed.cursor
  }

  /** Waits out an outage; a group that is gone is made again. */
  private onRedis<T>(work: () => Promise<T>): Promise<T> {
    return this.deps.pause.until('redis', async () => {
      if (this.stopping) throw new Stopped('The process ends')
      try {
        return await work()
      } catch (error) {
        if (this.stopping) throw new Stopped('The process ends')
        if (!isGroupMissing(error)) throw error
        this.deps.logger.warn('consumer group was missing', { event: 'ingest.group_missing', group: EVENTS_GROUP })
        await ensureGroups(this.deps.redis, this.options.streams)
        return work()
      }
    })
  }
}
