import { ACTION_FIELD, ACTIONS_STREAM } from '@dwell/contracts/action'
import { formatInstant, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import {
  lastRelayedAt,
  markRelayed,
  pendingStreamDeliveries,
  relayedSince,
  type StreamDelivery,
  streamDeliveriesOf,
} from '@dwell/database/deliveries/stream-relay'
import type { Pool } from '@dwell/database/pool'
import { type Clock, systemClock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { WorkerMetrics } from '../worker-metrics'

/**
 * Entry and key in one step: whoever comes second finds the key, and in a crash of Redis both survive or neither does. The
 * entry first: one that is refused must leave no key. Many deliveries in one script, in order: none can overtake another.
 * All keys share the stream's slot of a cluster.
 */
const RELAY = `
  local written = 0
  for i = 2, #KEYS do
    if redis.call('EXISTS', KEYS[i]) == 0 then
      redis.call('XADD', KEYS[1], '*', ARGV[2], ARGV[i + 1])
      redis.call('SET', KEYS[i], '1', 'EX', ARGV[1])
      written = written + 1
    end
  end
  return written`

/**
 * What was not marked is relayed again by the next sweep, what was lost when Redis is back: within minutes, or as long as
 * an outage lasts. A key costs some 150 bytes of Redis, so not for longer than such an outage may.
 */
const KEY_SECONDS = 7 * 86_400
/** Redis does nothing else while a script runs: a hundred entries take well below a millisecond. */
const SCRIPT_ENTRIES = 100
const PAGE = 1_000
/** Redis with `appendfsync everysec` loses two seconds at most; the rest is for clocks that differ. */
const LOST_AT_MOST = 60 * MICROS_PER_SECOND

export interface StreamRelayDependencies {
  readonly pool: Pool
  readonly redis: RedisConnection
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: WorkerMetrics
}

/** Brings decided actions to `dwell:actions`, each exactly once. */
export class StreamRelay {
  constructor(private readonly deps: StreamRelayDependencies) {}

  /** Relays in the given order and keeps that it was done. Rejects when Redis or Postgres refuse; the rest stays pending. */
  async relay(deliveries: readonly StreamDelivery[]): Promise<void> {
    for (let start = 0; start < deliveries.length; start += PAGE) {
      const page = deliveries.slice(start, start + PAGE)
      const written = await this.write(page)
      const now = await this.deps.clock.now()
      const ids = page.map(({ id }) => id)
      await markRelayed(this.deps.pool, ids, now, formatInstant(now))
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

  /**
   * Writes again what Redis may have lost when it went away: what was relayed in the last minute before. `goneSince` is when
   * this process saw it go (real time); one that has just begun goes by the last relay that anybody made. Where the key
   * survived nothing happens. docs/adr/0006.
   */
  async relayLost(goneSince: Micros | null): Promise<number> {
    const last = await lastRelayedAt(this.deps.pool)
    if (last === null) return 0
    // Beyond the life of the keys nobody could tell what was lost from what was not.
    const oldest = (await systemClock.now()) - KEY_SECONDS * MICROS_PER_SECOND + LOST_AT_MOST
    const since = Math.max(Math.min(last, goneSince ?? last) - LOST_AT_MOST, oldest)
    const ids = await relayedSince(this.deps.pool, since as Micros)
    let lost = 0
    for (let start = 0; start < ids.length; start += PAGE) {
      const missing = await this.missing(ids.slice(start, start + PAGE))
      if (missing.length > 0) lost += await this.write(await streamDeliveriesOf(this.deps.pool, missing))
    }
    if (lost > 0) this.deps.logger.warn('lost actions relayed again', { event: 'relay.restored', count: lost })
    return lost
  }

  private async missing(ids: readonly string[]): Promise<string[]> {
    const values = await this.deps.redis.mget(ids.map(keyOf))
    return ids.filter((_, i) => values[i] === null)
  }

  private async write(deliveries: readonly StreamDelivery[]): Promise<number> {
    let written = 0
    for (let start = 0; start < deliveries.length; start += SCRIPT_ENTRIES) {
      const some = deliveries.slice(start, start + SCRIPT_ENTRIES)
      const keys = [ACTIONS_STREAM, ...some.map(({ id }) => keyOf(id))]
      const payloads = some.map(({ payload }) => JSON.stringify(payload))
      written += Number(await this.deps.redis.eval(RELAY, keys.length, ...keys, KEY_SECONDS, ACTION_FIELD, ...payloads))
    }
    return written
  }
}

function keyOf(id: string): string {
  return `delivered:{${ACTIONS_STREAM}}:${id}`
}
