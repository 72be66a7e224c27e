// How late steps of automations are: members whose waits end one after the other, the real clock, a real mail server.
import { setTimeout as pause } from 'node:timers/promises'
import { createPublisher } from '@dwell/publisher/publisher'
import pg from 'pg'
import { connectOutside } from '../scripts/outside.mjs'
import { hermeticEnvironment, migrate, randomToken, startProduct } from '../scripts/product.mjs'
import { startPostgres } from '../scripts/services/postgres.mjs'
import { startRedis } from '../scripts/services/redis.mjs'
import { describeMachine } from './machine.mjs'
import { startMailSink } from './mail-sink.mjs'

const WAIT_HOURS = 1
/** Until then all members have entered. */
const LEAD_MS = 8_000
const IDLE_MS = 10_000
const GIVE_UP_AFTER_MS = 240_000

/** As in production: a commit is on the disk when it is answered. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

/**
 * @param {ReturnType<typeof import('../scripts/processes.mjs').createProcesses>} processes
 * @param {ReturnType<typeof import('../scripts/progress.mjs').createProgress>} progress
 * @param {{steps: number, seconds: number}} options waits that end, spread evenly over so many seconds
 */
export async function runSteps(processes, { step, log }, options) {
  const [postgres, redis] = await step('Starting Postgres and Redis, durable as in production', () =>
    Promise.all([startPostgres(processes, { settings: DURABLE }), startRedis(processes, { log })]),
  )
  await migrate(postgres.url)
  const sink = await startMailSink()
  const adminToken = randomToken()
  try {
    const { url, applications } = await step('Starting the product', () =>
      startProduct(processes, {
        environment: hermeticEnvironment({
          DATABASE_URL: postgres.url,
          REDIS_URL: redis.url,
          DWELL_ADMIN_TOKEN: adminToken,
          DWELL_LOG_LEVEL: 'warn',
          SMTP_URL: sink.url,
        }),
        onLine: (name, line) => log(`${name}: ${line}`),
      }),
    )
    const workerUrl = applications.find(({ application }) => application === 'worker')?.url ?? ''
    const stores = { databaseUrl: postgres.url, redisUrl: redis.url }
    const figures = await step(`${options.steps} waits that end within ${options.seconds} s`, () =>
      measure({ url, workerUrl, adminToken, ...stores }, sink, options),
    )
    return { machine: await describeMachine(postgres.url, redis.url), rows: rowsOf(figures) }
  } finally {
    await sink.close()
  }
}

/**
 * @param {{url: string, workerUrl: string, adminToken: string, redisUrl: string, databaseUrl: string}} product
 * @param {Awaited<ReturnType<typeof startMailSink>>} sink
 * @param {{steps: number, seconds: number}} options
 */
async function measure({ databaseUrl, workerUrl, ...product }, sink, { steps, seconds }) {
  const outside = connectOutside(product)
  const publisher = createPublisher({ redisUrl: product.redisUrl })
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  try {
    const { payload: account } = await outside.must('POST', '/accounts', { name: 'Bench' })
    await outside.must('POST', `/accounts/${account.id}/automations`, { automations: [automation()] })
    const firstReadyMs = Date.now() + LEAD_MS
    const readyMs = (member) => Math.round(firstReadyMs + (member * seconds * 1_000) / steps)
    await publisher.publish(
      Array.from({ length: steps }, (_, member) => /** @type {any} */ (signUp(account.id, member, readyMs(member)))),
    )
    await outside.taken({ withinMs: LEAD_MS })
    const begun = await sweepsOf(workerUrl)
    for (const limit = Date.now() + GIVE_UP_AFTER_MS; sink.mails.length < steps; await pause(50)) {
      if (Date.now() > limit) throw new Error(`${sink.mails.length} of ${steps} mails came`)
    }
    await pause(1_000)
    const ended = await sweepsOf(workerUrl)
    const lateness = sink.mails.map(({ to, acceptedMs }) => acceptedMs - readyMs(Number(/^m(\d+)@/.exec(to)?.[1])))
    const { rows } = await database.query(
      `SELECT extract(epoch FROM s.finished_at - s.ready_at) * 1000 AS ms, a.type
       FROM automation_steps s JOIN automation_actions a ON a.id = s.action_id WHERE s.account_id = $1`,
      [account.id],
    )
    const of = (type) => rows.filter((row) => row.type === type).map(({ ms }) => Number(ms))
    await pause(IDLE_MS)
    return {
      mails: spread(lateness),
      waits: spread(of('wait')),
      emails: spread(of('send_email')),
      doubles: sink.mails.length - new Set(sink.mails.map(({ to }) => to)).size,
      sweepsPerSecond: (ended - begun) / seconds,
      sweepsIdle: (await sweepsOf(workerUrl)) - ended,
    }
  } finally {
    await publisher.close()
    outside.close()
    await database.end()
  }
}

/** How many sweeps a worker has made since it started, also those that found nothing. */
async function sweepsOf(workerUrl) {
  const metrics = await (await fetch(`${workerUrl}/metrics`)).text()
  return Number(/^dwell_sweep_duration_seconds_count (\d+)/m.exec(metrics)?.[1] ?? 0)
}

/** @param {Awaited<ReturnType<typeof measure>>} figures */
function rowsOf({ mails, waits, emails, doubles, sweepsPerSecond, sweepsIdle }) {
  const ms = ({ p50, p99, most }) => `${[p50, p99, most].map(Math.round).join(' / ')} ms`
  return [
    ['end of the wait → mail taken by the server, p50 / p99 / most', ms(mails)],
    ['wait step: ready → finished', ms(waits)],
    ['e-mail step: ready → finished', ms(emails)],
    ['mails too many', String(doubles)],
    ['sweeps per second meanwhile', sweepsPerSecond.toFixed(1)],
    [`sweeps in the ${IDLE_MS / 1_000} idle seconds after`, String(sweepsIdle)],
  ]
}

/** @param {number[]} values milliseconds */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}

function automation() {
  const [wait, email] = ['0190b5a0-0000-7000-8000-000000000001', '0190b5a0-0000-7000-8000-000000000002']
  return {
    name: 'Welcome',
    description: '',
    status: 'active',
    trigger_tier_scope: 'free',
    actions: [
      { id: wait, type: 'wait', data: { wait_hours: WAIT_HOURS } },
      {
        id: email,
        type: 'send_email',
        data: {
          email_subject: 'Hi {{ member.first_name }}',
          email_body: 'Hello **{{ member.name }}**, [look](https://example.com).',
        },
      },
    ],
    edges: [{ source_action_id: wait, target_action_id: email }],
  }
}

/** A run begins at the instant of its event, whenever that arrives: this wait ends at `readyMs`. */
function signUp(account, member, readyMs) {
  return {
    id: `bench-${account}-${member}`,
    event: 'member_signed_up',
    occurred_at: new Date(readyMs - WAIT_HOURS * 3_600_000).toISOString(),
    account_id: account,
    member: {
      id: String(member),
      name: `Member ${member}`,
      email: `m${member}@example.com`,
      status: 'free',
      enable_updates_and_announcements: true,
    },
  }
}
