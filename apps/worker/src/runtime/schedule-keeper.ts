import type { openQueue } from '@dwell/queues/queue-connection'
import { reconcileSchedules, requestBootSweep, restoreSchedules } from '@dwell/queues/schedules'
import type { Logger } from '@dwell/runtime/logger'

type Queue = ReturnType<typeof openQueue>

/** How long ticks may be missing after Redis was emptied. */
const LOOK_EVERY_MS = 15_000

/**
 * Sees to the schedules at boot, catches up on what came due while nobody ran, and looks from time to time whether the
 * schedules are still there: they are the only thing in Redis that nothing else would bring back.
 */
export async function keepSchedules(
  queues: { readonly sweep: Queue; readonly retention: Queue },
  logger: Logger,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<{ stop(): void }> {
  await reconcileSchedules(queues)
  await requestBootSweep(queues.sweep)
  const timer = setInterval(async () => {
    try {
      if (!(await restoreSchedules(queues))) return
      logger.warn('schedules were gone and are set up again', { event: 'schedules.restored' })
      await requestBootSweep(queues.sweep)
    } catch (error) {
      logger.warn('schedules could not be looked at', { event: 'schedules.unknown', error })
    }
  }, lookEveryMs)
  return { stop: () => clearInterval(timer) }
}
