import { configOrExit, loadConsoleConfig } from '@dwell/runtime/config'
import { createLogger } from '@dwell/runtime/logger'
import { createShutdown } from '@dwell/runtime/shutdown'
import { compose } from './compose'

const config = configOrExit(loadConsoleConfig)
const logger = createLogger({ process: 'console', level: config.logLevel, format: config.logFormat })
const shutdown = createShutdown({ logger, deadlineMs: config.shutdownDeadlineMs })
const app = compose(config, logger, shutdown)

shutdown.listen()
app.start().catch((error: unknown) => {
  logger.error('console could not start', { event: 'console.failed', error })
  return shutdown.begin('could not start', 1)
})
