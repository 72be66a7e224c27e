import { MICROS_PER_DAY, type Micros } from '@dwell/contracts/instant'
import { SKIP_REASONS, type SkipReason } from '@dwell/contracts/pending-execution'
import type { Queryable } from './pool'
import { RETENTION } from './retention'

/** What became of the rows that a rule armed in the last 30 days and on the day (UTC) on which they begin. */
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

// Rows by their tallies; troubled deliveries by an index that holds nothing else.
const COUNTS = `
  SELECT automation_rule_id AS rule_id, outcome, sum(rows)::bigint AS rows
  FROM automation_rule_tallies
  WHERE account_id = $1 AND automation_rule_id = ANY ($2::bigint[]) AND day >= (dwell_instant($3) AT TIME ZONE 'UTC')::date
  GROUP BY 1, 2
  UNION ALL
  SELECT e.automation_rule_id, d.status, count(*)
  FROM action_deliveries d
  JOIN automation_rule_pending_executions e ON e.id = d.pending_execution_id
  WHERE d.account_id = $1 AND d.status IN ('failed', 'unknown')
    AND e.automation_rule_id = ANY ($2::bigint[]) AND e.created_at >= dwell_instant($3)
  GROUP BY 1, 2`

interface CountRow {
  readonly rule_id: number
  readonly outcome: 'armed' | 'executed' | SkipReason | 'failed' | 'unknown'
  readonly rows: number
}

/** The health of these rules of an account, in one statement; every id that is asked for is in the answer. */
export async function readRuleHealth(
  db: Queryable,
  accountId: number,
  ruleIds: readonly number[],
  now: Micros,
): Promise<Map<number, RuleHealth>> {
  const since = (Math.floor((now - RETENTION) / MICROS_PER_DAY) * MICROS_PER_DAY) as Micros
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
  const of = (outcome: CountRow['outcome']) => counts.find((row) => row.outcome === outcome)?.rows ?? 0
  const skippedBy = SKIP_REASONS.map((reason) => [reason, of(reason)] as const).filter(([, rows]) => rows > 0)
  const skipped = skippedBy.reduce((total, [, rows]) => total + rows, 0)
  return {
    since,
    armed: of('armed'),
    waiting: of('armed') - of('executed') - skipped,
    executed: of('executed'),
    skipped,
    skippedBy: Object.fromEntries(skippedBy),
    deliveriesFailed: of('failed'),
    deliveriesUnknown: of('unknown'),
  }
}
