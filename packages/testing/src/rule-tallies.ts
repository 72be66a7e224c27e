import type { Queryable } from '@dwell/database/pool'

/** The tallies as they must be, counted anew from the rows, in the order and form of `storedTallies`. */
const COUNTED = `
  SELECT account_id, automation_rule_id, (created_at AT TIME ZONE 'UTC')::date AS day, outcome, count(*) AS rows
  FROM (
    SELECT account_id, automation_rule_id, created_at, 'armed' AS outcome FROM automation_rule_pending_executions
    UNION ALL
    SELECT account_id, automation_rule_id, created_at, coalesce(skip_reason, 'executed')
    FROM automation_rule_pending_executions WHERE finished_at IS NOT NULL
  ) counted
  GROUP BY 1, 2, 3, 4`

export interface Tally {
  readonly rule: number
  readonly day: string
  readonly outcome: string
  readonly rows: number
}

const IN_ORDER = `automation_rule_id AS rule, day::text, outcome, rows`

export async function countedTallies(db: Queryable, accountId: number): Promise<Tally[]> {
  const { rows } = await db.query<Tally>(
    `SELECT ${IN_ORDER} FROM (${COUNTED}) c WHERE account_id = $1 ORDER BY 1, 2, 3`,
    [accountId],
  )
  return rows
}

export async function storedTallies(db: Queryable, accountId: number): Promise<Tally[]> {
  const { rows } = await db.query<Tally>(
    `SELECT ${IN_ORDER} FROM (
       SELECT automation_rule_id, day, outcome, sum(rows)::bigint AS rows FROM automation_rule_tallies
       WHERE account_id = $1 GROUP BY 1, 2, 3 HAVING sum(rows) <> 0) t ORDER BY 1, 2, 3`,
    [accountId],
  )
  return rows
}

/** For tests that write rows past the product: brings the tallies in line with them. */
export async function recountTallies(db: Queryable): Promise<void> {
  await db.query('DELETE FROM automation_rule_tallies')
  await db.query(
    `INSERT INTO automation_rule_tallies (account_id, automation_rule_id, day, outcome, slot, rows)
     SELECT account_id, automation_rule_id, day, outcome, 0, rows FROM (${COUNTED}) c`,
  )
}
