// The same statements of the product without what was made for them: in a transaction that is rolled back, the indexes are
// dropped and the counts are computed from the runs.
import { createRequire } from 'node:module'
import { ACCOUNTS, NEEDLES } from '../../scripts/seed-large/plan.mjs'
import { percentile } from './readers.mjs'

const require = createRequire(import.meta.url)
const REPEATS = 5
const NO_LIMIT_MS = 600_000
/** What takes longer is measured once. */
const SLOW_MS = 500

/** What only reading needs. */
const READING_INDEXES = [
  'automation_runs_automation_id_created_at_id_idx',
  'automation_runs_automation_id_status_created_at_id_idx',
  'automation_runs_automation_id_member_id_created_at_idx',
  'automation_steps_unknown_idx',
  'members_search_text_idx',
]

/** In the place of the counts: what they would have to be, from the runs. */
const COUNTED_EACH_TIME = `
  ALTER TABLE automation_run_counts RENAME TO set_aside_counts;
  ALTER TABLE automation_run_count_changes RENAME TO set_aside_changes;
  CREATE VIEW automation_run_count_changes AS SELECT * FROM set_aside_changes WHERE false;
  CREATE VIEW automation_run_counts AS
    SELECT account_id, automation_id, dwell_slot(created_at) AS slot, count(*) FILTER (WHERE status IS NULL) AS without_steps,
      count(*) FILTER (WHERE status = 'in_progress') AS in_progress, count(*) FILTER (WHERE status = 'completed') AS completed,
      count(*) FILTER (WHERE status = 'exited_early') AS exited_early
    FROM automation_runs GROUP BY 1, 2, 3`

/**
 * Milliseconds per statement of the product, one after another, with and without.
 *
 * @param {import('pg').Pool} pool made by the product's `createPool`
 * @param {{accountId: number, automationId: string, far: Record<string, {createdAtMs: number, id: string}>}} target
 *   `far`: the place of the 10,000th page, by order
 * @returns {Promise<{name: string, withMs: number, withoutMs: number}[]>}
 */
export async function compareBare(pool, target) {
  const client = await pool.connect()
  const rows = []
  try {
    for (const { name, removes, ask } of questionsOf(target)) {
      await client.query('BEGIN')
      const source = { pool: inside(client), timeoutMs: NO_LIMIT_MS }
      const withMs = await timed(() => ask(source))
      await client.query(`SET LOCAL client_min_messages = error; ${removes}`)
      const withoutMs = await timed(() => ask(source))
      await client.query('ROLLBACK')
      rows.push({ name, withMs, withoutMs })
    }
  } finally {
    client.release(true)
  }
  return rows
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
  const down = 'created_at desc'
  const up = 'created_at asc'
  return [
    { name: 'list, first page', removes: noIndexes, ask: list(down, null, null) },
    { name: 'list, page 10,000, descending', removes: noIndexes, ask: list(down, null, far[down]) },
    { name: 'list, page 10,000, ascending', removes: noIndexes, ask: list(up, null, far[up]) },
    { name: 'list, in progress, first page', removes: noIndexes, ask: list(down, 'in_progress', null) },
    { name: 'list, completed, far behind', removes: noIndexes, ask: list(down, 'completed', far[down]) },
    { name: 'statistics, 90 days: no counts', removes: COUNTED_EACH_TIME, ask: statistics(days) },
    {
      name: 'statistics, 90 days: no counts, no indexes',
      removes: `${COUNTED_EACH_TIME}; ${noIndexes}`,
      ask: statistics(days),
    },
    { name: 'statistics, all time: no counts', removes: COUNTED_EACH_TIME, ask: statistics(zone) },
    {
      name: 'statistics, all time: no counts, no indexes',
      removes: `${COUNTED_EACH_TIME}; ${noIndexes}`,
      ask: statistics(zone),
    },
    { name: 'search, 3 members', removes: noIndexes, ask: search(NEEDLES.three.text) },
    { name: 'search, 3,000 members', removes: noIndexes, ask: search(NEEDLES.thousands.text) },
    { name: 'search, 300,000 members', removes: noIndexes, ask: search(NEEDLES.most.text) },
  ]
}

/** The transaction under way, as a pool: what the product begins and ends in it becomes a part of it. */
function inside(client) {
  const release = () => undefined
  const query = (statement, values) => {
    if (typeof statement === 'string' && statement.startsWith('BEGIN')) return client.query('SAVEPOINT inside')
    if (statement === 'COMMIT') return client.query('RELEASE SAVEPOINT inside')
    if (statement === 'ROLLBACK') return client.query('ROLLBACK TO SAVEPOINT inside')
    if (typeof statement === 'string') return client.query(statement, values)
    // Not prepared: a plan that was made with an index would have to be thrown away.
    const { name: _name, ...unnamed } = statement
    return client.query(unnamed, values)
  }
  return { connect: async () => ({ query, release }), query }
}

/** The median. */
async function timed(ask) {
  await ask()
  const times = []
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
    if (times[0] > SLOW_MS) break
  }
  return percentile(times, 0.5)
}

function dayBefore(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
