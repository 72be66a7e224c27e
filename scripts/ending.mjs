// How a script of ours ends: by its own will, by a signal, because its parent went, or by an error. Always the same way.

const SAME_SIGNAL_MS = 1_000

/**
 * Calls `stop` once, whatever comes first, then ends the process. Signals may come more than once for one wish (the
 * terminal, npm and the caller each pass them on); a later SIGINT ends at once and leaves the rest to the keeper.
 *
 * @param {{stop: () => Promise<void>, log: (text: string) => void, withParent?: boolean}} options
 *   `withParent`: ends also when the parent process is gone
 * @returns {{end: (code: number, reason?: string) => Promise<never>, isEnding: () => boolean}}
 */
export function endOnce({ stop, log, withParent = false }) {
  let ending
  let firstSignalAt

  function end(code, reason) {
    ending ??= (async () => {
      if (reason) log(reason)
      await stop().catch((error) => log(`Stopping failed: ${error.message}`))
      process.exit(code)
    })()
    return ending
  }

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      const now = performance.now()
      firstSignalAt ??= now
      if (signal === 'SIGINT' && now - firstSignalAt > SAME_SIGNAL_MS) process.exit(130)
      void end(0)
    })
  }
  process.on('unhandledRejection', (error) => void end(1, error instanceof Error ? error.stack : String(error)))

  if (withParent) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && void end(0), 500).unref()
  }
  return { end, isEnding: () => ending !== undefined }
}
