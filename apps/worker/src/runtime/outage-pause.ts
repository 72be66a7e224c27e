import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@dwell/runtime/logger'

const LOOK_EVERY_MS = 250

export interface OutagePauseOptions {
  readonly queue: string
  /** Rejects while the database does not answer. */
  readonly databaseAnswers: () => Promise<unknown>
  readonly pause: () => Promise<unknown>
  readonly resume: () => Promise<unknown>
  readonly logger: Logger
  /** Aborted when the workload closes. */
  readonly signal: AbortSignal
}

/**
 * Keeps a workload from running its whole queue against a database that is away: every job would fail at once and its row
 * wait for the reclaim. Answers what to await when a job failed: if the database does not answer, no more jobs are taken
 * until it does.
 */
export function createOutagePause(options: OutagePauseOptions): () => Promise<void> {
  const { queue, logger, signal } = options
  let looking: Promise<void> | null = null
  let paused = false

  async function look(): Promise<void> {
    if (await answers()) return
    paused = true
    await options.pause()
    logger.warn('workload paused while the database is away', { event: 'workload.paused', queue })
    void resumeWhenBack()
  }

  async function resumeWhenBack(): Promise<void> {
    do await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    while (!signal.aborted && !(await answers()))
    paused = false
    if (signal.aborted) return
    await options.resume()
    logger.info('workload resumed', { event: 'workload.resumed', queue })
  }

  async function answers(): Promise<boolean> {
    try {
      await options.databaseAnswers()
      return true
    } catch {
      return false
    }
  }

  return async () => {
    if (paused) return
    looking ??= look().finally(() => {
      looking = null
    })
    await looking
  }
}
