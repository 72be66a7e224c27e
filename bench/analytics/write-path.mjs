// Readers beside a worker's statements: what they cost each other.

import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'

export const STEPS_PER_SECOND = 500
const STEPS_FILE = fileURLToPath(new URL('steps.mjs', import.meta.url))
const LONG_WAIT_MS = 50

/** Waits for locks as Postgres writes them down, of one application. */
export function createLockLog(application) {
  const waits = []
  return {
    waits,
    /** @param {string} line of the server's log */
    onLine(line) {
      if (!line.startsWith(`${application}: `)) return
      const found = / acquired (\S+) on .* after ([\d.]+) ms/.exec(line)
      if (found) waits.push({ mode: found[1], ms: Number(found[2]) })
    },
  }
}

/** Runs that stand before the first wait of the automation, ready now: each gives two steps. */
export async function prepareSteps(pool, { accountId, automationId, steps }) {
  const runs = Math.ceil(steps / 2)
  const batch = randomUUID()
  await pool.query(
    `WITH action AS (
       SELECT a.id, r.id AS revision_id FROM automation_actions a JOIN automation_action_revisions r ON r.action_id = a.id
       WHERE a.automation_id = $2 AND a.position = 1
     ), entering AS (
       SELECT gen_random_uuid() AS run_id, m.id AS member_id, n, now() - interval '26 hours' + random() * interval '1 hour' AS at
       FROM (SELECT id, row_number() OVER () AS n FROM members WHERE account_id = $1 AND NOT gone AND status = 'free' LIMIT $3) m
     ), begun AS (
       INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status)
       SELECT run_id, $1, $2, member_id, $4 || '-' || n, at, 'in_progress' FROM entering RETURNING id
     )
     INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at, created_at, updated_at)
     SELECT gen_random_uuid(), $1, $2, run_id, action.id, action.revision_id, true, at + interval '24 hours', at, at
     FROM entering CROSS JOIN action`,
    [accountId, automationId, runs, batch],
  )
}

/**
 * Runs the worker's statements beside `work`.
 *
 * @param {ReturnType<typeof import('../../scripts/processes.mjs').createProcesses>} processes
 * @param {{databaseUrl: string, seconds: number, lockLog: ReturnType<typeof createLockLog>}} options
 * @param {() => Promise<void>} work ends before `seconds` are over
 */
export async function besideSteps(processes, { databaseUrl, seconds, lockLog }, work) {
  lockLog.waits.length = 0
  const lines = []
  const worker = await processes.start({
    name: 'steps',
    command: process.execPath,
    args: [STEPS_FILE, databaseUrl, String(STEPS_PER_SECOND), String(seconds)],
    onLine: (line) => lines.push(line),
  })
  const ended = worker.exited
  await work()
  const { code } = await ended
  if (code !== 0) throw new Error(`the steps ended with ${code}:\n${lines.join('\n')}`)
  const result = JSON.parse(lines.at(-1) ?? '')
  const statements = Object.values(result.times).reduce((sum, { count }) => sum + count, 0)
  const long = lockLog.waits.filter(({ ms }) => ms > LONG_WAIT_MS).length
  return {
    ...result,
    statements,
    waits: lockLog.waits.length,
    longWaits: long,
    longestWait: Math.max(0, ...lockLog.waits.map(({ ms }) => ms)),
    /** Below a hundredth of the statements: then the 99th percentile is not above 50 ms. */
    withinTarget: long <= statements / 100,
  }
}
