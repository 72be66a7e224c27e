import { EVENTS_GROUP } from '@dwell/contracts/events'
import type { RedisConnection } from '@dwell/runtime/redis'
import { compareEntryIds, type RawEntry, type StreamEntry } from './stream-entry'

/** Where a search through the pending entries begins, and what Redis answers when it is through. */
export const FROM_THE_START = '0-0'

/**
 * Takes over entries that their consumer has neither acknowledged nor been handed again for `minIdleMs`: it died, or lost
 * the answer. `cursor` continues an earlier call; after the last one it is `FROM_THE_START` again.
 */
export async function claimAbandoned(
  redis: RedisConnection,
  stream: string,
  options: { readonly consumer: string; readonly minIdleMs: number; readonly count: number; readonly cursor: string },
): Promise<{ readonly cursor: string; readonly entries: StreamEntry[] }> {
  const [next, found] = (await redis.xautoclaim(
    stream,
    EVENTS_GROUP,
    options.consumer,
    options.minIdleMs,
    options.cursor,
    'COUNT',
    options.count,
  )) as unknown as AutoclaimReply
  return { cursor: next, entries: found.map(([id, fields]) => ({ stream, id, fields })) }
}

/** What is gone from the stream Redis takes out of the group by itself; it stands in a third list. */
type AutoclaimReply = readonly [cursor: string, entries: readonly RawEntry[], ...unknown[]]

/** The same entries with the number of times that each was handed out. They belong to `consumer`. */
export async function withDeliveries(
  redis: RedisConnection,
  consumer: string,
  entries: readonly StreamEntry[],
): Promise<StreamEntry[]> {
  const counted: StreamEntry[] = []
  for (const stream of new Set(entries.map((entry) => entry.stream))) {
    const own = entries.filter((entry) => entry.stream === stream)
    const ids = own.map((entry) => entry.id).sort(compareEntryIds)
    const reply = (await redis.xpending(
      stream,
      EVENTS_GROUP,
      ids[0] ?? '-',
      ids.at(-1) ?? '+',
      own.length,
      consumer,
    )) as readonly (readonly [id: string, consumer: string, idleMs: number, deliveries: number])[]
    const deliveries = new Map(reply.map(([id, , , count]) => [id, count]))
    counted.push(...own.map((entry) => ({ ...entry, deliveries: deliveries.get(entry.id) ?? 1 })))
  }
  return counted
}

// In one step: between looking and removing, a consumer may come back and be handed an entry, which would go with it.
const REMOVE_IDLE = `
  local removed = 0
  for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
    local info = {}
    for i = 1, #fields, 2 do info[fields[i]] = fields[i + 1] end
    if info.pending == 0 and info.idle > tonumber(ARGV[2]) and info.name ~= ARGV[3] then
      redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], info.name)
      removed = removed + 1
    end
  end
  return removed`

/** Takes consumers out of the group that have nothing pending and were not heard of for `idleMs`. Answers how many. */
export async function removeIdleConsumers(
  redis: RedisConnection,
  stream: string,
  options: { readonly idleMs: number; readonly except: string },
): Promise<number> {
  return Number(await redis.eval(REMOVE_IDLE, 1, stream, EVENTS_GROUP, options.idleMs, options.except))
}
