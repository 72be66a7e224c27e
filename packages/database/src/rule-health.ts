import type { Micros } from '@dwell/contracts/instant'
import type { PendingExecutionStatus, SkipReason } from '@dwell/contracts/pending-execution'
import type { Queryable } from './pool'
import { RETENTION } from './retention'

/** What became of the rows that a rule armed in the last 30 days. */
export interface RuleHealth {
  readonly since: Micros
  /** All of them, whatever became of them. */
  readonly armed: number
  /** Of these the ones that wait or are in a worker's hands. */
  readonly waiting: number
  readonly executed: number
  readonly skipped: number
  readonly skippedBy: Readonly<Partial<Record<SkipReason, number>>>
  readonly deliveriesFailed: number
  readonly deliveriesUnknown: number
}

// Rows by the unique index, which begins with the rule; troubled deliveries by an index that holds nothing else.
const COUNTS = `
  WITH armed AS (
    SELECT automation_rule_id AS rule_id, status, skip_reason, count(*) AS rows
    FROM automation_rule_pending_executions
    WHERE automation_rule_id = ANY ($2::bigint[]) AND account_id = $1 AND created_at >= dwell_instant($3)
    GROUP BY 1, 2, 3
  ), troubled AS (
    SELECT e.automation_rule_id AS rule_id, d.status, count(*) AS rows
    FROM action_deliveries d
    JOIN automation_rule_pending_executions e ON e.id = d.pending_execution_id
    WHERE d.account_id = $1 AND d.status IN ('failed', 'unknown')
      AND e.automation_rule_id = ANY ($2::bigint[]) AND e.created_at >= dwell_instant($3)
    GROUP BY 1, 2
  )
  SELECT rule_id, status, skip_reason, rows FROM armed
  UNION ALL SELECT rule_id, status, NULL, rows FROM troubled`

interface CountRow {
  readonly rule_id: number
  readonly status: PendingExecutionStatus | 'failed' | 'unknown'
  readonly skip_reason: SkipReason | null
  readonly rows: number
}

/** The health of these rules of an account, in one statement; every id that is asked for is in the answer. */
export async function readRuleHealth(
  db: Queryable,
  accountId: number,
  ruleIds: readonly number[],
  now: Micros,
): Promise<Map<number, RuleHealth>> {
  const since = (now - RETENTION) as Micros
  if (ruleIds.length === 0) return new Map()
  const { rows } = await db.query<CountRow>(COUNTS, [accountId, ruleIds, since])
  return new Map(
    ruleIds.map((id) => [
      id,
      healthOf(
        rows.filter((row) => row.rule_id === id),
        since,
      ),
    ]),
  )
}

function healthOf(counts: readonly CountRow[], since: Micros): RuleHealth {
  const sum = (...statuses: readonly CountRow['status'][]) =>
    counts.filter(({ status }) => statuses.includes(status)).reduce((total, { rows }) => total + rows, 0)
  return {
    since,
    armed: sum('pending', 'processing', 'executed', 'skipped'),
    waiting: sum('pending', 'processing'),
    executed: sum('executed'),
    skipped: sum('skipped'),
    skippedBy: Object.fromEntries(
      counts.flatMap(({ skip_reason: reason, rows }) => (reason === null ? [] : [[reason, rows]])),
    ),
    deliveriesFailed: sum('failed'),
    deliveriesUnknown: sum('unknown'),
  }
}
