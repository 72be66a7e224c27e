import type { Micros } from '@dwell/contracts/instant'
import type {
  DeliveryAttempt,
  DeliveryStatus,
  DeliveryTarget,
  PendingExecutionStatus,
  SkipReason,
} from '@dwell/contracts/pending-execution'
import type { GuardStep } from '@dwell/domain/rules/guards'
import { type Page, type Paged, paged } from './page'
import type { Queryable } from './pool'

/** A row with all that answers "why": its times, the guards, its deliveries. */
export interface Execution {
  readonly id: number
  readonly accountId: number
  readonly ruleId: number
  /** As it is now; null when the rule is gone for good. */
  readonly ruleName: string | null
  readonly conversationId: number
  readonly messageId: number | null
  readonly dueAt: Micros
  readonly episodeKey: string
  readonly status: PendingExecutionStatus
  readonly skipReason: SkipReason | null
  readonly armedAt: Micros
  readonly claimedAt: Micros | null
  readonly createdAt: Micros
  readonly updatedAt: Micros
  readonly executedAt: Micros | null
  readonly finishedAt: Micros | null
  readonly guardOutcome: readonly GuardStep[] | null
  readonly deliveries: readonly Delivery[]
}

export interface Delivery {
  readonly id: string
  readonly position: number
  readonly actionName: string
  readonly target: DeliveryTarget
  readonly status: DeliveryStatus
  readonly error: string | null
  readonly attempts: readonly DeliveryAttempt[]
  readonly nextAttemptAt: Micros | null
  readonly deliveredAt: Micros | null
}

export interface ExecutionFilter {
  readonly ruleId?: number | undefined
  readonly conversationId?: number | undefined
  readonly status?: PendingExecutionStatus | undefined
  readonly skipReason?: SkipReason | undefined
}

const COLUMNS = `
  id, account_id AS "accountId", automation_rule_id AS "ruleId", conversation_id AS "conversationId",
  message_id AS "messageId", dwell_micros(due_at) AS "dueAt", episode_key AS "episodeKey", status,
  skip_reason AS "skipReason", dwell_micros(armed_at) AS "armedAt", dwell_micros(claimed_at) AS "claimedAt",
  dwell_micros(created_at) AS "createdAt", dwell_micros(updated_at) AS "updatedAt",
  dwell_micros(executed_at) AS "executedAt", dwell_micros(finished_at) AS "finishedAt",
  guard_outcome AS "guardOutcome",
  (SELECT r.name FROM automation_rules r
   WHERE r.id = automation_rule_id AND r.account_id = automation_rule_pending_executions.account_id) AS "ruleName"`

const DELIVERIES = `
  SELECT pending_execution_id AS "executionId", id, position, action_name AS "actionName", target, status, error,
         attempts, dwell_micros(next_attempt_at) AS "nextAttemptAt", dwell_micros(delivered_at) AS "deliveredAt"
  FROM action_deliveries
  WHERE account_id = $1 AND pending_execution_id = ANY($2::bigint[])
  ORDER BY pending_execution_id, position, length(id), id`

type ExecutionRow = Omit<Execution, 'deliveries'>

/** The rows of an account, newest first, rows of immediate rules among them. */
export async function listExecutions(
  db: Queryable,
  accountId: number,
  filter: ExecutionFilter,
  page: Page,
): Promise<Paged<Execution>> {
  const values: unknown[] = [accountId]
  const conditions = ['account_id = $1']
  const narrow = (column: string, comparison: '=' | '<', value: unknown): void => {
    if (value === undefined || value === null) return
    values.push(value)
    conditions.push(`${column} ${comparison} $${values.length}`)
  }
  narrow('automation_rule_id', '=', filter.ruleId)
  narrow('conversation_id', '=', filter.conversationId)
  narrow('status', '=', filter.status)
  narrow('skip_reason', '=', filter.skipReason)
  narrow('id', '<', page.before)
  values.push(page.limit + 1)
  const { rows } = await db.query<ExecutionRow>(
    `SELECT ${COLUMNS} FROM automation_rule_pending_executions
     WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT $${values.length}`,
    values,
  )
  const { entries, next } = paged(rows, page)
  return { entries: await withDeliveries(db, accountId, entries), next }
}

export async function findExecution(db: Queryable, accountId: number, id: number): Promise<Execution | null> {
  const { rows } = await db.query<ExecutionRow>(
    `SELECT ${COLUMNS} FROM automation_rule_pending_executions WHERE account_id = $1 AND id = $2`,
    [accountId, id],
  )
  const [found] = await withDeliveries(db, accountId, rows)
  return found ?? null
}

/** What waits on a conversation, the first due first. */
export async function armedExecutionsOf(
  db: Queryable,
  accountId: number,
  conversationId: number,
): Promise<readonly Execution[]> {
  const { rows } = await db.query<ExecutionRow>(
    `SELECT ${COLUMNS} FROM automation_rule_pending_executions
     WHERE account_id = $1 AND conversation_id = $2 AND status IN ('pending', 'processing')
     ORDER BY due_at, id`,
    [accountId, conversationId],
  )
  return rows.map((row) => ({ ...row, deliveries: [] }))
}

async function withDeliveries(
  db: Queryable,
  accountId: number,
  executions: readonly ExecutionRow[],
): Promise<readonly Execution[]> {
  const ids = executions.filter((execution) => execution.status === 'executed').map((execution) => execution.id)
  if (ids.length === 0) return executions.map((execution) => ({ ...execution, deliveries: [] }))
  const { rows } = await db.query<Delivery & { executionId: number }>(DELIVERIES, [accountId, ids])
  const byExecution = new Map<number, Delivery[]>(ids.map((id) => [id, []]))
  for (const { executionId, ...delivery } of rows) byExecution.get(executionId)?.push(delivery)
  return executions.map((execution) => ({ ...execution, deliveries: byExecution.get(execution.id) ?? [] }))
}
