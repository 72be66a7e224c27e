import type { Pool } from '@dwell/database/pool'

/** A pending execution as a test wants it; what is left out is that of a row armed at 10:00, due at 11:00. */
export interface RowToInsert {
  readonly accountId: number
  readonly ruleId: number
  readonly conversationId?: number
  readonly episodeKey?: string
  readonly status?: 'pending' | 'processing' | 'executed' | 'skipped'
  readonly skipReason?: string
  readonly dueAt?: string
  readonly claimedAt?: string
  readonly messageId?: number
}

let conversations = 100

/** Stores a row as ingest and worker would have left it; answers its id. */
export async function insertRow(pool: Pool, row: RowToInsert): Promise<number> {
  conversations += 1
  const status = row.status ?? 'pending'
  const ended = status === 'executed' || status === 'skipped'
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO automation_rule_pending_executions
       (account_id, automation_rule_id, conversation_id, message_id, message_created_at, due_at, episode_key, status,
        skip_reason, armed_at, claim_token, claimed_at, created_at, updated_at, executed_at, finished_at, guard_outcome)
     VALUES ($1, $2, $3, $4, CASE WHEN $4::bigint IS NULL THEN NULL ELSE '2026-09-01T10:00:00Z'::timestamptz END, $5,
             $6, $7, $8, '2026-09-01T10:00:00.000001Z',
             CASE WHEN $7 = 'processing' THEN gen_random_uuid() END, $9,
             '2026-09-01T10:00:00.000001Z', '2026-09-01T10:00:00.000001Z', $10, $11, $12)
     RETURNING id`,
    [
      row.accountId,
      row.ruleId,
      row.conversationId ?? conversations,
      row.messageId ?? null,
      row.dueAt ?? '2026-09-01T11:00:00.123456Z',
      row.episodeKey ?? 'status:1788256800000000',
      status,
      row.skipReason ?? null,
      status === 'processing' ? (row.claimedAt ?? '2026-09-01T11:00:00Z') : null,
      status === 'executed' ? '2026-09-01T11:01:00Z' : null,
      ended ? '2026-09-01T11:01:00Z' : null,
      ended ? JSON.stringify([{ guard: 'kill_switch', passed: true }]) : null,
    ],
  )
  const [inserted] = rows
  if (inserted === undefined) throw new Error('nothing was inserted')
  return inserted.id
}

/** A delivery of an executed row, by default one that arrived. */
export async function insertDelivery(
  pool: Pool,
  delivery: {
    readonly accountId: number
    readonly executionId: number
    readonly position?: number
    readonly status?: 'pending' | 'delivered' | 'failed' | 'unknown' | 'dismissed'
    readonly target?: 'stream' | 'webhook' | 'smtp'
    readonly error?: string
    readonly attempts?: readonly object[]
  },
): Promise<string> {
  const { accountId, executionId, position = 0, status = 'delivered', target = 'stream' } = delivery
  const id = `${executionId}-${position}`
  await pool.query(
    `INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
       error, attempts, next_attempt_at, delivered_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'add_label', $5, $6, '{}', $7, $8,
       CASE WHEN $6 = 'pending' THEN now() END, CASE WHEN $6 = 'delivered' THEN now() END, now(), now())`,
    [
      id,
      accountId,
      executionId,
      position,
      target,
      status,
      delivery.error ?? null,
      JSON.stringify(delivery.attempts ?? []),
    ],
  )
  return id
}

/** Status and reason of rows by their id, as `status` or `skipped:reason`; rows that are gone are missing. */
export async function statesOf(pool: Pool, ids: readonly number[]): Promise<Record<number, string>> {
  const { rows } = await pool.query<{ id: number; status: string; skip_reason: string | null }>(
    'SELECT id, status, skip_reason FROM automation_rule_pending_executions WHERE id = ANY($1)',
    [ids],
  )
  return Object.fromEntries(
    rows.map(({ id, status, skip_reason: reason }) => [id, reason === null ? status : `${status}:${reason}`]),
  )
}
