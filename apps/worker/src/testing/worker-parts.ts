import { Writable } from 'node:stream'
import { ACTION_FIELD, ACTIONS_STREAM, type ActionEnvelope } from '@dwell/contracts/action'
import type { InboundEventInput } from '@dwell/contracts/events'
import type { RuleDefinition } from '@dwell/contracts/rule'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import { type ClaimedExecution, claimDue } from '@dwell/database/pending-executions/claim'
import { createPool, type Pool } from '@dwell/database/pool'
import { createPrismaClient, type Database } from '@dwell/database/prisma-client'
import { RuleBooks } from '@dwell/database/rule-books'
import { createLogger, type Logger } from '@dwell/runtime/logger'
import { createMetrics, type Metrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis, type RedisConnection } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { parsed } from '@dwell/testing/event-builder'
import { FixedClock } from '@dwell/testing/fixed-clock'
import { type SeenExecution, seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import type { Stores } from '@dwell/testing/stores'
import { StreamRelay } from '../outbox/stream-relay'
import type { ProcessDependencies } from '../process/process-batch'
import { createWorkerMetrics, type WorkerMetrics } from '../worker-metrics'

/** What a worker is made of, on real stores, with a clock that the test sets. One account per test. */
export class WorkerParts {
  readonly clock = new FixedClock()
  /** The lines that were logged, parsed. */
  readonly lines: Record<string, unknown>[] = []
  readonly logger: Logger = loggerInto(this.lines)
  readonly registry: Metrics = createMetrics()
  readonly metrics: WorkerMetrics = createWorkerMetrics(this.registry)
  readonly books = new RuleBooks()
  readonly pool: Pool
  readonly database: Database
  readonly redis: RedisConnection
  readonly relay: StreamRelay
  /** With the feature `delayed_automations`; new for every test. */
  account = 0

  constructor(stores: Pick<Stores, 'databaseUrl' | 'redisUrl'>) {
    this.pool = createPool({ connectionString: stores.databaseUrl, max: 10, applicationName: 'worker-test' })
    this.database = createPrismaClient(this.pool)
    this.redis = connectRedis(parseRedisUrl(stores.redisUrl), {
      purpose: 'producing',
      name: 'worker-test',
      logger: this.logger,
    })
    this.relay = this.relayOver(this.redis)
  }

  /** A relay that goes over this connection, or writes what it did to another pool. */
  relayOver(redis: RedisConnection, pool: Pool = this.pool): StreamRelay {
    return new StreamRelay({ pool, redis, clock: this.clock, logger: this.logger, metrics: this.metrics })
  }

  async close(): Promise<void> {
    await closeRedis(this.redis)
    await this.pool.end()
  }

  /** What a process job works with. */
  processing(overrides: Partial<ProcessDependencies> = {}): ProcessDependencies {
    return {
      pool: this.pool,
      clock: this.clock,
      rules: this.books,
      relay: this.relay,
      enqueueDeliveries: async () => undefined,
      report: (message, error, fields) => this.logger.error(message, { ...fields, error }),
      metrics: this.metrics,
      ...overrides,
    }
  }

  /** A rule of the test's account; see `ruleDefinition` for what is not said. */
  rule(overrides: Partial<RuleDefinition> = {}): Promise<number> {
    return seedRule(this.pool, this.account, overrides)
  }

  otherAccount(options: Parameters<typeof seedAccount>[1] = {}): Promise<number> {
    return seedAccount(this.pool, options)
  }

  /** Takes events as ingest would, for the test's account unless said otherwise. Answers the ids of immediate rows. */
  async take(...events: readonly InboundEventInput[]): Promise<readonly number[]> {
    return this.takeFor(this.account, ...events)
  }

  async takeFor(account: number, ...events: readonly InboundEventInput[]): Promise<readonly number[]> {
    const taken = await takeBatch(
      this.pool,
      new RuleBooks(),
      events.map((event) => parsed({ ...event, account_id: account })),
      await this.clock.now(),
    )
    return taken.immediateIds
  }

  /** Claims what is due, as a sweep would. */
  async claim(limit = 1_000): Promise<ClaimedExecution[]> {
    return claimDue(this.pool, { now: await this.clock.now(), delayed: true, pauses: false }, limit)
  }

  /** The account's rows; `state` is `executed`, `skipped:episode_moved`, … */
  rows(account = this.account): Promise<SeenExecution[]> {
    return seenExecutions(this.pool, account)
  }

  async states(account = this.account): Promise<string[]> {
    return (await this.rows(account)).map(({ state }) => state)
  }

  /** What stands on the outbound stream for the account, oldest first. */
  async actions(account = this.account): Promise<ActionEnvelope[]> {
    const entries = await this.redis.xrange(ACTIONS_STREAM, '-', '+')
    return entries
      .map(([, fields]) => JSON.parse(fields[fields.indexOf(ACTION_FIELD) + 1] ?? '') as ActionEnvelope)
      .filter((action) => action.account_id === account)
  }

  /** The value of one series; 0 where it does not exist. Labels in the order of the metric. */
  async counted(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    return seriesValue(await this.registry.render(), name, labels)
  }

  async setConfig(name: string, value: unknown): Promise<void> {
    await this.pool.query(
      `INSERT INTO installation_configs (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, JSON.stringify(value)],
    )
  }

  async column<T>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    const { rows } = await this.pool.query(sql, [...values])
    return rows.map((row) => Object.values(row)[0] as T)
  }
}

/** For the top of a test file, with the stores of `useStores()`. Every test begins without rows, settings and entries. */
export function useWorkerParts(stores: Stores): WorkerParts {
  let parts: WorkerParts | undefined
  beforeAll(() => {
    parts = new WorkerParts(stores)
    stores.closeBefore(() => parts?.close())
  })
  beforeEach(async () => {
    if (parts === undefined) return
    parts.clock.set('2026-09-01T09:00:00Z')
    parts.lines.length = 0
    parts.account = await seedAccount(parts.pool)
    // A claim takes what is due of all accounts.
    await parts.pool.query(
      'TRUNCATE automation_rule_pending_executions, action_deliveries, sweeps, installation_configs',
    )
    await parts.redis.flushdb()
  })
  return new Proxy({} as WorkerParts, {
    get(_target, key) {
      if (parts === undefined) throw new Error('The parts are there inside hooks and tests, not before')
      const value: unknown = Reflect.get(parts, key)
      return typeof value === 'function' ? value.bind(parts) : value
    },
    set(_target, key, value) {
      return parts !== undefined && Reflect.set(parts, key, value)
    },
  })
}

export function loggerInto(lines: Record<string, unknown>[]): Logger {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n')) if (line !== '') lines.push(JSON.parse(line))
      done()
    },
  })
  return createLogger({ process: 'worker', level: 'debug', format: 'json', stream })
}

export function seriesValue(rendered: string, name: string, labels: Readonly<Record<string, string>>): number {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const series = inside.length === 0 ? name : `${name}{${inside.join(',')}}`
  const line = rendered.split('\n').find((text) => text.startsWith(`${series} `))
  return line === undefined ? 0 : Number(line.slice(series.length + 1))
}
