import { join } from 'node:path'
import { configOrExit, loadMigrateConfig } from '@dwell/runtime/config'
import { createLogger } from '@dwell/runtime/logger'
import { applyMigrations } from './migrate'

const MIGRATIONS = join(__dirname, '..', '..', '..', 'prisma', 'migrations')

/** The migration job: `node packages/database/dist/migrate-cli.js`, configured by DATABASE_URL, from any directory. */
async function main(): Promise<void> {
  const config = configOrExit(loadMigrateConfig)
  const logger = createLogger({ process: 'migrate', level: config.logLevel, format: config.logFormat })
  try {
    const applied = await applyMigrations(config.databaseUrl, MIGRATIONS)
    logger.info('migrations completed', { event: 'migrations.completed', applied })
  } catch (error) {
    logger.error('migrations failed', { event: 'migrations.failed', error })
    process.exitCode = 1
  }
}

void main()
