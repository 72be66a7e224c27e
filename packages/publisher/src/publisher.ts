import { EVENT_FIELD, EVENTS_STREAM, type InboundEventInput } from '@dwell/contracts/events'
import { Redis } from 'ioredis'
import { type ActionConsumer, type ActionHandler, type ConsumeOptions, startConsumer } from './consume-actions'
import { encodeEvents } from './encode-events'
import { type RedisClient, sendEntries } from './send-entries'

export interface PublisherOptions {
  /** `redis://` or `rediss://`. For Sentinel and Cluster hand over a connection of your own as `redis`. */
  readonly redisUrl?: string
  /** A connection of ioredis; it stays open after `close()`. */
  readonly redis?: RedisClient
  /** `dwell:events` unless given. All events of one conversation must go to the same stream. */
  readonly stream?: string
  /**
   * Trims the stream to about so many entries. Dwell trims it itself behind what it has taken; this is a guard against a
   * full Redis while Dwell is away, and loses the oldest events that Dwell has not taken yet.
   */
  readonly maxLen?: number
  /** Events in one pipeline; 500 unless given. */
  readonly chunkSize?: number
  /** For so long `publish` goes on trying while Redis is away; 30,000 ms unless given, 0 tries once. */
  readonly giveUpAfterMs?: number
}

export interface Publisher {
  /**
   * Checks all events first, then adds them to the stream in the given order. Resolves with the ids of the entries.
   * Rejects with `InvalidEventsError` (nothing was sent) or `PublishError` (says what was taken; the same events may be
   * published again).
   */
  publish(event: InboundEventInput): Promise<string>
  publish(events: readonly InboundEventInput[]): Promise<string[]>
  /**
   * Hands every action to `handler`, one after the other, at least once: after a crash or a rejected handler it comes
   * again. `action.id` never changes, so it is the key by which to recognise what was already done.
   */
  consumeActions(handler: ActionHandler, options: ConsumeOptions): ActionConsumer
  /** Stops all consumers and closes the connections that were opened here. */
  close(): Promise<void>
}

const COMMAND_LIMIT_MS = 10_000

/** Connects in the background; nothing waits for Redis before the first event. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { redis, own } = connectionOf(options)
  const consumers = new Set<ActionConsumer>()
  const sending = {
    stream: options.stream ?? EVENTS_STREAM,
    field: EVENT_FIELD,
    maxLen: options.maxLen,
    chunkSize: options.chunkSize ?? 500,
    giveUpAfterMs: options.giveUpAfterMs ?? 30_000,
  }

  async function publish(event: InboundEventInput): Promise<string>
  async function publish(events: readonly InboundEventInput[]): Promise<string[]>
  async function publish(given: InboundEventInput | readonly InboundEventInput[]): Promise<string | string[]> {
    const several = Array.isArray(given)
    const entryIds = await sendEntries(redis, encodeEvents(several ? given : [given]), sending)
    return several ? entryIds : (entryIds[0] ?? '')
  }

  return {
    publish,
    consumeActions(handler, consumeOptions) {
      const consumer = startConsumer(blockingConnection(redis), handler, consumeOptions)
      consumers.add(consumer)
      void consumer.stopped.then(() => consumers.delete(consumer))
      return consumer
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.stop()))
      if (!own) return
      if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect())
      else redis.disconnect()
    },
  }
}

function connectionOf({ redis, redisUrl }: PublisherOptions): { redis: RedisClient; own: boolean } {
  if (redis) return { redis, own: false }
  if (!redisUrl) throw new TypeError('createPublisher needs redisUrl or redis')
  const opened = new Redis(redisUrl, {
    connectionName: 'dwell:publisher',
    // A command fails soon while Redis is away: `publish` itself decides how long to go on.
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_LIMIT_MS,
  })
  ignoreErrors(opened)
  return { redis: opened, own: true }
}

/** Reads that wait would hold up everything else on a connection, and must outlive any number of reconnections. */
function blockingConnection(redis: RedisClient): RedisClient {
  const overrides = { maxRetriesPerRequest: null, commandTimeout: undefined }
  const connection =
    redis instanceof Redis ? redis.duplicate(overrides) : redis.duplicate([], { redisOptions: overrides })
  ignoreErrors(connection)
  return connection
}

/** Outages show in what they make fail; an error event without a listener would end the process. */
function ignoreErrors(connection: RedisClient): void {
  connection.on('error', () => {})
}
