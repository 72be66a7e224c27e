import { DEAD_EVENTS_STREAM, type DeadLetterError } from '@dwell/contracts/dead-letter'
import { EVENT_FIELD, EVENTS_GROUP } from '@dwell/contracts/events'
import { formatInstant, type Micros } from '@dwell/contracts/instant'
import type { RedisConnection } from '@dwell/runtime/redis'
import { Cluster } from 'ioredis'
import type { StreamEntry } from './stream-entry'

/** An entry that cannot be taken. `received` is its text, or all its fields where the text is missing. */
export interface DeadEntry {
  readonly entry: StreamEntry
  readonly received: string
  readonly error: DeadLetterError
  readonly detail: string
}

/**
 * Writes the dead letters and acknowledges the entries in one MULTI, so that a repetition of the batch doubles none. A
 * cluster keeps the streams on different nodes: there the letters are written first, and in the worst case twice.
 */
export async function settle(
  redis: RedisConnection,
  entries: readonly StreamEntry[],
  dead: readonly DeadEntry[],
  failedAt: Micros,
): Promise<void> {
  const acknowledged = new Map<string, string[]>()
  for (const { stream, id } of entries) {
    const ids = acknowledged.get(stream)
    if (ids === undefined) acknowledged.set(stream, [id])
    else ids.push(id)
  }
  if (redis instanceof Cluster) {
    for (const letter of dead) await redis.xadd(DEAD_EVENTS_STREAM, '*', ...fieldsOf(letter, failedAt))
    for (const [stream, ids] of acknowledged) await redis.xack(stream, EVENTS_GROUP, ...ids)
    return
  }
  const transaction = redis.multi()
  for (const letter of dead) transaction.xadd(DEAD_EVENTS_STREAM, '*', ...fieldsOf(letter, failedAt))
  for (const [stream, ids] of acknowledged) transaction.xack(stream, EVENTS_GROUP, ...ids)
  for (const [error] of (await transaction.exec()) ?? []) if (error) throw error
}

function fieldsOf({ entry, received, error, detail }: DeadEntry, failedAt: Micros): string[] {
  const fields = { [EVENT_FIELD]: received, error, detail, entry_id: entry.id, failed_at: formatInstant(failedAt) }
  return Object.entries(fields).flat()
}
