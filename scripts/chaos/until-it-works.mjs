import { setTimeout as pause } from 'node:timers/promises'

/** Tries again while processes and stores are being killed; the last error is thrown. */
export async function untilItWorks(work, withinMs = 180_000) {
  for (const until = Date.now() + withinMs; ; ) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > until) throw error
      await pause(250)
    }
  }
}
