import type { Micros } from '@dwell/contracts/instant'
import type { RunSummary } from '@dwell/domain/automations/automation-answer'
import type { Queryable } from '../pool'
import { readAtOnce, type StatisticsSource } from './snapshot'

/** Changes that one statement moves: few enough that it is over in some ten milliseconds. */
const MERGE_BATCH = 2_000

// Whoever erases an account holds it: its changes are left to them. Mergers touch the counts in one order; nobody else does.
const MERGE = `
  WITH taken AS (
    DELETE FROM automation_run_count_changes WHERE ctid = ANY (ARRAY(
      SELECT c.ctid FROM automation_run_count_changes c JOIN accounts a ON a.id = c.account_id
      LIMIT $1 FOR UPDATE OF c SKIP LOCKED FOR KEY SHARE OF a SKIP LOCKED))
    RETURNING *
  ), merged AS (
    INSERT INTO automation_run_counts AS kept
      (account_id, automation_id, slot, without_steps, in_progress, completed, exited_early)
    SELECT min(account_id), automation_id, s.slot, sum(without_steps), sum(in_progress), sum(completed), sum(exited_early)
    FROM taken CROSS JOIN LATERAL (VALUES (taken.slot), ('-infinity'::timestamptz)) AS s(slot)
    GROUP BY 2, 3 ORDER BY 2, 3
    ON CONFLICT (automation_id, slot) DO UPDATE SET without_steps = kept.without_steps + excluded.without_steps,
      in_progress = kept.in_progress + excluded.in_progress, completed = kept.completed + excluded.completed,
      exited_early = kept.exited_early + excluded.exited_early
  )
  SELECT count(*) AS merged FROM taken`

/**
 * Moves what writers have added to the counts of runs into them. Changes no sum: whether, when and how often it runs, what
 * is read is the same, only sooner or later. Answers how many changes were moved.
 */
export async function mergeRunCounts(db: Queryable, batches = Number.POSITIVE_INFINITY): Promise<number> {
  let total = 0
  for (let batch = 0; batch < batches; batch += 1) {
    const { rows } = await db.query<{ merged: number }>({
      name: 'merge-run-counts',
      text: MERGE,
      values: [MERGE_BATCH],
    })
    const merged = rows[0]?.merged ?? 0
    total += merged
    if (merged < MERGE_BATCH) break
  }
  return total
}

// The slot of all runs, and the changes to it that are not merged yet. Every run is counted, those without steps as well.
const SUMMARIES = `
  SELECT t.id, counted.total, counted.in_progress, dwell_micros(newest.created_at) AS last_run_created_at
  FROM automations t
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(without_steps + in_progress + completed + exited_early), 0) AS total,
      coalesce(sum(in_progress), 0) AS in_progress
    FROM (
      SELECT without_steps, in_progress, completed, exited_early FROM automation_run_counts
      WHERE automation_id = t.id AND slot = '-infinity'
      UNION ALL
      SELECT without_steps, in_progress, completed, exited_early FROM automation_run_count_changes
      WHERE automation_id = t.id
    ) parts
  ) counted
  LEFT JOIN LATERAL (
    SELECT created_at FROM automation_runs WHERE automation_id = t.id ORDER BY created_at DESC, id DESC LIMIT 1
  ) newest ON true
  WHERE t.account_id = $1`

interface SummaryRow {
  readonly id: string
  readonly total: number
  readonly in_progress: number
  readonly last_run_created_at: Micros | null
}

/** Of all automations of an account, by their id. */
export async function runSummaries(
  source: StatisticsSource,
  accountId: number,
): Promise<ReadonlyMap<string, RunSummary>> {
  const statement = { name: 'run-summaries', text: SUMMARIES, values: [accountId] }
  const rows = await readAtOnce<SummaryRow>(source, statement)
  return new Map(
    rows.map((row) => [
      row.id,
      { lastRunCreatedAt: row.last_run_created_at, total: row.total, inProgress: row.in_progress },
    ]),
  )
}
