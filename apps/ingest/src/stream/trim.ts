import type { RedisConnection } from '@dwell/runtime/redis'
import { readGroups } from './group-info'
import { compareEntryIds, nextEntryId } from './stream-entry'

/** How far one group has come. */
export interface GroupProgress {
  readonly name: string
  /** The greatest id that was handed to any of its consumers. */
  readonly lastDelivered: string
  /** The smallest id that was handed out and not acknowledged; null when there is none. */
  readonly oldestPending: string | null
}

/** The smallest id that some group still needs; null where no group says anything. Everything before it may go. */
export function firstNeeded(groups: readonly GroupProgress[]): string | null {
  const needed = groups.map((group) => group.oldestPending ?? nextEntryId(group.lastDelivered))
  return needed.sort(compareEntryIds)[0] ?? null
}

/**
 * Trims a stream behind what every one of its groups has acknowledged: Dwell's own and whoever else reads along. Whole
 * nodes only (`~`), so it costs next to nothing. Answers how many entries went.
 */
export async function trimAcknowledged(redis: RedisConnection, stream: string): Promise<number> {
  const point = firstNeeded(await readProgress(redis, stream))
  if (point === null) return 0
  let trimmed = 0
  for (;;) {
    // One command takes a hundred nodes at most, so that nobody waits long for it.
    const entries = await redis.xtrim(stream, 'MINID', '~', point)
    if (entries === 0) return trimmed
    trimmed += entries
  }
}

/** What is pending is read after what was delivered: entries handed out in between only make the answer more careful. */
async function readProgress(redis: RedisConnection, stream: string): Promise<GroupProgress[]> {
  const groups: GroupProgress[] = []
  for (const info of await readGroups(redis, stream)) {
    const [, oldestPending] = (await redis.xpending(stream, info.name)) as unknown as PendingSummary
    groups.push({ name: info.name, lastDelivered: info.lastDelivered, oldestPending })
  }
  return groups
}

type PendingSummary = readonly [count: number, oldest: string | null, ...unknown[]]
