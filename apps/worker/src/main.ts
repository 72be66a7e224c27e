import { configOrExit, loadWorkerConfig } from '@dwell/runtime/config'
import { createLogger } from '@dwell/runtime/logger'
import { createShutdown } from '@dwell/runtime/shutdown'
import { composeWorker } from './compose'

const config = configOrExit(loadWorkerConfig)
const logger = createLogger({ process: 'worker', level: config.logLevel, format: config.logFormat })
const shutdown = createShutdown({ logger, deadlineMs: config.shutdownDeadlineMs })
const worker = composeWorker(config, logger, shutdown)

shutdown.listen()
worker.start().catch((error: unknown) => {
  logger.error('worker could not start', { event: 'worker.failed', error })
  return shutdown.begin('could not start', 1)
})
