import type { Pool } from '@dwell/database/pool'

/** A row as ingest and workers would have left it; what is not said is that of a row that waits. */
export interface RowToInsert {
  readonly account: number
  readonly conversation: number
  /** ISO. */
  readonly due: string
  readonly state?: 'pending' | 'processing' | 'executed' | `skipped:${string}`
  /** ISO; of a row that is processing. */
  readonly claimedAt?: string
  /** ISO; of a row that has ended. */
  readonly finishedAt?: string
  /** Of an immediate rule, e.g. `event:evt_1`. */
  readonly key?: string
  readonly rule?: number
  readonly message?: number
}

/** Stores rows; answers their ids in order. */
export async function insertRows(pool: Pool, rows: readonly RowToInsert[]): Promise<number[]> {
  const ids: number[] = []
  for (const row of rows) {
    const [status, reason] = (row.state ?? 'pending').split(':')
    const finishedAt = status === 'executed' || status === 'skipped' ? (row.finishedAt ?? row.due) : null
    const inserted = await pool.query<{ id: number }>(
      `INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, message_id,
         message_created_at, due_at, episode_key, status, skip_reason, armed_at, claim_token, claimed_at, created_at,
         updated_at, executed_at, finished_at)
       VALUES ($1, $2, $3, $4::bigint, CASE WHEN $4::bigint IS NULL THEN NULL ELSE $5::timestamptz END, $5, $6, $7, $8, $5,
         CASE WHEN $7 = 'processing' THEN gen_random_uuid() END, $9, $5, $5, CASE WHEN $7 = 'executed' THEN $10::timestamptz END,
         $10)
       RETURNING id`,
      [
        row.account,
        row.rule ?? 1,
        row.conversation,
        row.message ?? null,
        row.due,
        row.key ?? 'status:1788256800000000',
        status,
        reason ?? null,
        status === 'processing' ? (row.claimedAt ?? row.due) : null,
        finishedAt,
      ],
    )
    for (const { id } of inserted.rows) ids.push(id)
  }
  return ids
}

/** A delivery of an execution, by default one that waits to be relayed to the stream. */
export async function insertDelivery(
  pool: Pool,
  delivery: {
    readonly account: number
    readonly execution: number
    readonly position?: number
    readonly status?: 'pending' | 'delivered' | 'failed' | 'unknown' | 'dismissed'
    readonly target?: 'stream' | 'webhook' | 'smtp'
    readonly payload?: object
    readonly attempts?: readonly object[]
    /** ISO; of one that is pending. */
    readonly nextAttemptAt?: string
  },
): Promise<string> {
  const { account, execution, position = 0, status = 'pending', target = 'stream' } = delivery
  const id = `${execution}-${position}`
  const payload = delivery.payload ?? { id, account_id: account, position }
  await pool.query(
    `INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
       attempts, next_attempt_at, delivered_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'add_label', $5, $6, $7, $8, CASE WHEN $6 = 'pending' THEN $9::timestamptz END,
       CASE WHEN $6 = 'delivered' THEN $9::timestamptz END, $9, $9)`,
    [
      id,
      account,
      execution,
      position,
      target,
      status,
      JSON.stringify(payload),
      JSON.stringify(delivery.attempts ?? []),
      delivery.nextAttemptAt ?? '2026-09-01T09:00:00Z',
    ],
  )
  return id
}
