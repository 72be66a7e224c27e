// npm run bench -- analytics: how fast automations are read on the data of a large site, at two sizes, alone and beside a
// worker, with and without what was made for it.
import { createRequire } from 'node:module'
import { LARGEST } from '../../scripts/seed-large/plan.mjs'
import { describeMachine } from '../machine.mjs'
import { compareBare } from './bare.mjs'
import { usedBetween, usedCores } from './cpu.mjs'
import { questionsOf } from './questions.mjs'
import { connectReaders, percentile } from './readers.mjs'
import { percentiles } from './report.mjs'
import { startStores } from './stores.mjs'
import { besideSteps, createLockLog, prepareSteps, STEPS_PER_SECOND } from './write-path.mjs'

const require = createRequire(import.meta.url)
const FAR_ROW = 10_000 * 50
/** Of the time that the steps run, for their own beginning and end. */
const MARGIN_SECONDS = 4

/**
 * @param {ReturnType<typeof import('../../scripts/processes.mjs').createProcesses>} processes
 * @param {ReturnType<typeof import('../../scripts/progress.mjs').createProgress>} progress
 * @param {{scales: number[], seconds: number, data?: string, only?: string}} options
 */
export async function runAnalytics(processes, progress, options) {
  const results = []
  let machine = []
  for (const scale of options.scales) {
    const lockLog = createLockLog('bench-steps')
    const stores = await startStores(processes, progress, { scale, data: options.data, onDatabaseLine: lockLog.onLine })
    machine = await describeMachine(stores.databaseUrl, stores.redisUrl)
    results.push(await measureScale(processes, progress, stores, { only: undefined, ...options, scale, lockLog }))
    await stores.stop()
  }
  return { machine, results }
}

async function measureScale(processes, { step, log }, stores, { scale, lockLog, seconds, only }) {
  const { createPool } = require('@dwell/database/pool')
  const pool = createPool({ connectionString: stores.databaseUrl, max: 2, applicationName: 'bench' })
  const readers = connectReaders(stores.url, stores.token)
  try {
    const target = await largestAutomation(pool)
    const questions = await step('Preparing questions', () =>
      questionsOf({ readers, pool, key: stores.key, ...target }),
    )
    const asked = questions.filter(({ group, name }) => only === undefined || `${group} ${name}`.includes(only))
    const ask = async (list, text) => {
      const answers = []
      for (const question of list) {
        const before = usedCores(stores.pids())
        const times = await readers.measure(question.paths, { seconds })
        const used = usedBetween(before, usedCores(stores.pids()))
        const answer = {
          group: question.group,
          name: question.name,
          count: times.length,
          cpu: used === null ? null : used / (times.length + question.paths.length),
          p50: percentile(times, 0.5),
          p95: percentile(times, 0.95),
          p99: percentile(times, 0.99),
        }
        log(`  ${text}${question.group}, ${question.name}: ${percentiles(answer)}`)
        answers.push(answer)
      }
      return answers
    }
    const alone = await step(`Reading, scale ${scale}`, () => ask(asked, ''))
    const chosen = asked.filter((_, index) => index % 4 === 0)
    const stepSeconds = Math.ceil(chosen.length * (seconds + 1)) + MARGIN_SECONDS
    await prepareSteps(pool, { ...target, steps: STEPS_PER_SECOND * stepSeconds })
    let beside = []
    const steps = await step(`Reading beside ${STEPS_PER_SECOND} steps per second`, () =>
      besideSteps(processes, { databaseUrl: stores.databaseUrl, seconds: stepSeconds, lockLog }, async () => {
        beside = await ask(chosen, 'beside steps: ')
      }),
    )
    log(
      `  ${steps.perSecond.toFixed(0)} steps per second; of ${steps.statements} statements ${steps.waits} waited over 10 ms for a lock, ` +
        `${steps.longWaits} over 50 ms`,
    )
    const bare = await step('The same statements without indexes and counts', () => compareBare(pool, target, log))
    const sizes = await sizesOf(pool)
    return { scale, alone, bare, beside, steps, sizes }
  } finally {
    readers.close()
    await pool.end()
  }
}

async function largestAutomation(pool) {
  const { accountId, name } = LARGEST
  const { rows } = await pool.query('SELECT id FROM automations WHERE account_id = $1 AND name = $2', [accountId, name])
  const automationId = String(rows[0].id)
  const far = {}
  for (const [order, direction] of [
    ['created_at desc', 'DESC'],
    ['created_at asc', 'ASC'],
  ]) {
    const place = await pool.query(
      `SELECT id, (extract(epoch FROM created_at) * 1000)::bigint AS at FROM automation_runs WHERE automation_id = $1
       ORDER BY created_at ${direction}, id ${direction}
       OFFSET (SELECT least(${FAR_ROW}, count(*) * 0.8) FROM automation_runs WHERE automation_id = $1) LIMIT 1`,
      [automationId],
    )
    far[order] = { createdAtMs: place.rows[0].at, id: place.rows[0].id }
  }
  return { accountId, automationId, far }
}

async function sizesOf(pool) {
  const { rows } = await pool.query(
    `SELECT c.relname AS name, pg_relation_size(c.oid) AS bytes FROM pg_class c
     WHERE c.relkind IN ('r', 'i') AND c.relname ~ '^(members|automation_(runs|steps|run_count))' ORDER BY 2 DESC`,
  )
  return rows
}
