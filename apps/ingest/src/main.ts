import { configOrExit, loadIngestConfig } from '@dwell/runtime/config'
import { createLogger } from '@dwell/runtime/logger'
import { createShutdown } from '@dwell/runtime/shutdown'
import { compose } from './compose'

const config = configOrExit(loadIngestConfig)
const logger = createLogger({ process: 'ingest', level: config.logLevel, format: config.logFormat })
const shutdown = createShutdown({ logger, deadlineMs: config.shutdownDeadlineMs })
const app = compose(config, logger, shutdown)

shutdown.listen()
app.start().catch((error: unknown) => {
  logger.error('ingest could not start', { event: 'ingest.failed', error })
  return shutdown.begin('could not start', 1)
})
