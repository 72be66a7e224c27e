import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import { EVENT_FIELD, EVENTS_GROUP, EVENTS_STREAM, type InboundEventInput } from '@dwell/contracts/events'
import { Redis } from 'ioredis'
import { waitFor } from './wait-for'

/** The upstream's side of the streams. */
export class Upstream {
  readonly redis: Redis

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl)
    this.redis.on('error', () => undefined)
  }

  /** Adds events, or texts as they are; answers the ids of the entries. */
  async publish(events: readonly (InboundEventInput | string)[], stream = EVENTS_STREAM): Promise<string[]> {
    const pipeline = this.redis.pipeline()
    for (const event of events)
      pipeline.xadd(stream, '*', EVENT_FIELD, typeof event === 'string' ? event : JSON.stringify(event))
    const replies = (await pipeline.exec()) ?? []
    return replies.map(([error, id]) => {
      if (error) throw error
      return String(id)
    })
  }

  /** Until the group has acknowledged everything on the stream. */
  async acknowledged(stream = EVENTS_STREAM): Promise<void> {
    await waitFor(`the group to acknowledge all of ${stream}`, async () => {
      const [info] = (await this.redis.xinfo('GROUPS', stream)) as unknown[][]
      const [last] = (await this.redis.xrevrange(stream, '+', '-', 'COUNT', 1)) as [string, string[]][]
      const group = new Map<unknown, unknown>()
      for (let i = 0; i < (info?.length ?? 0); i += 2) group.set(info?.[i], info?.[i + 1])
      return group.get('pending') === 0 && group.get('last-delivered-id') === last?.[0]
    })
  }

  async pending(stream = EVENTS_STREAM): Promise<number> {
    const [count] = (await this.redis.xpending(stream, EVENTS_GROUP)) as [number]
    return count
  }

  /** Dead letters as objects, oldest first. */
  async deadLetters(): Promise<Record<string, string>[]> {
    const entries = await this.redis.xrange(DEAD_EVENTS_STREAM, '-', '+')
    return entries.map(([, fields]) => {
      const letter: Record<string, string> = {}
      for (let i = 0; i + 1 < fields.length; i += 2) letter[String(fields[i])] = String(fields[i + 1])
      return letter
    })
  }

  close(): void {
    this.redis.disconnect()
  }
}
