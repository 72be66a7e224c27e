import { EVENTS_GROUP } from '@dwell/contracts/events'
import type { RedisConnection } from '@dwell/runtime/redis'

/** A consumer group of a stream as Redis describes it. */
export interface GroupInfo {
  readonly name: string
  /** The greatest id that was handed to any of its consumers. */
  readonly lastDelivered: string
  /** Entries handed out and not acknowledged. */
  readonly pending: number
  /** Entries not handed out yet; null where Redis cannot tell. */
  readonly lag: number | null
}

export async function readGroups(redis: RedisConnection, stream: string): Promise<GroupInfo[]> {
  const reply = (await redis.xinfo('GROUPS', stream)) as readonly (readonly unknown[])[]
  return reply.map((fields) => {
    const info = new Map<unknown, unknown>()
    for (let i = 0; i + 1 < fields.length; i += 2) info.set(fields[i], fields[i + 1])
    const lag = info.get('lag')
    return {
      name: String(info.get('name')),
      lastDelivered: String(info.get('last-delivered-id')),
      pending: Number(info.get('pending')),
      lag: typeof lag === 'number' ? lag : null,
    }
  })
}

/** Entries over all streams that our group has before it, handed out or not. NaN where Redis cannot tell. */
export async function readBacklog(redis: RedisConnection, streams: readonly string[]): Promise<number> {
  const groups = await ownGroups(redis, streams)
  return groups.reduce((sum, { pending, lag }) => sum + pending + (lag ?? Number.NaN), 0)
}

/** Rejects when our group is missing on one of the streams. */
export async function checkGroups(redis: RedisConnection, streams: readonly string[]): Promise<void> {
  await ownGroups(redis, streams)
}

function ownGroups(redis: RedisConnection, streams: readonly string[]): Promise<GroupInfo[]> {
  return Promise.all(
    streams.map(async (stream) => {
      const own = (await readGroups(redis, stream)).find((group) => group.name === EVENTS_GROUP)
      if (own === undefined) throw new Error(`The stream ${stream} has no group ${EVENTS_GROUP}`)
      return own
    }),
  )
}
