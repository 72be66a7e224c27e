// node bench/claim-plan.mjs — what the sweep's claim costs beside a million waiting rows, and what other ways of claiming
// would. Prints the plan and a table; docs/adr/0002-claim-in-due-order.md holds them. The statement is the product's own.
import { parseArgs } from 'node:util'
import { claimDue } from '@dwell/database/pending-executions/claim'
import pg from 'pg'
import { endOnce } from '../scripts/ending.mjs'
import { prepare } from '../scripts/install.mjs'
import { createProcesses } from '../scripts/processes.mjs'
import { migrate } from '../scripts/product.mjs'
import { createProgress } from '../scripts/progress.mjs'
import { startPostgres } from '../scripts/services/postgres.mjs'
import { table } from '../scripts/table.mjs'
import { alternatives, deadEntries } from './claim-alternatives.mjs'
import { explained, micros } from './explain.mjs'

const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '1000000' },
    due: { type: 'string', default: '1000' },
    terminal: { type: 'string', default: '200000' },
  },
})
const sizes = { waiting: Number(values.waiting), due: Number(values.due), terminal: Number(values.terminal) }

const progress = createProgress(process.stdout)
const { log, step } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => void end(1, `${one.name} ended unexpectedly (${signal ?? code}).`),
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

/** Rows in random order of due times, as they are armed; what has ended is spread among them. */
async function fill(client, now) {
  await client.query(
    `INSERT INTO automation_rule_pending_executions
       (account_id, automation_rule_id, conversation_id, due_at, episode_key, status, skip_reason, armed_at, created_at,
        updated_at, executed_at, finished_at)
     SELECT n % 500 + 1, n % 2000 + 1, n, at, 'status:' || n, status, reason, at, at, at,
       CASE WHEN status = 'executed' THEN at END, CASE WHEN status <> 'pending' THEN at END
     FROM (
       SELECT n, CASE WHEN n <= $2::int THEN 'pending' WHEN n % 3 = 0 THEN 'skipped' ELSE 'executed' END AS status,
         CASE WHEN n > $2::int AND n % 3 = 0 THEN 'episode_moved' END AS reason,
         CASE WHEN n <= $3::int THEN dwell_instant($1) - n * interval '10 milliseconds'
              WHEN n <= $2::int THEN dwell_instant($1) + n * interval '1 second'
              ELSE dwell_instant($1) - (n - $2::int) * interval '10 seconds' END AS at
       FROM generate_series(1, $2::int + $4::int) AS n ORDER BY random()) AS made`,
    [now, sizes.waiting, sizes.due, sizes.terminal],
  )
  await client.query('VACUUM ANALYZE automation_rule_pending_executions')
}

/** The product's statement as it would be sent. */
async function ownStatement(now, limit) {
  let sent
  const listening = {
    query: async (statement) => {
      sent = statement
      return { rows: [] }
    },
  }
  await claimDue(/** @type {any} */ (listening), { now, delayed: true, pauses: false }, limit)
  return sent
}

try {
  await prepare(progress)
  const postgres = await step('Starting Postgres', () => startPostgres(processes))
  await migrate(postgres.url)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const now = micros('2026-09-01T12:00:00Z')
  await step(`Filling ${sizes.waiting + sizes.terminal} rows`, () => fill(client, now))

  const own = await ownStatement(now, sizes.due)
  const claim = await explained(client, own)
  const idle = await explained(client, await ownStatement(micros('2026-08-01T12:00:00Z'), sizes.due))
  const rows = [
    ['claim, as it is', claim],
    ['claim, as it is, that finds nothing', idle],
  ]
  for (const one of alternatives(now, sizes.due)) {
    rows.push([one.name, await step(`Measuring: ${one.name}`, () => one.measure(client))])
  }
  rows.push([
    'claim, as it is, after the due rows were claimed and ended, before any vacuum',
    await deadEntries(client, own),
  ])

  const { rows: version } = await client.query('SHOW server_version')
  log(
    `\nPostgreSQL ${version[0].server_version}, ${sizes.waiting} waiting rows of which ${sizes.due} are due, ${sizes.terminal} ended`,
  )
  log(claim.plan)
  log('')
  const cells = rows.map(([name, { buffers, ms, claimed }]) => [name, String(claimed), String(buffers), ms.toFixed(1)])
  for (const line of table(['', 'rows', 'buffers', 'ms'], cells)) log(line)
  await client.end()
  await end(0)
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.stack : String(error))
}
