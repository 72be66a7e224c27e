import { configOrExit, loadWorkerConfig } from '@dwell/runtime/config'
import { startHealthServer } from '@dwell/runtime/health'
import { createLogger } from '@dwell/runtime/logger'
import { createShutdown } from '@dwell/runtime/shutdown'
import { composeWorker } from './compose'

async function main(): Promise<void> {
  const config = configOrExit(loadWorkerConfig)
  const logger = createLogger({ process: 'worker', level: config.logLevel, format: config.logFormat })
  const shutdown = createShutdown({ logger, deadlineMs: config.shutdownDeadlineMs })
  shutdown.listen()
  const worker = composeWorker(config, logger, shutdown)
  await worker.start()
  const server = await startHealthServer({
    host: config.bindAddress,
    port: config.port,
    health: worker.health,
    metrics: worker.metrics,
  })
  shutdown.add({ name: 'probes', run: () => server.close() })
  logger.info('worker started', { event: 'process.started', port: server.port })
}

void main()
