import { Redis } from 'ioredis'
import { shown } from './matching'

const EVENTS = 'dwell:events'
const GROUP = 'dwell-ingest'
export const ACTIONS = 'dwell:actions'
export const DEAD_EVENTS = 'dwell:dead-events'

const ACKNOWLEDGE_LIMIT_MS = 15_000
const ASK_AGAIN_MS = 5

/** The streams of a running product. */
export class Streams {
  private readonly redis: Redis

  constructor(url: string) {
    this.redis = new Redis(url)
    this.redis.on('error', () => {})
  }

  close(): void {
    this.redis.disconnect()
  }

  /** The id of the newest entry; everything that comes later is after it. */
  async newest(stream: string): Promise<string> {
    const [entry] = await this.redis.xrevrange(stream, '+', '-', 'COUNT', 1)
    return entry?.[0] ?? '0-0'
  }

  /** The entries after one, oldest first, each as the object of its fields. */
  async entriesAfter(stream: string, id: string): Promise<Record<string, string>[]> {
    const entries = await this.redis.xrange(stream, `(${id}`, '+')
    return entries.map(([, fields]) => objectOf(fields) as Record<string, string>)
  }

  /** Adds the events and waits until the product's group has acknowledged everything. */
  async publish(texts: readonly string[]): Promise<void> {
    const pipeline = this.redis.pipeline()
    for (const text of texts) pipeline.xadd(EVENTS, '*', 'event', text)
    const results = (await pipeline.exec()) ?? []
    for (const [error] of results) if (error) throw error
    const last = results.at(-1)?.[1]
    if (typeof last === 'string') await this.acknowledged(last)
  }

  private async acknowledged(last: string): Promise<void> {
    const until = performance.now() + ACKNOWLEDGE_LIMIT_MS
    for (;;) {
      const group = await this.group()
      if (group && group.pending === 0 && !isBefore(String(group['last-delivered-id']), last)) return
      if (performance.now() > until) throw new Error(`events were not acknowledged in time: ${shown(group)}`)
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }

  private async group(): Promise<Record<string, unknown> | undefined> {
    const groups = (await this.redis.xinfo('GROUPS', EVENTS)) as unknown[][]
    return groups.map(objectOf).find(({ name }) => name === GROUP)
  }
}

function objectOf(flat: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (let i = 0; i + 1 < flat.length; i += 2) object[String(flat[i])] = flat[i + 1]
  return object
}

function isBefore(a: string, b: string): boolean {
  const [aTime = 0n, aCount = 0n] = a.split('-').map(BigInt)
  const [bTime = 0n, bCount = 0n] = b.split('-').map(BigInt)
  return aTime < bTime || (aTime === bTime && aCount < bCount)
}
