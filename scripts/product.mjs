// Stores and processes of the product, as start, serve:test, demo, chaos and bench run them.
import { createHmac, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './command.mjs'
import { answersOk, freePort } from './processes.mjs'
import { startPostgres } from './services/postgres.mjs'
import { startRedis } from './services/redis.mjs'

const APPLICATIONS = ['console', 'ingest', 'worker']
const PORT_VARIABLES = { console: 'CONSOLE_PORT', ingest: 'INGEST_PORT', worker: 'WORKER_PORT' }
const READY_WITHIN_MS = 60_000

export function randomToken() {
  return randomBytes(24).toString('hex')
}

/**
 * Brings up the stores that are not given. With a directory their data is kept there, else it goes with the processes.
 *
 * @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres
 * @typedef {Awaited<ReturnType<typeof startRedis>>} RedisServer
 * @param {ReturnType<typeof import('./processes.mjs').createProcesses>} processes
 * @param {{log: (text: string) => void, directory?: string, databaseUrl?: string, redisUrl?: string}} options
 * @returns {Promise<{databaseUrl: string, redisUrl: string, postgres?: Postgres, redis?: RedisServer}>}
 */
export async function startStores(processes, { log, directory, databaseUrl, redisUrl }) {
  const place = (name) => (directory ? { directory: join(directory, name) } : {})
  const [postgres, redis] = await Promise.all([
    databaseUrl ? { url: databaseUrl } : startPostgres(processes, place('postgres')),
    redisUrl ? { url: redisUrl } : startRedis(processes, { log, ...place('redis') }),
  ])
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    ...('restart' in postgres ? { postgres } : {}),
    ...('restart' in redis ? { redis } : {}),
  }
}

/** Applies the migrations that the database does not have yet. Needs the build. */
export async function migrate(databaseUrl) {
  const { code, output } = await run(process.execPath, [join(ROOT, 'packages/database/dist/migrate-cli.js')], {
    env: { DATABASE_URL: databaseUrl, DATABASE_URL_FILE: undefined, DWELL_LOG_FORMAT: 'text' },
  })
  if (code !== 0) throw new Error(`The database could not be migrated:\n${output}`)
}

/**
 * The environment of the product's processes in a test: nothing that happens to be set around us takes part, except what
 * the machine needs and what is given.
 *
 * @param {Record<string, string | undefined>} given
 */
export function hermeticEnvironment(given) {
  const { PATH, HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS } = process.env
  return {
    PATH,
    HOME,
    TMPDIR,
    LANG,
    NODE_EXTRA_CA_CERTS,
    DWELL_BIND_ADDRESS: '127.0.0.1',
    DWELL_LOG_FORMAT: 'text',
    ...given,
  }
}

/**
 * Starts processes of one application.
 *
 * @param {ReturnType<typeof import('./processes.mjs').createProcesses>} processes
 * @param {{application: string, number?: number, port?: number, environment: Record<string, string | undefined>, onLine?: (name: string, line: string) => void}} options
 * @returns {Promise<{name: string, application: string, port: number, url: string, process: () => import('./processes.mjs').Running, restart: () => Promise<void>}>}
 */
export async function startApplication(processes, { application, number = 1, port, environment, onLine }) {
  const name = number === 1 ? application : `${application}-${number}`
  const ownPort = port ?? (await freePort())
  const url = `http://127.0.0.1:${ownPort}`
  const start = () =>
    processes.start({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', join(ROOT, 'apps', application, 'dist', 'main.js')],
      env: { ...environment, [PORT_VARIABLES[application]]: String(ownPort) },
      cwd: ROOT,
      readyProbe: answersOk(`${url}/readyz`),
      readyWithinMs: READY_WITHIN_MS,
      ...(onLine ? { onLine: (line) => onLine(name, line) } : {}),
    })
  let running = await start()
  return {
    name,
    application,
    port: ownPort,
    url,
    process: () => running,
    /** Starts it again on the same port, after it ended or was killed. */
    async restart() {
      await running.stop()
      running = await start()
    },
  }
}

/**
 * Migrates, starts all applications at once and waits until each is ready.
 *
 * @param {ReturnType<typeof import('./processes.mjs').createProcesses>} processes
 * @param {{environment: Record<string, string | undefined>, counts?: Record<string, number>, ports?: Record<string, number>, onLine?: (name: string, line: string) => void}} options
 *   the environment names DATABASE_URL, REDIS_URL and DWELL_ADMIN_TOKEN
 * @returns {Promise<{url: string, applications: Awaited<ReturnType<typeof startApplication>>[]}>}
 */
export async function startProduct(processes, { environment, counts = {}, ports = {}, onLine }) {
  await migrate(environment.DATABASE_URL)
  const wanted = APPLICATIONS.flatMap((application) =>
    Array.from({ length: counts[application] ?? 1 }, (_, index) => ({ application, number: index + 1 })),
  )
  const consolePort = ports.console ?? (await freePort())
  const known = { ...ports, console: consolePort }
  const applications = await Promise.all(
    wanted.map(({ application, number }) =>
      startApplication(processes, {
        application,
        number,
        environment: { ...mailDefaults(environment, consolePort), ...environment },
        ...(number === 1 && known[application] ? { port: known[application] } : {}),
        ...(onLine ? { onLine } : {}),
      }),
    ),
  )
  return { url: applications.find(({ application }) => application === 'console')?.url ?? '', applications }
}

/**
 * What e-mails need where the environment says nothing: the key stays the same as long as the admin token does.
 *
 * @param {Record<string, string | undefined>} environment
 * @param {number} consolePort
 */
function mailDefaults({ DWELL_ADMIN_TOKEN: token }, consolePort) {
  return {
    DWELL_SIGNING_KEY: createHmac('sha256', String(token)).update('signing key').digest('hex'),
    DWELL_PUBLIC_URL: `http://127.0.0.1:${consolePort}`,
  }
}

/** Whether the checkout holds this application at all, built. */
export function isBuilt(path) {
  return existsSync(join(ROOT, path, 'dist', 'main.js'))
}
