// One chaos run, from an empty installation to the verdict.
import { setTimeout as pause } from 'node:timers/promises'
import { connectOutside } from '../outside.mjs'
import { hermeticEnvironment, randomToken, startProduct, startStores } from '../product.mjs'
import { ACCOUNT, clockOf, makeModel, minutesAfter, RULES } from './model.mjs'
import { createRandom } from './random.mjs'
import { untilItWorks } from './until-it-works.mjs'
import { createUpstream } from './upstream.mjs'
import { verify } from './verify.mjs'

const WAVES = 10
const PAUSE_BETWEEN_CHUNKS_MS = 20
const LONGEST_DELAY_MS = 400
/** Of the kills this share comes after the last event, while the last rows are due. */
const SHARE_AFTER_LAST_EVENT = 0.15
const TAKEN_WITHIN_MS = 180_000
const SWEPT_WITHIN_MS = 180_000
/** A claim of a worker that was killed is taken back after 15 minutes of the clock. */
const RECLAIM_MINUTES = 16
const MOST_ROUNDS = 12

/**
 * @typedef {{seed: number, kills: number, events: number, conversations: number, ingest: number, workers: number}} Options
 * @param {{processes: ReturnType<typeof import('../processes.mjs').createProcesses>, log: (text: string) => void, unexpectedExits: string[]}} tools
 * @param {Options} options
 */
export async function runChaos({ processes, log, unexpectedExits }, options) {
  const random = createRandom(options.seed)
  const model = makeModel({ ...options, waves: WAVES, random })
  const plan = planKills(options, random)
  const product = await startAll({ processes, log }, options)
  const outside = connectOutside(product)
  const upstream = createUpstream(product.redisUrl)
  const sweeping = startSweeping(outside, log)
  try {
    const ruleNames = await createRules(outside)
    const killer = createKiller({ product, outside, upstream, log, plan })
    for (const [wave, events] of model.waves.entries()) {
      await killer.setClock(clockOf(wave))
      const sweeps = sweeping.count()
      await upstream.sendAll(events, async (count) => {
        await killer.afterEvents(count)
        await pause(PAUSE_BETWEEN_CHUNKS_MS)
      })
      await killer.settled()
      await outside.taken({ withinMs: TAKEN_WITHIN_MS })
      // What came due in the wave before is not left to the end: kills shall meet it half done.
      await sweeping.reaches(sweeps + 2)
      log(`wave ${wave + 1} of ${WAVES} is taken, ${killer.done()} kills so far, ${sweeping.count()} sweeps`)
    }
    await killer.setClock(clockOf(WAVES))
    await killer.finish()
    await sweeping.stop()
    await drain({ outside, killer, log })
    const found = { rows: await outside.executions(ACCOUNT), actions: await outside.actions() }
    const { problems, counts } = verify(model, found, { ruleNames, ordered: options.ingest === 1 })
    return {
      problems: [...problems, ...unexpectedExits.map((text) => `process ended by itself: ${text}`)],
      counts: [
        ['events', String(model.waves.flat().length), `${upstream.sent()} sent`],
        ['kills', String(options.kills), killer.summary()],
        ...counts,
      ],
    }
  } finally {
    await sweeping.stop()
    await upstream.close()
    outside.close()
  }
}

/** Who is killed when: positions in the stream of events, in order, and how long to wait there first. */
function planKills({ kills, events, ingest, workers }, random) {
  const targets = ['ingest', 'worker', 'redis']
  return Array.from({ length: kills }, (_, n) => ({
    position: random.below(Math.round(events / (1 - SHARE_AFTER_LAST_EVENT))),
    target: targets[n % targets.length],
    number: random.below(Math.max(ingest, workers)),
    delayMs: random.below(LONGEST_DELAY_MS),
    downMs: random.below(LONGEST_DELAY_MS),
  })).sort((a, b) => a.position - b.position)
}

async function startAll({ processes, log }, { ingest, workers }) {
  const stores = await startStores(processes, { log })
  const adminToken = randomToken()
  const environment = hermeticEnvironment({
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    DWELL_ADMIN_TOKEN: adminToken,
    DWELL_TEST_CLOCK: '1',
    DWELL_LOG_LEVEL: 'error',
  })
  const { url, applications } = await startProduct(processes, {
    environment,
    counts: { ingest, worker: workers },
    onLine: (name, text) => log(`${name}: ${text}`),
  })
  const of = (application) => applications.filter((one) => one.application === application)
  return {
    url,
    adminToken,
    redisUrl: stores.redisUrl,
    victims: { ingest: of('ingest'), worker: of('worker'), redis: [stores.redis] },
  }
}

async function createRules(outside) {
  await outside.must('POST', '/accounts', { id: ACCOUNT, name: 'Chaos', features: ['delayed_automations'] })
  const names = new Map()
  for (const [name, rule] of Object.entries(RULES)) {
    const { payload } = await outside.must('POST', `/accounts/${ACCOUNT}/automation_rules`, { name, ...rule })
    names.set(payload.id, name)
  }
  return names
}

/** Sweeps one after the other, as fast as they come; one that is lost with its worker is no reason to stop. */
function startSweeping(outside, log) {
  let stopping = false
  let count = 0
  const running = (async () => {
    while (!stopping) {
      const failure = await outside.sweep().then(() => null, String)
      if (failure === null) count += 1
      else if (!stopping) log(`a sweep was lost: ${failure}`)
      await pause(failure === null ? 100 : 500)
    }
  })()
  return {
    count: () => count,
    async reaches(wanted) {
      for (const until = Date.now() + SWEPT_WITHIN_MS; count < wanted; await pause(20)) {
        if (Date.now() > until) throw new Error(`No sweep came to its end within ${SWEPT_WITHIN_MS / 1_000} s`)
      }
    },
    async stop() {
      stopping = true
      await running
    },
  }
}

/** Kills one after the other: the next one waits until the last victim runs again. */
function createKiller({ product, outside, upstream, log, plan }) {
  const waiting = [...plan]
  const done = { ingest: 0, worker: 0, redis: 0 }
  let published = 0
  let clock
  let current = Promise.resolve()

  async function kill({ target, number, delayMs, downMs }) {
    await pause(delayMs)
    const victims = product.victims[target]
    const victim = victims[number % victims.length]
    if (target === 'redis') upstream.hold()
    await victim.process().kill()
    const killedAt = performance.now()
    await pause(downMs)
    await victim.restart()
    done[target] += 1
    if (target !== 'redis') return log(`killed ${victim.name ?? target}`)
    // The clock lies in Redis too, and may have gone back with it.
    await untilItWorks(() => outside.setClock(clock))
    const again = await upstream.sendAgain(killedAt)
    log(`killed redis, ${again} events sent again`)
  }

  return {
    done: () => done.ingest + done.worker + done.redis,
    summary: () =>
      Object.entries(done)
        .map(([target, count]) => `${count} ${target}`)
        .join(', '),
    settled: () => current,
    async setClock(instant) {
      clock = instant
      await untilItWorks(() => outside.setClock(instant))
    },
    clock: () => clock,
    /** The kills that are left, one after the other. */
    async finish() {
      await current
      while (waiting[0]) await kill(waiting.shift())
    },
    async afterEvents(count) {
      published += count
      while (waiting[0] && waiting[0].position < published) {
        await current
        current = kill(waiting.shift())
      }
    },
  }
}

/** Moves the clock on until nothing waits any more. */
async function drain({ outside, killer, log }) {
  for (let round = 1; ; round++) {
    const open = (await outside.executions(ACCOUNT)).filter(
      ({ status }) => status === 'pending' || status === 'processing',
    )
    log(`${open.length} rows still wait`)
    if (open.length === 0) return
    if (round > MOST_ROUNDS) throw new Error(`${open.length} rows are not terminal, e.g. ${JSON.stringify(open[0])}`)
    await killer.setClock(minutesAfter(killer.clock(), RECLAIM_MINUTES))
    await untilItWorks(async () => {
      for (let summary = await outside.sweep(); summary.capped; ) summary = await outside.sweep()
    })
  }
}
