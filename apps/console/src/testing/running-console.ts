import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { type Micros, parseInstant } from '@dwell/contracts/instant'
import type { SweepSummary } from '@dwell/contracts/jobs'
import { createStatisticsPool } from '@dwell/database/automations/snapshot'
import { createPool } from '@dwell/database/pool'
import { createPrismaClient } from '@dwell/database/prisma-client'
import type { MailSender } from '@dwell/mail/smtp-sender'
import { createTestClock, setTestClock } from '@dwell/runtime/clock'
import { closeServer, createHealth, listen } from '@dwell/runtime/health'
import { createLogger } from '@dwell/runtime/logger'
import { createMetrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis, type RedisConnection } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { createApp } from '../app'
import type { BoardQueue } from '../board/board'
import { createAdminRouter } from '../board/router'
import type { Dependencies, WorkRequests } from '../dependencies'
import { createSignInLimit } from '../sessions/attempt-limit'
import { checkResponse } from './response-check'

export const ADMIN_TOKEN = 'admin-token-of-the-tests'
export const SIGNING_KEY = 'signing-key-of-the-tests'
export const START = '2026-09-01T09:00:00.000000Z'

export interface Reply<B = unknown> {
  readonly status: number
  readonly body: B
  readonly headers: Headers
  readonly text: string
}

export interface RequestOptions {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is. */
  readonly raw?: string | Uint8Array
}

/** A console on a free port with stores of its own; the workers are the test's. */
export interface RunningConsole {
  readonly url: string
  readonly deps: Dependencies
  /** What the console asked the workers to do. */
  readonly asked: { readonly sweeps: unknown[]; readonly wakes: number[] }
  /** `path` is below /api/v1. The admin token unless said otherwise. Every answer is held against the OpenAPI document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they assert
  call(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Reply<any>>
  /** Any address of the console. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  setClock(text: string): Promise<void>
  /** A new account with the feature, or what is said otherwise; answers its id. */
  createAccount(input?: object): Promise<number>
}

export const SUMMARY: SweepSummary = {
  event: 'completed',
  due: 0,
  enqueued: 0,
  capped: false,
  remaining: 0,
  expired: 0,
  reclaimed: 0,
  flag_disabled: 0,
  steps: 0,
  lateness_p50_ms: null,
  lateness_max_ms: null,
  duration_ms: 1.5,
}

interface ConsoleOptions {
  /** None unless given. */
  readonly mail?: MailSender
  readonly testClock?: boolean
  /** Null: none is configured. */
  readonly signingKey?: string | null
  readonly statisticsTimeoutMs?: number
  readonly queues?: (redis: RedisConnection) => readonly BoardQueue[]
  readonly work?: Partial<WorkRequests>
  /** For tests that break something on purpose: what is logged is not shown. */
  readonly quiet?: boolean
}

interface StoreUrls {
  readonly databaseUrl: string
  readonly redisUrl: string
}

/** For the top of a test file, with the stores of `useStores()`: the console runs for all of its tests. */
export function useConsole(stores: StoreUrls, options: ConsoleOptions = {}): RunningConsole {
  const asked = { sweeps: [] as unknown[], wakes: [] as number[] }
  let running: { url: string; deps: Dependencies; stop: () => Promise<void> } | undefined
  beforeAll(async () => {
    running = await start(stores, asked, options)
  })
  afterAll(() => running?.stop())
  const here = () => {
    if (running === undefined) throw new Error('The console runs inside hooks and tests, not before')
    return running
  }
  const console: RunningConsole = {
    get url() {
      return here().url
    },
    get deps() {
      return here().deps
    },
    asked,
    async call(method, path, body, { token = ADMIN_TOKEN, headers = {}, raw } = {}) {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await fetch(`${here().url}/api/v1${path}`, {
        method,
        headers: {
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      })
      const text = await response.text()
      const answer = text === '' ? undefined : JSON.parse(text)
      const { status, headers: answered } = response
      checkResponse(method, path, { status, contentType: answered.get('content-type'), body: answer })
      return { status, headers: answered, text, body: answer }
    },
    fetch: (path, init) => fetch(`${here().url}${path}`, { redirect: 'manual', ...init }),
    setClock: (text) => setTestClock(here().deps.redis, instant(text)),
    async createAccount(input = {}) {
      const reply = await console.call('POST', '/accounts', {
        name: 'test',
        features: ['delayed_automations'],
        ...input,
      })
      if (reply.status !== 201) throw new Error(`no account: ${reply.text}`)
      return reply.body.payload.id
    },
  }
  return console
}

async function start(stores: StoreUrls, asked: { sweeps: unknown[]; wakes: number[] }, options: ConsoleOptions) {
  const logger = createLogger({
    process: 'console',
    level: 'error',
    format: 'text',
    ...(options.quiet ? { stream: new PassThrough().resume() } : {}),
  })
  const pool = createPool({ connectionString: stores.databaseUrl, max: 5, applicationName: 'console-test' })
  const statisticsPool = createStatisticsPool({
    connectionString: stores.databaseUrl,
    max: 5,
    applicationName: 'console-test-statistics',
    statementTimeoutMs: options.statisticsTimeoutMs ?? 5_000,
  })
  const database = createPrismaClient(pool)
  const redis = connectRedis(parseRedisUrl(stores.redisUrl), { purpose: 'producing', name: 'test', logger })
  await setTestClock(redis, instant(START))
  const deps: Dependencies = {
    config: {
      adminToken: ADMIN_TOKEN,
      maxBodyBytes: 65_536,
      eventStreams: ['dwell:events'],
      testClock: options.testClock ?? true,
      publicUrl: 'https://desk.example',
      mailFrom: 'Dwell <dwell@desk.example>',
      signingKey: options.signingKey === undefined ? SIGNING_KEY : (options.signingKey ?? undefined),
    },
    pool,
    statisticsPool,
    database,
    redis,
    clock: createTestClock(redis),
    logger,
    signIns: createSignInLimit(),
    mail: options.mail ?? null,
    work: {
      async sweep(wanted) {
        asked.sweeps.push(wanted)
        return SUMMARY
      },
      claim: async () => [],
      queues: async () => [],
      async wakeAt(dueAt) {
        asked.wakes.push(dueAt)
      },
      ...options.work,
    },
  }
  const queues = options.queues?.(redis) ?? []
  const app = createApp(deps, {
    health: createHealth([{ name: 'database', check: () => pool.query('SELECT 1') }]),
    metrics: createMetrics(),
    board: createAdminRouter(queues, deps),
  })
  const server = createServer(app)
  await listen(server, 0, '127.0.0.1')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deps,
    async stop() {
      server.closeAllConnections()
      await closeServer(server)
      await Promise.all(queues.map(({ queue }) => queue.close()))
      await database.$disconnect()
      await Promise.all([pool.end(), statisticsPool.end()])
      await closeRedis(redis)
    },
  }
}

function instant(text: string): Micros {
  const micros = parseInstant(text)
  if (micros === null) throw new Error(`${JSON.stringify(text)} is no instant`)
  return micros
}
