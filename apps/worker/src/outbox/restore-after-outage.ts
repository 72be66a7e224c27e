import type { Micros } from '@dwell/contracts/instant'
import { systemClock } from '@dwell/runtime/clock'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { StreamRelay } from './stream-relay'

/**
 * Whenever Redis is back, what it may have lost is relayed again, and what it could not take meanwhile. Real time, also under the test clock: it is real servers
 * that crash. An attempt that fails is made again at the next connection, from the same beginning.
 */
export function restoreAfterOutages(
  redis: RedisConnection,
  relay: Pick<StreamRelay, 'relayLost' | 'relayPending'>,
  report: (error: unknown) => void,
): void {
  let goneSince: Micros | null = null
  let losses = 0
  redis.on('close', async () => {
    losses += 1
    goneSince ??= await systemClock.now()
  })
  redis.on('ready', async () => {
    const before = losses
    if (goneSince === null) return
    try {
      await relay.relayLost(goneSince)
      await relay.relayPending()
      // Gone again in between: what was written since may be lost too, so the beginning stays.
      if (losses === before) goneSince = null
    } catch (error) {
      report(error)
    }
  })
}
