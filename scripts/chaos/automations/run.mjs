// One chaos run of automations, from an empty installation to the verdict.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { connectOutside } from '../../outside.mjs'
import { hermeticEnvironment, randomToken, startProduct } from '../../product.mjs'
import { startPostgres } from '../../services/postgres.mjs'
import { startRedis } from '../../services/redis.mjs'
import { createRandom } from '../random.mjs'
import { untilItWorks } from '../until-it-works.mjs'
import { createUpstream } from '../upstream.mjs'
import { startBadMailServer } from './mail-server.mjs'
import {
  ACCOUNT,
  addressOf,
  automationBody,
  clicks,
  instant,
  leaveEvent,
  MAILS_PER_MEMBER,
  makeModel,
  PATHS,
  signUps,
} from './model.mjs'
import { verify } from './verify.mjs'

/** The clock goes on by this: a refused mail is tried again then, and a dead worker's lock has ended after three. */
const ROUND_MINUTES = 10
const MOST_ROUNDS = 400
const TAKEN_WITHIN_MS = 180_000
const LONGEST_PAUSE_MS = 400
/** Kills of ingest come while members sign up, the others while their mails go out. */
const SHARE_OF_INGEST = 0.25

/**
 * @param {{processes: ReturnType<typeof import('../../processes.mjs').createProcesses>, log: (text: string) => void, unexpectedExits: string[]}} tools
 * @param {{seed: number, kills: number, members: number, workers: number}} options
 */
export async function runAutomationChaos({ processes, log, unexpectedExits }, options) {
  const random = createRandom(options.seed)
  const model = makeModel({ members: options.members, random })
  const mailServer = await startBadMailServer(createRandom(options.seed + 1))
  const product = await startAll({ processes, log }, mailServer.url, options)
  const outside = connectOutside(product)
  const upstream = createUpstream(product.redisUrl)
  const database = new pg.Client({ connectionString: product.databaseUrl })
  await database.connect()
  try {
    await outside.must('POST', '/accounts', { id: ACCOUNT, name: 'Chaos' })
    for (const name of Object.keys(PATHS)) {
      await outside.must('POST', `/accounts/${ACCOUNT}/automations`, { automations: [automationBody(name)] })
    }
    await outside.setClock(instant(0))
    const events = signUps(options.members, random)
    const killer = createKiller({
      product,
      log,
      random,
      kills: options.kills,
      events: events.length,
      mails: options.members * MAILS_PER_MEMBER,
    })
    const clock = { minutes: 0 }
    const signingUp = upstream.sendAll(events, (count) => killer.afterEvents(count)).then(() => true)
    const leaving = startLeaving({ model, mailServer, upstream, clock })
    const killing = killer.whileMailsGoOut(() => mailServer.taken.length)
    await walk({
      outside,
      clock,
      log,
      mailServer,
      signingUp,
      settle: async () => Promise.all([leaving.finish(), killing.finish()]),
    })
    const { problems, counts } = verify(model, {
      runs: await runsOf(outside),
      ends: await endsOf(database),
      mails: mailServer.taken,
      lost: mailServer.lost,
      leftAt: await leftAt(database),
      kills: killer.count('worker'),
    })
    return {
      problems: [...problems, ...unexpectedExits.map((text) => `process ended by itself: ${text}`)],
      counts: [
        ['events', String(events.length + 2 * model.leaves.length), `${upstream.sent()} sent`],
        ['kills', String(options.kills), killer.summary()],
        ...Object.entries(mailServer.counts).map(([kind, count]) => [`the mail server ${kind}`, '', String(count)]),
        ...counts,
      ],
    }
  } finally {
    await upstream.close()
    outside.close()
    await database.end()
    await mailServer.close()
  }
}

async function startAll({ processes, log }, smtpUrl, { workers }) {
  // Commits say when they were: what was sent after a member had left is judged by that.
  const [postgres, redis] = await Promise.all([
    startPostgres(processes, { settings: { track_commit_timestamp: 'on' } }),
    startRedis(processes, { log }),
  ])
  const adminToken = randomToken()
  const { url, applications } = await startProduct(processes, {
    environment: hermeticEnvironment({
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      DWELL_ADMIN_TOKEN: adminToken,
      DWELL_TEST_CLOCK: '1',
      DWELL_LOG_LEVEL: 'error',
      SMTP_URL: smtpUrl,
    }),
    counts: { worker: workers },
    onLine: (name, text) => log(`${name}: ${text}`),
  })
  const of = (application) => applications.filter((one) => one.application === application)
  const victims = { ingest: of('ingest'), worker: of('worker') }
  return { url, adminToken, redisUrl: redis.url, databaseUrl: postgres.url, victims }
}

/** Sweeps one after the other and moves the clock on whenever nothing is ready, until no run goes on. */
async function walk({ outside, clock, log, mailServer, signingUp, settle }) {
  let signedUp = false
  void signingUp.then(() => {
    signedUp = true
  })
  for (let round = 0; round < MOST_ROUNDS; ) {
    const swept = await outside.sweep().catch(() => null)
    if (swept === null || swept.steps > 0 || !signedUp) {
      await pause(swept === null ? 500 : 20)
      continue
    }
    await outside.taken({ withinMs: TAKEN_WITHIN_MS })
    const going = (await runsOf(outside)).reduce((total, { inProgress }) => total + inProgress, 0)
    if (round % 5 === 0) log(`${clock.minutes} minutes: ${going} runs go on, ${mailServer.taken.length} mails are out`)
    if (going === 0) {
      await signingUp
      return settle()
    }
    round += 1
    clock.minutes += ROUND_MINUTES
    await untilItWorks(() => outside.setClock(instant(clock.minutes)))
  }
  throw new Error(`Runs still go on after ${MOST_ROUNDS} rounds`)
}

/** Members leave as mails go out; each says so twice. Who has not left by the end does so then, and nobody minds. */
function startLeaving({ model, mailServer, upstream, clock }) {
  const waiting = [...model.leaves]
  let stopping = false
  const running = (async () => {
    while (waiting.length > 0) {
      const due = []
      while (waiting[0] && (stopping || waiting[0].position < mailServer.taken.length)) due.push(waiting.shift())
      const events = []
      for (const leave of due) {
        const wayOut = clicks(leave.kind) ? mailServer.waysOut.get(addressOf(leave.member)) : undefined
        if (wayOut === undefined) events.push(leaveEvent(leave, instant(clock.minutes)))
        else await click(wayOut)
      }
      if (events.length > 0) await upstream.sendAll([...events, ...events], async () => {})
      await pause(10)
    }
  })()
  return {
    async finish() {
      stopping = true
      await running
    },
  }
}

/** As a mail program does; RFC 8058. */
async function click(wayOut) {
  const answer = await fetch(wayOut, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  if (!answer.ok) throw new Error(`The way out answered ${answer.status}`)
}

/** Kills one after the other: the next one waits until the last victim runs again. */
function createKiller({ product, log, random, kills, events, mails }) {
  const ofIngest = Math.round(kills * SHARE_OF_INGEST)
  const plan = {
    ingest: positions(random, ofIngest, events),
    worker: positions(random, kills - ofIngest, mails),
  }
  const done = { ingest: 0, worker: 0 }
  let published = 0
  let current = Promise.resolve()

  async function kill(target) {
    await pause(random.below(LONGEST_PAUSE_MS))
    const victims = product.victims[target]
    const victim = victims[random.below(victims.length)]
    await victim.process().kill()
    await pause(random.below(LONGEST_PAUSE_MS))
    await victim.restart()
    done[target] += 1
    log(`killed ${victim.name}`)
  }

  return {
    count: (target) => done[target],
    summary: () => `${done.worker} worker, ${done.ingest} ingest`,
    async afterEvents(count) {
      published += count
      while (plan.ingest[0] !== undefined && plan.ingest[0] < published) {
        plan.ingest.shift()
        current = current.then(() => kill('ingest'))
      }
      await pause(5)
    },
    whileMailsGoOut(count) {
      let stopping = false
      const running = (async () => {
        while (plan.worker.length > 0 && !stopping) {
          if (plan.worker[0] < count()) {
            plan.worker.shift()
            await kill('worker')
          }
          await pause(20)
        }
      })()
      return {
        async finish() {
          stopping = true
          await Promise.all([running, current])
        },
      }
    },
  }
}

function positions(random, count, below) {
  return Array.from({ length: count }, () => random.below(Math.round(below * 0.95))).sort((a, b) => a - b)
}

/** What the API says of each automation. */
async function runsOf(outside) {
  const { automations } = await untilItWorks(() => outside.must('GET', `/accounts/${ACCOUNT}/automations`))
  return automations.map(({ name, stats }) => ({
    name,
    total: stats.total_run_count,
    inProgress: stats.in_progress_run_count,
  }))
}

async function endsOf(database) {
  const { rows } = await database.query(
    `WITH doubtful AS (
       SELECT run_id, count(*)::int AS unknown FROM automation_emails WHERE status = 'unknown' GROUP BY run_id)
     SELECT run.member_id::int AS member, t.name AS automation, run.end_reason AS reason, coalesce(unknown, 0) AS unknown
     FROM automation_runs run JOIN automations t ON t.id = run.automation_id LEFT JOIN doubtful d ON d.run_id = run.id`,
  )
  return rows
}

/** Milliseconds since the epoch at which it was committed that a member left. */
async function leftAt(database) {
  const { rows } = await database.query(
    `SELECT substr(event_id, 7)::int AS member, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at
     FROM taken_events WHERE event_id LIKE 'leave-%'
     UNION ALL
     SELECT id::int, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8
     FROM members WHERE opted_out_at IS NOT NULL`,
  )
  return new Map(rows.map(({ member, at }) => [member, at]))
}
