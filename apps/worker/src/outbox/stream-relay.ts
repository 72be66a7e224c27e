import { ACTION_FIELD, ACTIONS_STREAM } from '@dwell/contracts/action'
import { formatInstant } from '@dwell/contracts/instant'
import {
  markRelayed,
  pendingStreamDeliveries,
  recentlyRelayed,
  type StreamDelivery,
} from '@dwell/database/deliveries/stream-relay'
import type { Pool } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { WorkerMetrics } from '../worker-metrics'

/**
 * Key and entry in one step: whoever comes second finds the key. Both survive a crash of Redis or neither does. The key
 * shares the stream's slot in a cluster.
 */
const RELAY = `
  if redis.call('SET', KEYS[2], '1', 'NX', 'EX', ARGV[3]) then
    redis.call('XADD', KEYS[1], '*', ARGV[1], ARGV[2])
    return 1
  end
  return 0`

/** A delivery is repeated after a crash or an outage, in the worst case by a person; its row lives for 30 days, its key longer. */
const KEY_SECONDS = 45 * 86_400
const PAGE = 1_000
/** Redis with `appendfsync everysec` loses at most two seconds; a worker may need some time to see that it is back. */
const LOST_AT_MOST_SECONDS = 60

export interface StreamRelayDependencies {
  readonly pool: Pool
  readonly redis: RedisConnection
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: WorkerMetrics
}

/** Brings decided actions to `dwell:actions`, each exactly once, in pipelined batches. */
export class StreamRelay {
  constructor(private readonly deps: StreamRelayDependencies) {}

  /** Relays in the given order and keeps that it was done. Rejects when Redis or Postgres refuse; the rest stays pending. */
  async relay(deliveries: readonly StreamDelivery[]): Promise<void> {
    for (let start = 0; start < deliveries.length; start += PAGE) {
      const page = deliveries.slice(start, start + PAGE)
      const written = await this.write(page)
      const now = await this.deps.clock.now()
      await markRelayed(
        this.deps.pool,
        page.map(({ id }) => id),
        now,
        formatInstant(now),
      )
      this.deps.metrics.deliveries.add({ queue: 'stream', outcome: 'delivered' }, written)
    }
  }

  /** What a crash or an outage left behind. Answers how many deliveries there were. */
  async relayPending(): Promise<number> {
    let relayed = 0
    for (;;) {
      const page = await pendingStreamDeliveries(this.deps.pool, await this.deps.clock.now(), PAGE)
      await this.relay(page)
      relayed += page.length
      if (page.length < PAGE) return relayed
    }
  }

  /** After Redis was away: writes again what it may have lost. Where the key survived nothing happens. */
  async relayRecent(): Promise<void> {
    let afterId = ''
    let lost = 0
    for (;;) {
      const page = await recentlyRelayed(this.deps.pool, { seconds: LOST_AT_MOST_SECONDS, afterId, limit: PAGE })
      lost += await this.write(page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      afterId = last.id
    }
    if (lost > 0) this.deps.logger.warn('lost actions relayed again', { event: 'relay.restored', count: lost })
  }

  private async write(deliveries: readonly StreamDelivery[]): Promise<number> {
    const pipeline = this.deps.redis.pipeline()
    for (const { id, payload } of deliveries) {
      pipeline.eval(
        RELAY,
        2,
        ACTIONS_STREAM,
        `delivered:{${ACTIONS_STREAM}}:${id}`,
        ACTION_FIELD,
        JSON.stringify(payload),
        KEY_SECONDS,
      )
    }
    let written = 0
    for (const [error, answer] of (await pipeline.exec()) ?? []) {
      if (error !== null) throw error
      if (answer === 1) written += 1
    }
    return written
  }
}
