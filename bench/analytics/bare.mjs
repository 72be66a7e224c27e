// The same statements of the product without what was made for them: in a transaction that is rolled back the indexes are
// dropped, and the runs counted each time.
import { createRequire } from 'node:module'
import { ACCOUNTS, NEEDLES } from '../../scripts/seed-large/plan.mjs'
import { percentile } from './readers.mjs'

const require = createRequire(import.meta.url)
const REPEATS = 5
/** What takes longer is measured once. */
const SLOW_MS = 500
/** A statement that takes longer is ended: what is known then is that it takes longer. */
const LIMIT_MS = 20_000
const QUERY_CANCELED = '57014'

/** What only reading needs. */
const READING_INDEXES = [
  'automation_runs_automation_id_created_at_id_idx',
  'automation_runs_automation_id_status_created_at_id_idx',
  'automation_runs_automation_id_member_id_created_at_idx',
  'automation_steps_unknown_idx',
  'members_search_text_idx',
]

/** In the place of the counts: the runs themselves, as the product counts them where a bucket begins on no quarter of an hour. */
const COUNTED_EACH_TIME = `
  SELECT width_bucket(created_at, (SELECT ARRAY(
      SELECT dwell_instant(s.start) FROM unnest($2::bigint[]) WITH ORDINALITY AS s(start, n) ORDER BY s.n))) - 1 AS bucket,
    count(*) FILTER (WHERE status = 'in_progress') AS in_progress,
    count(*) FILTER (WHERE status = 'completed') AS completed,
    count(*) FILTER (WHERE status = 'exited_early') AS exited_early
  FROM automation_runs
  WHERE automation_id = $1 AND status IS NOT NULL AND created_at >= dwell_instant($3) AND created_at < dwell_instant($4)
  GROUP BY 1`

/** As the console reads them. */
const AS_THE_PRODUCT =
  'SET LOCAL enable_seqscan = off; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0'
/** Without indexes the planner may do what it likes. */
const AS_POSTGRES_LIKES =
  'SET LOCAL enable_seqscan = on; SET LOCAL jit = on; SET LOCAL max_parallel_workers_per_gather = 2'

/**
 * Milliseconds per question, one after another, with and without. Nothing else may use the database meanwhile: dropping an
 * index locks its table until the transaction is rolled back.
 *
 * @param {import('pg').Pool} pool made by the product's `createPool`
 * @param {{accountId: number, automationId: string, far: Record<string, {createdAtMs: number, id: string}>}} target
 *   `far`: the place of the 10,000th page, by order
 * @param {(text: string) => void} log
 * @returns {Promise<{name: string, withMs: Timed, withoutMs: Timed}[]>}
 *
 * @typedef {{ms: number, isOver: boolean}} Timed `isOver`: a statement of it was ended at the limit, so it takes longer
 */
export async function compareBare(pool, target, log) {
  const client = await pool.connect()
  const rows = []
  try {
    for (const { name, removes = '', replaces = {}, ask } of questionsOf(target)) {
      await client.query('BEGIN')
      await client.query(`SET LOCAL statement_timeout = ${LIMIT_MS}; ${AS_THE_PRODUCT}`)
      const withMs = await timed(() => ask({ pool: inside(client) }))
      await client.query(`SET LOCAL client_min_messages = error; ${removes}; ${AS_POSTGRES_LIKES}`)
      const withoutMs = await timed(() => ask({ pool: inside(client, replaces) }))
      await client.query('ROLLBACK')
      log(`  ${name}: ${shown(withMs)}, without ${shown(withoutMs)}`)
      rows.push({ name, withMs, withoutMs })
    }
  } finally {
    // Whatever state it is in, its transaction ends with it.
    client.release(true)
  }
  return rows
}

/** @param {Timed} timed */
export function shown({ ms, isOver }) {
  return `${isOver ? 'over ' : ''}${ms.toFixed(ms < 100 ? 1 : 0)} ms`
}

function questionsOf({ accountId, automationId, far }) {
  const { readRuns } = require('@dwell/database/automations/run-list')
  const { readPerformance } = require('@dwell/database/automations/performance-stats')
  const { searchRuns } = require('@dwell/database/automations/run-search')
  const { readDateRange } = require('@dwell/domain/calendar/date-range')
  /** @type {any} */
  const now = Date.now() * 1_000
  const noIndexes = READING_INDEXES.map((name) => `DROP INDEX ${name}`).join('; ')
  const list = (order, status, after) => (source) =>
    readRuns(source, accountId, automationId, { kind: 'browse', order, status, span: null, after, scope: null })
  const statistics = (parameters) => (source) => {
    const read = readDateRange(parameters, now)
    if (!('range' in read)) throw new Error(`${JSON.stringify(parameters)} is no range`)
    return readPerformance(source, automationId, read.range, now)
  }
  const search = (text) => (source) =>
    searchRuns(
      source,
      accountId,
      automationId,
      { kind: 'search', order: 'created_at desc', search: text, after: null, scope: null },
      () => 0,
    )
  const zone = { timezone: ACCOUNTS[0]?.timezone }
  const days = { date_from: dayBefore(90), date_to: dayBefore(1), ...zone }
  const noCounts = { 'performance-from-counts': COUNTED_EACH_TIME }
  const down = 'created_at desc'
  const up = 'created_at asc'
  return [
    { name: 'list, first page', removes: noIndexes, ask: list(down, null, null) },
    { name: 'list, page 10,000, descending', removes: noIndexes, ask: list(down, null, far[down]) },
    { name: 'list, page 10,000, ascending', removes: noIndexes, ask: list(up, null, far[up]) },
    { name: 'list, in progress, first page', removes: noIndexes, ask: list(down, 'in_progress', null) },
    { name: 'list, completed, far behind', removes: noIndexes, ask: list(down, 'completed', far[down]) },
    { name: 'statistics, 90 days: no counts', replaces: noCounts, ask: statistics(days) },
    {
      name: 'statistics, 90 days: no counts, no indexes',
      replaces: noCounts,
      removes: noIndexes,
      ask: statistics(days),
    },
    { name: 'statistics, all time: no counts', replaces: noCounts, ask: statistics(zone) },
    {
      name: 'statistics, all time: no counts, no indexes',
      replaces: noCounts,
      removes: noIndexes,
      ask: statistics(zone),
    },
    { name: 'search, 3 members', removes: noIndexes, ask: search(NEEDLES.three.text) },
    { name: 'search, 3,000 members', removes: noIndexes, ask: search(NEEDLES.thousands.text) },
    { name: 'search, 300,000 members', removes: noIndexes, ask: search(NEEDLES.most.text) },
  ]
}

/**
 * The transaction under way, as a pool: what the product begins and ends in it becomes a part of it. `replaces`: texts of
 * statements, by their names.
 */
function inside(client, replaces = {}) {
  const release = () => undefined
  const query = (statement, values) => {
    if (typeof statement === 'string' && statement.startsWith('BEGIN')) return client.query('SAVEPOINT inside')
    if (statement === 'COMMIT') return client.query('RELEASE SAVEPOINT inside')
    if (statement === 'ROLLBACK') return client.query('ROLLBACK TO SAVEPOINT inside')
    if (typeof statement === 'string') return client.query(statement, values)
    // Not prepared: a plan that was made with an index would have to be thrown away.
    const { name, ...unnamed } = statement
    return client.query({ ...unnamed, text: replaces[name] ?? unnamed.text }, values)
  }
  return { connect: async () => ({ query, release }), query }
}

/** The median of some; the first alone fills the caches. @returns {Promise<Timed>} */
async function timed(ask) {
  const once = async () => {
    const began = performance.now()
    const isOver = await ask().then(() => false, orOver)
    return { ms: performance.now() - began, isOver }
  }
  const first = await once()
  if (first.isOver) return first
  const times = []
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const one = await once()
    if (one.isOver) return one
    times.push(one.ms)
    if (one.ms > SLOW_MS) break
  }
  return { ms: percentile(times, 0.5), isOver: false }
}

function orOver(error) {
  const code = error.cause?.code ?? error.code
  if (code !== QUERY_CANCELED) throw error
  return true
}

function dayBefore(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
