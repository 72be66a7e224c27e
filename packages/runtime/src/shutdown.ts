import type { Logger } from './logger'

/** Signals closer together than this are one wish: a terminal and a supervisor often both pass it on. */
const SAME_SIGNAL_MS = 1_000
/** How long a process may linger after its last step before a handle that was left open is reported. */
const LINGER_MS = 2_000
/** With less than this left of the deadline no further step begins; timers are that inexact. */
const TOO_SHORT_MS = 2

export interface ShutdownStep {
  readonly name: string
  /** The signal is aborted when the step's time is over. */
  readonly run: (signal: AbortSignal) => Promise<unknown> | unknown
  /** Milliseconds; without it the step may use what is left of the deadline. */
  readonly limitMs?: number
}

/** What of the process a shutdown touches; tests give their own. */
export interface ShutdownHost {
  on(event: string, listener: (argument: unknown) => void): unknown
  off(event: string, listener: (argument: unknown) => void): unknown
  exit(code: number): void
  exitCode?: number | string | null | undefined
}

export interface Shutdown {
  /** Adds a step behind those that are there; steps run one after the other. */
  add(step: ShutdownStep): void
  /** Runs the steps, at most once; every call answers the same promise. A code other than 0 says that something failed. */
  begin(cause: string, exitCode?: number): Promise<void>
  /** SIGTERM, SIGINT and an error that nobody caught begin the shutdown. A second signal ends the process at once. */
  listen(): void
}

/**
 * An ordered shutdown: not ready, stop taking work, let work under way end, close clients. A step that fails or takes
 * too long is reported and the next one runs; when the deadline is over the rest is left and the process ends with 1.
 */
export function createShutdown(options: {
  readonly logger: Logger
  readonly deadlineMs: number
  readonly host?: ShutdownHost
}): Shutdown {
  const { logger, deadlineMs } = options
  const host: ShutdownHost = options.host ?? process
  const steps: ShutdownStep[] = []
  let running: Promise<void> | undefined
  let firstSignalAt: number | undefined
  let faulted = false

  function begin(cause: string, exitCode = 0): Promise<void> {
    running ??= run(cause, exitCode)
    return running
  }

  async function run(cause: string, exitCode: number): Promise<void> {
    const began = performance.now()
    logger.info('shutdown began', { event: 'shutdown.began', cause })
    let failed = false
    for (const step of steps) {
      const left = deadlineMs - (performance.now() - began)
      const outcome =
        left < TOO_SHORT_MS ? 'left out' : await runStep(step, Math.min(left, step.limitMs ?? left), logger)
      if (outcome !== 'done') {
        failed = true
        logger.error('shutdown step failed', { event: 'shutdown.step_failed', step: step.name, outcome })
      }
    }
    logger.info('shutdown completed', {
      event: 'shutdown.completed',
      duration_ms: Math.round(performance.now() - began),
    })
    end(exitCode || (failed ? 1 : 0))
  }

  function end(code: number): void {
    for (const [event, listener] of listeners) host.off(event, listener)
    host.exitCode = code
    // Nothing should be left that keeps the process; if something is, it is a fault worth a line, not a hanging process.
    const timer = setTimeout(() => {
      logger.warn('process was kept by an open handle', { event: 'shutdown.lingered' })
      host.exit(code)
    }, LINGER_MS)
    timer.unref()
  }

  function onSignal(signal: string): void {
    const now = performance.now()
    if (firstSignalAt === undefined) {
      firstSignalAt = now
      void begin(signal)
    } else if (now - firstSignalAt > SAME_SIGNAL_MS) {
      logger.warn('shutdown was cut short', { event: 'shutdown.cut_short', cause: signal })
      host.exit(1)
    }
  }

  function onFault(error: unknown): void {
    // What comes after the first is most likely its consequence, and reporting it might be what fails.
    if (faulted) return
    faulted = true
    logger.error('unexpected error ended the process', { event: 'process.failed', error })
    void begin('unexpected error', 1)
  }

  const listeners: [string, (argument: unknown) => void][] = [
    ['SIGTERM', () => onSignal('SIGTERM')],
    ['SIGINT', () => onSignal('SIGINT')],
    ['uncaughtException', onFault],
    ['unhandledRejection', onFault],
  ]

  return {
    add: (step) => steps.push(step),
    begin,
    listen() {
      for (const [event, listener] of listeners) host.on(event, listener)
    },
  }
}

async function runStep(step: ShutdownStep, limitMs: number, logger: Logger): Promise<'done' | 'failed' | 'timed out'> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<'timed out'>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new Error(`The shutdown step ${step.name} took longer than ${Math.round(limitMs)} ms`))
      resolve('timed out')
    }, limitMs)
  })
  const work = (async () => {
    try {
      await step.run(controller.signal)
      return 'done' as const
    } catch (error) {
      logger.error('shutdown step threw', { event: 'shutdown.step_threw', step: step.name, error })
      return 'failed' as const
    }
  })()
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
