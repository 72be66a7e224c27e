import { EVENTS_GROUP } from '@dwell/contracts/events'
import type { RedisConnection } from '@dwell/runtime/redis'
import { entriesOf, type ReadReply, type StreamEntry } from './stream-entry'

/** One consumer's view of the streams it reads. */
export interface GroupOptions {
  readonly streams: readonly string[]
  readonly consumer: string
}

/** Makes the group where it is missing, and the stream with it. It begins with the oldest entry there is. */
export async function ensureGroups(redis: RedisConnection, streams: readonly string[]): Promise<void> {
  for (const stream of streams) {
    try {
      await redis.xgroup('CREATE', stream, EVENTS_GROUP, '0', 'MKSTREAM')
    } catch (error) {
      if (errorCode(error) !== 'BUSYGROUP') throw error
    }
  }
}

/** Entries that nobody was handed yet, in stream order; waits up to `blockMs` for the first. `count` is per stream. */
export async function readNew(
  redis: RedisConnection,
  { streams, consumer }: GroupOptions,
  options: { readonly count: number; readonly blockMs: number },
): Promise<StreamEntry[]> {
  const reply = await redis.xreadgroup(
    'GROUP',
    EVENTS_GROUP,
    consumer,
    'COUNT',
    options.count,
    'BLOCK',
    options.blockMs,
    'STREAMS',
    ...streams,
    ...streams.map(() => '>'),
  )
  return entriesOf(reply as ReadReply)
}

/** The oldest entries that this consumer was handed and has not acknowledged. */
export async function readOwnPending(
  redis: RedisConnection,
  { streams, consumer }: GroupOptions,
  count: number,
): Promise<StreamEntry[]> {
  const reply = await redis.xreadgroup(
    'GROUP',
    EVENTS_GROUP,
    consumer,
    'COUNT',
    count,
    'STREAMS',
    ...streams,
    ...streams.map(() => '0'),
  )
  return entriesOf(reply as ReadReply)
}

/** The group is gone: Redis lost its data, or somebody destroyed it. */
export function isGroupMissing(error: unknown): boolean {
  return errorCode(error) === 'NOGROUP'
}

/** Redis begins every error with its code. */
function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? error.message.split(' ', 1)[0] : undefined
}
