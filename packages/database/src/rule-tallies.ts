/**
 * Tallies of rules: per rule, day (UTC) and outcome how many rows there are. `armed` counts all rows by the day on which they
 * were created; `executed` and the skip reasons count, under the same day, those that ended so. What waits is the rest. Every
 * statement that changes one of these numbers adds the change to the tallies itself: docs/adr/0011.
 */

/** Connections count in slots of their own, so that batches that run at once do not wait for each other's commit. */
const SLOTS = 8

/** SQL: the day a row belongs to. */
export const dayOf = (createdAt: string): string => `(${createdAt} AT TIME ZONE 'UTC')::date`

/** SQL: the outcome of a row that has ended. */
export const outcomeOf = (row: string): string => `coalesce(${row}.skip_reason, 'executed')`

/**
 * SQL of a statement that adds changes to the tallies. `changes` is a query of (account_id, rule_id, day, outcome, change).
 * One order for all writers, outcomes before `armed`: within one transaction of ingest the outcomes of rows that are armed
 * again are written before its new rows are counted, so two that share a slot cannot wait for each other.
 */
export const tally = (changes: string): string => `
  INSERT INTO automation_rule_tallies AS t (account_id, automation_rule_id, day, outcome, slot, rows)
  SELECT c.account_id, c.rule_id, c.day, c.outcome, pg_backend_pid() % ${SLOTS}, sum(c.change)
  FROM (${changes}) c
  GROUP BY 1, 2, 3, 4 HAVING sum(c.change) <> 0
  ORDER BY c.outcome = 'armed', 1, 2, 3, 4
  ON CONFLICT (account_id, automation_rule_id, day, outcome, slot) DO UPDATE SET rows = t.rows + excluded.rows`

/** SQL: rows of the CTE `ended` (account_id, automation_rule_id, created_at, skip_reason) have just ended. */
export const tallyEnded = (ended: string): string =>
  tally(`
    SELECT e.account_id, e.automation_rule_id AS rule_id, ${dayOf('e.created_at')} AS day, ${outcomeOf('e')} AS outcome,
      1 AS change
    FROM ${ended} e`)
