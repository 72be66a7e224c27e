import { Writable } from 'node:stream'
import { loadIngestConfig } from '@dwell/runtime/config'
import { createLogger } from '@dwell/runtime/logger'
import { createShutdown } from '@dwell/runtime/shutdown'
import { compose } from '../compose'

/** A whole ingest in the test's own process, on stores of its own. */
export interface RunningIngest {
  /** The lines it logged, parsed. */
  readonly lines: readonly Record<string, unknown>[]
  readonly port: number
  /** As on SIGTERM; answers the exit code. */
  stop(): Promise<number>
}

/** `environment` is what the process would be started with, besides the stores. */
export async function startIngest(
  stores: { readonly databaseUrl: string; readonly redisUrl: string },
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningIngest> {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n')) if (line !== '') lines.push(JSON.parse(line))
      done()
    },
  })
  const config = loadIngestConfig({
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    INGEST_PORT: '0',
    DWELL_BIND_ADDRESS: '127.0.0.1',
    DWELL_INGEST_BLOCK: '100ms',
    ...environment,
  })
  const logger = createLogger({ process: 'ingest', level: 'debug', format: 'json', stream })
  const host = { exitCode: 0 as number, on: () => undefined, off: () => undefined, exit: () => undefined }
  const shutdown = createShutdown({ logger, deadlineMs: config.shutdownDeadlineMs, host })
  await compose(config, logger, shutdown).start()
  const started = lines.find((line) => line.event === 'ingest.started')
  return {
    lines,
    port: Number(started?.port),
    async stop() {
      await shutdown.begin('test')
      return host.exitCode
    },
  }
}
