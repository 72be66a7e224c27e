import type { Micros } from '@dwell/contracts/instant'
import type { Delivery } from '../executions'
import type { Queryable } from '../pool'

/** A delivery with the row and the rule it belongs to. */
export interface DeliveryOfAccount extends Delivery {
  readonly accountId: number
  readonly executionId: number
  readonly ruleId: number
  readonly ruleName: string | null
  readonly conversationId: number
  readonly createdAt: Micros
  readonly updatedAt: Micros
}

export interface TroubledFilter {
  /** Both unless given. */
  readonly status?: 'failed' | 'unknown' | undefined
  readonly ruleId?: number | undefined
  readonly conversationId?: number | undefined
}

/** Where a delivery stands in the list: the parts of its id, `<execution>-<position>` or `<execution>-<position>-<n>`. */
export interface DeliveryPlace {
  readonly executionId: number
  readonly position: number
  readonly id: string
}

const SELECT = `
  SELECT d.id, d.position, d.action_name AS "actionName", d.target, d.status, d.error, d.attempts,
         dwell_micros(d.next_attempt_at) AS "nextAttemptAt", dwell_micros(d.delivered_at) AS "deliveredAt",
         d.account_id AS "accountId", d.pending_execution_id AS "executionId", e.automation_rule_id AS "ruleId",
         r.name AS "ruleName", e.conversation_id AS "conversationId", dwell_micros(d.created_at) AS "createdAt",
         dwell_micros(d.updated_at) AS "updatedAt"
  FROM action_deliveries d
  JOIN automation_rule_pending_executions e ON e.id = d.pending_execution_id AND e.account_id = d.account_id
  LEFT JOIN automation_rules r ON r.id = e.automation_rule_id AND r.account_id = d.account_id`

// The index of troubled deliveries is ordered by account and execution and holds nothing else.
const TROUBLED = `${SELECT}
  WHERE d.account_id = $1 AND d.status IN ('failed', 'unknown') AND ($2::text IS NULL OR d.status = $2)
    AND ($3::bigint IS NULL OR e.automation_rule_id = $3) AND ($4::bigint IS NULL OR e.conversation_id = $4)
    AND ($5::bigint IS NULL OR d.pending_execution_id <= $5
      AND (d.pending_execution_id, d.position, length(d.id), d.id) < ($5, $6, length($7), $7))
  ORDER BY d.pending_execution_id DESC, d.position DESC, length(d.id) DESC, d.id DESC
  LIMIT $8`

/** What of an account failed or is unknown, the newest execution first: `before` a place of the list, one more than `limit`. */
export async function listTroubledDeliveries(
  db: Queryable,
  accountId: number,
  filter: TroubledFilter,
  page: { readonly before: DeliveryPlace | null; readonly limit: number },
): Promise<{ readonly entries: readonly DeliveryOfAccount[]; readonly next: DeliveryPlace | null }> {
  const { before, limit } = page
  const { rows } = await db.query<DeliveryOfAccount>(TROUBLED, [
    accountId,
    filter.status ?? null,
    filter.ruleId ?? null,
    filter.conversationId ?? null,
    before?.executionId ?? null,
    before?.position ?? null,
    before?.id ?? null,
    limit + 1,
  ])
  const entries = rows.slice(0, limit)
  const last = entries.at(-1)
  return { entries, next: rows.length > limit && last !== undefined ? last : null }
}

/** One delivery of one execution, whatever became of it. */
export async function findDelivery(
  db: Queryable,
  accountId: number,
  executionId: number,
  id: string,
): Promise<DeliveryOfAccount | null> {
  const { rows } = await db.query<DeliveryOfAccount>(
    `${SELECT} WHERE d.id = $3 AND d.account_id = $1 AND d.pending_execution_id = $2`,
    [accountId, executionId, id],
  )
  return rows[0] ?? null
}
