import type { Pool, PoolClient } from 'pg'
import type { Change } from './change'
import { inTransaction } from './pool'

/** A tenant with millions of rows takes its time; the usual limit of a statement would never let it go. */
const STATEMENT_LIMIT = '15min'

// Asked, not listed: a table that comes later cannot be forgotten. The outbox has no index by account and goes by its rows.
// Deleting runs takes them off their counts: what that leaves goes last.
const TABLES = `
  SELECT c.table_name AS name FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = current_schema() AND c.column_name = 'account_id' AND t.table_type = 'BASE TABLE'
    AND c.table_name <> 'action_deliveries'
  ORDER BY c.table_name = 'automation_run_count_changes', c.table_name`

/**
 * Erases an account and everything that belongs to it, in one transaction. The account is locked first, so that batches
 * of ingest that arm for it have ended; then its waiting rows and its automations, so that no worker executes a row or adds
 * to a run meanwhile.
 * Only that it was erased remains, in the audit log of the installation. Answers false when there is no such account.
 */
export function eraseAccount(pool: Pool, id: number, change: Change): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query(`SELECT set_config('statement_timeout', $1, true)`, [STATEMENT_LIMIT])
    const locked = await client.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id])
    if (locked.rowCount === 0) return false
    await lockWaitingRows(client, id)
    await client.query(
      `DELETE FROM action_deliveries d USING automation_rule_pending_executions e
       WHERE e.account_id = $1 AND d.pending_execution_id = e.id`,
      [id],
    )
    const { rows: tables } = await client.query<{ name: string }>(TABLES)
    for (const { name } of tables) {
      await client.query(`DELETE FROM ${client.escapeIdentifier(name)} WHERE account_id = $1`, [id])
    }
    await client.query('DELETE FROM accounts WHERE id = $1', [id])
    await client.query(
      `INSERT INTO audit_logs (actor, action, subject, created_at)
       VALUES ($1, 'account.erased', $2, dwell_instant($3))`,
      [change.actor, `account ${id}`, change.now],
    )
    return true
  })
}

async function lockWaitingRows(client: PoolClient, accountId: number): Promise<void> {
  await client.query(
    `SELECT count(*) FROM (
       SELECT FROM automation_rule_pending_executions
       WHERE account_id = $1 AND status IN ('pending', 'processing') FOR UPDATE) locked`,
    [accountId],
  )
  await client.query('SELECT count(*) FROM (SELECT FROM automations WHERE account_id = $1 FOR UPDATE) locked', [
    accountId,
  ])
}
