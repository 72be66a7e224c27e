import type { EndReason } from '@dwell/contracts/automations'
import type { Queryable } from '@dwell/database/pool'
import { classificationOf, classifyRun } from '@dwell/domain/automations/classification'

interface RunRow {
  readonly id: string
  readonly status: string | null
  readonly end_reason: EndReason | null
  readonly steps: readonly string[]
}

/**
 * Runs whose stored status is not what the one rule makes of their steps, each with both. None may ever be seen, at no
 * moment: statistics, list and search believe what is stored.
 */
export async function misclassifiedRuns(db: Queryable, accountId: number): Promise<string[]> {
  const { rows } = await db.query<RunRow>(
    `SELECT run.id, run.status, run.end_reason, array_remove(array_agg(s.status), NULL) AS steps
     FROM automation_runs run LEFT JOIN automation_steps s ON s.run_id = run.id
     WHERE run.account_id = $1 GROUP BY run.id`,
    [accountId],
  )
  return rows.flatMap(({ id, status, end_reason, steps }) => {
    const said = classifyRun(steps)
    const stored = status === null ? null : classificationOf(end_reason)
    const same = said?.status === stored?.status && said?.failed === stored?.failed && (said?.status ?? null) === status
    return same ? [] : [`${id}: ${status} ${end_reason}, but its steps are ${steps.join(', ')}`]
  })
}

const COUNTED = `
  SELECT slot, sum(without_steps) AS without_steps, sum(in_progress) AS in_progress, sum(completed) AS completed,
    sum(exited_early) AS exited_early
  FROM (
    SELECT slot, without_steps, in_progress, completed, exited_early FROM automation_run_counts WHERE account_id = $1
    UNION ALL
    SELECT s.slot, without_steps, in_progress, completed, exited_early FROM automation_run_count_changes c
    CROSS JOIN LATERAL (VALUES (c.slot), ('-infinity'::timestamptz)) AS s(slot) WHERE account_id = $1
  ) parts GROUP BY slot`

const PRESENT = `
  SELECT s.slot, count(*) FILTER (WHERE status IS NULL) AS without_steps,
    count(*) FILTER (WHERE status = 'in_progress') AS in_progress, count(*) FILTER (WHERE status = 'completed') AS completed,
    count(*) FILTER (WHERE status = 'exited_early') AS exited_early
  FROM automation_runs CROSS JOIN LATERAL (VALUES (dwell_slot(created_at)), ('-infinity'::timestamptz)) AS s(slot)
  WHERE account_id = $1 GROUP BY s.slot`

/** Quarters of an hour whose counts are not those of the runs. One statement, so that both are of one moment. */
export async function miscountedSlots(db: Queryable, accountId: number): Promise<unknown[]> {
  const { rows } = await db.query(
    `SELECT * FROM (${COUNTED}) counted FULL JOIN (${PRESENT}) present USING (slot)
     WHERE (coalesce(counted.without_steps, 0), coalesce(counted.in_progress, 0), coalesce(counted.completed, 0),
         coalesce(counted.exited_early, 0)) IS DISTINCT FROM (coalesce(present.without_steps, 0),
         coalesce(present.in_progress, 0), coalesce(present.completed, 0), coalesce(present.exited_early, 0))`,
    [accountId],
  )
  return rows
}
