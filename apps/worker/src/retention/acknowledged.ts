import type { RedisConnection } from '@dwell/runtime/redis'

/**
 * The id before which every entry of a stream has been acknowledged by every group; null without a stream or without any
 * group.
 */
export async function acknowledgedUntil(redis: RedisConnection, stream: string): Promise<string | null> {
  if ((await redis.exists(stream)) === 0) return null
  const groups = ((await redis.xinfo('GROUPS', stream)) as unknown[][]).map(fields)
  const limits = await Promise.all(
    groups.map(async ({ name, 'last-delivered-id': lastDelivered }) => {
      const pending = (await redis.xpending(stream, String(name))) as unknown[]
      return typeof pending[1] === 'string' ? pending[1] : String(lastDelivered)
    }),
  )
  return limits.sort(compareIds)[0] ?? null
}

function fields(flat: unknown[]): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, i) => [String(flat[2 * i]), flat[2 * i + 1]]))
}

function compareIds(a: string, b: string): number {
  const [aTime = 0n, aSequence = 0n] = a.split('-').map(BigInt)
  const [bTime = 0n, bSequence = 0n] = b.split('-').map(BigInt)
  if (aTime !== bTime) return aTime < bTime ? -1 : 1
  return aSequence < bSequence ? -1 : aSequence > bSequence ? 1 : 0
}
