import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@dwell/runtime/logger'

const AGAIN_AFTER_MS = 1_000

/**
 * Runs the first steps of a boot until they succeed: a worker that starts before its stores do waits for them, alive and not
 * ready, instead of being restarted over and over. Answers false when `signal` was aborted first.
 */
export async function untilStoresAnswer(
  steps: () => Promise<void>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<boolean> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      await steps()
      return true
    } catch (error) {
      if (attempt === 1) logger.warn('worker waits for its stores', { event: 'worker.waits', error })
    }
    await pause(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined)
  }
  return false
}
