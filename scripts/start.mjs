// npm start — the whole product on a machine with nothing but Node, with a sample account and an upstream application.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.mjs'
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { startMailSink } from './mail-sink.mjs'
import { createProcesses, freePort, portIsFree } from './processes.mjs'
import { randomToken, startProduct, startStores } from './product.mjs'
import { createProgress } from './progress.mjs'
import { apiClient, ensureSample, SAMPLE_ACCOUNT_ID, watchForFirstExecution } from './sample.mjs'
import { commandOf } from './services/leftover.mjs'

const HOME = join(ROOT, '.dwell')
const LOCK = join(HOME, 'start.pid')
const DEFAULT_PORTS = { console: 3000, ingest: 3001, worker: 3002 }
const MAIL_SINK_PORT = 8025
/** An application that ends more often than this within a minute is not started again. */
const RESTARTS_PER_MINUTE = 3

const progress = createProgress(process.stdout)
const { log } = progress
const watching = new AbortController()
/** @type {Map<string, number[]>} */
const restarts = new Map()
/** @type {Map<string, () => Promise<void>>} */
const restartable = new Map()

const processes = createProcesses({ log, onUnexpectedExit: (one, ended) => void onUnexpectedExit(one, ended) })
const { end, isEnding } = endOnce({
  log,
  stop: async () => {
    log('\nStopping …')
    watching.abort()
    await processes.stopAll()
    releaseLock()
    log('Stopped. The data stays; `npm start` goes on with it.')
  },
})

try {
  await start()
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.message : String(error))
}

async function start() {
  takeLock()
  await prepare(progress)
  const adminToken = given('DWELL_ADMIN_TOKEN') || keptToken()
  const stores = await progress.step('Starting Postgres and Redis', () =>
    startStores(processes, {
      log,
      directory: HOME,
      databaseUrl: given('DATABASE_URL'),
      redisUrl: given('REDIS_URL'),
    }),
  )
  const environment = {
    DWELL_BIND_ADDRESS: '127.0.0.1',
    DWELL_LOG_FORMAT: 'text',
    ...process.env,
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    DWELL_ADMIN_TOKEN: adminToken,
    DATABASE_URL_FILE: undefined,
    REDIS_URL_FILE: undefined,
    DWELL_ADMIN_TOKEN_FILE: undefined,
  }
  const ports = await choosePorts()
  const mails = given('SMTP_URL') ? undefined : await startOwnMailSink()
  if (mails) Object.assign(environment, { SMTP_URL: mails.smtpUrl, SMTP_URL_FILE: undefined })
  const onLine = (_name, line) => log(line)
  const { url, applications } = await progress.step('Starting console, ingest and worker', () =>
    startProduct(processes, { environment, ports, onLine }),
  )
  for (const { name, restart } of applications) restartable.set(name, restart)

  const api = apiClient(url, adminToken)
  await ensureSample(api)
  await startUpstream(environment)
  log(welcome(url, adminToken, stores, mails?.url ?? 'leave by SMTP_URL'))
  await watchForFirstExecution(api, (row) => log(firstExecution(url, row)), watching.signal).catch((error) => {
    if (!watching.signal.aborted) log(`Looking for executions failed: ${error.message}`)
  })
}

/** A variable, or the contents of the file that its `_FILE` form names. */
function given(variable) {
  const file = process.env[`${variable}_FILE`]
  return process.env[variable] || (file ? readFileSync(file, 'utf8').trim() : undefined)
}

/** Mails stay on this machine, to be looked at, unless somebody says where they are to go. */
async function startOwnMailSink() {
  const webPort = (await portIsFree(MAIL_SINK_PORT)) ? MAIL_SINK_PORT : await freePort()
  const sink = await startMailSink(processes, { webPort })
  restartable.set(sink.name, sink.restart)
  return sink
}

async function startUpstream(environment) {
  const options = {
    name: 'upstream',
    command: process.execPath,
    args: ['--enable-source-maps', join(ROOT, 'examples/upstream/dist/main.js')],
    env: { ...environment, DWELL_EXAMPLE_ACCOUNT_ID: String(SAMPLE_ACCOUNT_ID) },
    cwd: ROOT,
    graceMs: 5_000,
    onLine: (line) => log(`upstream: ${line}`),
  }
  await processes.start(options)
  restartable.set('upstream', async () => void (await processes.start(options)))
}

async function onUnexpectedExit(one, { code, signal }) {
  const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
  const restart = restartable.get(one.name)
  const recent = (restarts.get(one.name) ?? []).filter((at) => at > Date.now() - 60_000)
  if (!restart || recent.length >= RESTARTS_PER_MINUTE) {
    const last = one
      .lastLines()
      .slice(-10)
      .map((line) => `  ${line}`)
    return end(1, [`${one.name} ${how} and is not started again. Its last lines:`, ...last].join('\n'))
  }
  restarts.set(one.name, [...recent, Date.now()])
  log(`${one.name} ${how}: starting it again`)
  await restart().catch((error) => !isEnding() && end(1, error.message))
}

/** The usual ports, or where one is taken and nobody has asked for it, a free one. */
async function choosePorts() {
  const ports = {}
  for (const [application, usual] of Object.entries(DEFAULT_PORTS)) {
    const asked = process.env[`${application.toUpperCase()}_PORT`]
    const wanted = Number(asked || usual)
    if (await portIsFree(wanted)) ports[application] = wanted
    else if (asked)
      throw new Error(
        `The port ${wanted} for ${application} is taken: end what uses it, or set ${application.toUpperCase()}_PORT to another.`,
      )
    else {
      ports[application] = await freePort()
      log(`The port ${wanted} is taken: ${application} uses ${ports[application]}.`)
    }
  }
  return ports
}

/** Two starts of one checkout would fight for the same data. */
function takeLock() {
  mkdirSync(HOME, { recursive: true })
  const holder = existsSync(LOCK) ? Number.parseInt(readFileSync(LOCK, 'utf8'), 10) : 0
  if (holder > 0 && holder !== process.pid && commandOf(holder).includes('start.mjs')) {
    log(`Dwell runs here already (process ${holder}): end it first.`)
    process.exit(1)
  }
  writeFileSync(LOCK, String(process.pid))
}

function releaseLock() {
  if (existsSync(LOCK) && readFileSync(LOCK, 'utf8') === String(process.pid)) rmSync(LOCK)
}

/** The same token at every start. */
function keptToken() {
  const file = join(HOME, 'admin-token')
  if (!existsSync(file)) writeFileSync(file, randomToken(), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

function welcome(url, token, stores, mails) {
  return `
Dwell runs. A small help desk publishes conversations; the first rules fire within a minute or two.

  web, API, queues   ${url}   (API reference: ${url}/docs, queues: ${url}/admin/queues)
  admin token        ${token}
  why rows fired     curl -H "Authorization: Bearer ${token}" ${url}/api/v1/accounts/${SAMPLE_ACCOUNT_ID}/executions
  mails              ${mails}
  Postgres           ${stores.databaseUrl}
  Redis              ${stores.redisUrl}

Ctrl-C stops everything that was started here.
`
}

function firstExecution(url, row) {
  const path = `/api/v1/accounts/${SAMPLE_ACCOUNT_ID}/executions/${row.id}`
  return `\n>>> A rule fired: execution ${row.id} for conversation ${row.conversation_id}, due ${row.due_at}. Why: ${url}${path}\n`
}
