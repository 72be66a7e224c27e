import { hostname } from 'node:os'
import { parseRedisUrl } from './redis-url'
import {
  ConfigError,
  type ConfigOf,
  duration,
  type Environment,
  nameList,
  oneOf,
  readSettings,
  type Settings,
  setting,
  textOf,
  url,
  wholeNumber,
  yesOrNo,
} from './settings'

const port = wholeNumber(0, 65_535)

const database = {
  databaseUrl: setting('DATABASE_URL', url('postgresql', 'postgres'), {
    about: 'Where Postgres (15 or newer) is.',
    example: 'postgresql://dwell:secret@localhost:5432/dwell',
    required: true,
    secret: true,
  }),
} satisfies Settings

const logging = {
  logLevel: setting('DWELL_LOG_LEVEL', oneOf('error', 'warn', 'info', 'debug'), {
    about: 'The least severe level that is logged: error, warn, info or debug.',
    default: 'info',
  }),
  logFormat: setting('DWELL_LOG_FORMAT', oneOf('json', 'text'), {
    about: 'One JSON object per line, or text for people.',
    default: 'json',
  }),
} satisfies Settings

const mail = {
  deadEventsMaxAgeMs: setting('DWELL_DEAD_EVENTS_MAX_AGE', duration(3_600_000, 3_650 * 86_400_000), {
    about: 'The daily retention takes older entries off `dwell:dead-events`; how many is logged and counted.',
    default: '90d',
  }),
  deadEventsMaxEntries: setting('DWELL_DEAD_EVENTS_MAX_ENTRIES', wholeNumber(100, 100_000_000), {
    about:
      'Of more entries than these the daily retention takes the oldest off `dwell:dead-events`, logged and counted.',
    default: '100000',
  }),
  smtpUrl: setting('SMTP_URL', url('smtp', 'smtps'), {
    about: 'The mail server. Without it e-mails fail, with a reason that says so.',
    example: 'smtp://user:secret@mail.example:587',
    secret: true,
  }),
  mailFrom: setting('DWELL_MAIL_FROM', textOf(3), {
    about: 'Sender of e-mails.',
    default: 'Dwell <dwell@localhost>',
  }),
} satisfies Settings

/** What every long-running process reads. */
export const sharedSettings = {
  ...database,
  ...logging,
  redis: setting('REDIS_URL', (text) => parseRedisUrl(text.trim()), {
    about:
      'Where Redis (7 or newer) is: `redis://` or `rediss://` (TLS), `redis+sentinel://h1:26379,h2:26379/master-name`, ' +
      '`redis+cluster://h1:6379,h2:6379`. User name and password stand before the first host.',
    example: 'redis://localhost:6379',
    required: true,
    secret: true,
  }),
  databasePoolSize: setting('DWELL_DATABASE_POOL_SIZE', wholeNumber(1, 500), {
    about: 'Connections to Postgres that one process holds at most.',
    default: '10',
  }),
  databaseConnectTimeoutMs: setting('DWELL_DATABASE_CONNECT_TIMEOUT', duration(100, 60_000), {
    about: 'How long a process waits for a connection to Postgres before it counts as a failure.',
    default: '5s',
  }),
  databaseStatementTimeoutMs: setting('DWELL_DATABASE_STATEMENT_TIMEOUT', duration(1_000, 600_000), {
    about: 'After this time Postgres ends a statement of ours.',
    default: '1m',
  }),
  eventStreams: setting('DWELL_EVENT_STREAMS', nameList, {
    about: 'The inbound streams, separated by commas. All events of one conversation must go to the same stream.',
    default: 'dwell:events',
  }),
  testClock: setting('DWELL_TEST_CLOCK', yesOrNo, {
    about:
      'For tests only. With 1 time stands still, is set by `PUT /api/v1/test_clock` and nothing happens by its passing.',
    default: '0',
  }),
  signingKey: setting('DWELL_SIGNING_KEY', textOf(16), {
    about:
      'Signs cursors and the addresses in e-mails; the same for all processes, and long and random. Without it automations ' +
      'send no e-mails.',
    example: 'another-long-random-text-of-your-own',
    secret: true,
  }),
  publicUrl: setting('DWELL_PUBLIC_URL', url('http', 'https'), {
    about: 'Where receivers of e-mails reach the console: base of the addresses in them.',
    default: 'http://localhost:3000',
  }),
  tracesEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', url('http', 'https'), {
    about: 'Where traces go, by OTLP over HTTP in JSON (`/v1/traces` is appended). Without it nothing is traced.',
    example: 'http://localhost:4318',
  }),
  tracesHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', textOf(3), {
    about: 'Headers of requests with traces: `name=value`, separated by commas.',
    secret: true,
  }),
  bindAddress: setting('DWELL_BIND_ADDRESS', textOf(1), {
    about: 'The address on which the process listens.',
    default: '0.0.0.0',
  }),
  shutdownDeadlineMs: setting('DWELL_SHUTDOWN_DEADLINE', duration(100, 600_000), {
    about:
      'Within this time a process ends after SIGTERM. Keep it below the grace period of whatever stops the process.',
    default: '25s',
  }),
} satisfies Settings

export const ingestSettings = {
  ...sharedSettings,
  port: setting('INGEST_PORT', port, {
    about: 'Port of `/livez`, `/readyz` and `/metrics` of ingest.',
    default: '3001',
  }),
  consumerName: setting('DWELL_INGEST_CONSUMER', textOf(1), {
    about:
      'Name of this consumer in its group; must differ between processes and should survive a restart. Left out: host name and port.',
  }),
  batchSize: setting('DWELL_INGEST_BATCH_SIZE', wholeNumber(1, 10_000), {
    about: 'Events that one transaction takes at most.',
    default: '500',
  }),
  blockMs: setting('DWELL_INGEST_BLOCK', duration(10, 60_000), {
    about: 'How long one read of the streams waits for new events.',
    default: '2s',
  }),
  takeoverAfterMs: setting('DWELL_INGEST_TAKEOVER_AFTER', duration(1_000, 86_400_000), {
    about: 'An entry that its consumer has not acknowledged for so long is taken over. Must exceed the slowest batch.',
    default: '1m',
  }),
  maxEventBytes: setting('DWELL_INGEST_MAX_EVENT_BYTES', wholeNumber(1_024, 16_777_216), {
    about: 'A larger event is a dead letter.',
    default: '262144',
  }),
  maxDeliveries: setting('DWELL_INGEST_MAX_DELIVERIES', wholeNumber(2, 1_000), {
    about: 'An event that was read so often without ever being acknowledged is a dead letter.',
    default: '10',
  }),
  trimIntervalMs: setting('DWELL_INGEST_TRIM_INTERVAL', duration(1_000, 86_400_000), {
    about: 'How often a stream is trimmed behind what every group has acknowledged.',
    default: '30s',
  }),
} satisfies Settings

export const workerSettings = {
  ...sharedSettings,
  port: setting('WORKER_PORT', port, {
    about: 'Port of `/livez`, `/readyz` and `/metrics` of worker.',
    default: '3002',
  }),
  processConcurrency: setting('DWELL_WORKER_PROCESS_CONCURRENCY', wholeNumber(1, 5_000), {
    about: 'Rows that one worker judges at the same time.',
    default: '100',
  }),
  stepConcurrency: setting('DWELL_WORKER_STEP_CONCURRENCY', wholeNumber(1, 1_000), {
    about: 'Steps of automations that one worker carries out at the same time.',
    default: '20',
  }),
  deliverConcurrency: setting('DWELL_WORKER_DELIVER_CONCURRENCY', wholeNumber(1, 1_000), {
    about: 'Slow deliveries (webhooks, e-mail) that one worker has under way at the same time.',
    default: '20',
  }),
  actionsMaxEntries: setting('DWELL_ACTIONS_MAX_ENTRIES', wholeNumber(1_000, 1_000_000_000), {
    about:
      'Entries that the outbound stream keeps while no consumer group reads it, after the daily retention. With groups it ' +
      'is trimmed behind what all of them have acknowledged.',
    default: '1000000',
  }),
  ...mail,
  webhookTimeoutMs: setting('DWELL_WEBHOOK_TIMEOUT', duration(100, 120_000), {
    about: 'How long a webhook receiver may take to answer.',
    default: '15s',
  }),
  allowPrivateWebhooks: setting('DWELL_ALLOW_PRIVATE_WEBHOOKS', yesOrNo, {
    about: 'With 1 webhooks may go to loopback and private addresses. Off, such an address is refused.',
    default: '0',
  }),
} satisfies Settings

export const consoleSettings = {
  ...sharedSettings,
  ...mail,
  port: setting('CONSOLE_PORT', port, { about: 'Port of the API, the web interface and Bull Board.', default: '3000' }),
  adminToken: setting('DWELL_ADMIN_TOKEN', textOf(1), {
    about:
      'The token that may do everything on this installation. Whoever guesses it owns everything: make it long and random.',
    example: 'a-long-random-text-of-your-own',
    required: true,
    secret: true,
  }),
  maxBodyBytes: setting('DWELL_MAX_BODY_BYTES', wholeNumber(1_024, 67_108_864), {
    about: 'A larger request body is refused with 413.',
    default: '1048576',
  }),
  statisticsPoolSize: setting('DWELL_STATISTICS_POOL_SIZE', wholeNumber(1, 500), {
    about:
      'Further connections to Postgres, on which is read how automations perform: so many such requests are answered at the ' +
      'same time, others wait.',
    default: '4',
  }),
  statisticsTimeoutMs: setting('DWELL_STATISTICS_TIMEOUT', duration(100, 600_000), {
    about:
      'After this time Postgres ends a statement that reads how automations perform (statistics, runs, search); the request is answered 503.',
    default: '5s',
  }),
} satisfies Settings

/** What the migration job reads. */
export const migrateSettings = { ...database, ...logging } satisfies Settings

/** Every process with its settings, for the generated documents. */
export const settingsByProcess = {
  ingest: ingestSettings,
  worker: workerSettings,
  console: consoleSettings,
  migrate: migrateSettings,
} as const

export type IngestConfig = ConfigOf<typeof ingestSettings> & { readonly consumerName: string }
export type WorkerConfig = ConfigOf<typeof workerSettings>
export type ConsoleConfig = ConfigOf<typeof consoleSettings>
export type MigrateConfig = ConfigOf<typeof migrateSettings>

/** Throws `ConfigError` with all faults. */
export function loadIngestConfig(environment: Environment): IngestConfig {
  const config = readSettings(ingestSettings, environment)
  return { ...config, consumerName: config.consumerName ?? `${hostname()}-${config.port}` }
}

/** Throws `ConfigError` with all faults. */
export function loadWorkerConfig(environment: Environment): WorkerConfig {
  return readSettings(workerSettings, environment)
}

/** Throws `ConfigError` with all faults. */
export function loadConsoleConfig(environment: Environment): ConsoleConfig {
  return readSettings(consoleSettings, environment)
}

/** Throws `ConfigError` with all faults. */
export function loadMigrateConfig(environment: Environment): MigrateConfig {
  return readSettings(migrateSettings, environment)
}

/** Runs a loader for a `main.ts`: a faulty environment ends the process with code 1 and one report on standard error. */
export function configOrExit<T>(load: (environment: Environment) => T): T {
  try {
    return load(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
