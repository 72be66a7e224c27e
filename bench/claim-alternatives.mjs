// Other ways to claim the same rows, each as its author would write it.
import { explained } from './explain.mjs'

const TABLE = 'automation_rule_pending_executions'
const TOKEN = '00000000-0000-4000-8000-000000000001'
const SET = `status = 'processing', claim_token = '${TOKEN}', claimed_at = dwell_instant($1), updated_at = dwell_instant($1)`
const DUE = `finished_at IS NULL AND status = 'pending' AND due_at <= dwell_instant($1)`

/**
 * @typedef {{plan?: string, buffers: number, ms: number, claimed: number}} Cost
 * @param {number} now
 * @param {number} limit
 * @returns {{name: string, measure: (client: import('pg').Client) => Promise<Cost>}[]}
 */
export function alternatives(now, limit) {
  const batch = {
    text: `WITH due AS MATERIALIZED (
             SELECT id FROM ${TABLE} WHERE ${DUE} ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
           UPDATE ${TABLE} e SET ${SET} FROM due WHERE e.id = due.id RETURNING e.id`,
    values: [now, limit],
  }
  const inSubquery = {
    text: `UPDATE ${TABLE} SET ${SET} WHERE id IN (
             SELECT id FROM ${TABLE} WHERE ${DUE} ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
    values: [now, limit],
  }
  return [
    { name: 'id IN (SELECT … LIMIT … FOR UPDATE SKIP LOCKED)', measure: (client) => explained(client, inSubquery) },
    {
      name: 'the same claim on an index of all states, (status, due_at), as in the seed',
      measure: (client) =>
        withIndexes(client, [`CREATE INDEX alternative ON ${TABLE} (status, due_at)`], () => explained(client, batch)),
    },
    {
      name: 'the same claim on (status, due_at) without id in the order',
      measure: (client) =>
        withIndexes(client, [`CREATE INDEX alternative ON ${TABLE} (status, due_at)`], () =>
          explained(client, { ...batch, text: batch.text.replace('ORDER BY due_at, id', 'ORDER BY due_at') }),
        ),
    },
    {
      name: 'the same claim without an index for it',
      measure: (client) => withIndexes(client, [], () => explained(client, batch)),
    },
    { name: 'read the ids, then one compare-and-set per row', measure: (client) => rowByRow(client, now, limit) },
  ]
}

/** Ours makes room for the alternative, and comes back. */
async function withIndexes(client, statements, work) {
  const { rows } = await client.query(`SELECT pg_get_indexdef('pending_executions_due_idx'::regclass) AS ours`)
  await client.query('DROP INDEX pending_executions_due_idx')
  for (const statement of statements) await client.query(statement)
  await client.query(`VACUUM ANALYZE ${TABLE}`)
  const cost = await work()
  await client.query('DROP INDEX IF EXISTS alternative')
  await client.query(rows[0].ours)
  await client.query(`VACUUM ANALYZE ${TABLE}`)
  return cost
}

async function rowByRow(client, now, limit) {
  const before = await blocksOf(client)
  const began = performance.now()
  const { rows } = await client.query(`SELECT id FROM ${TABLE} WHERE ${DUE} ORDER BY due_at, id LIMIT $2`, [now, limit])
  let claimed = 0
  for (const { id } of rows) {
    const { rowCount } = await client.query({
      name: 'compare-and-set',
      text: `UPDATE ${TABLE} SET ${SET} WHERE id = $2 AND status = 'pending'`,
      values: [now, id],
    })
    claimed += rowCount
  }
  const ms = performance.now() - began
  const buffers = (await blocksOf(client)) - before
  await client.query(
    `UPDATE ${TABLE} SET status = 'pending', claim_token = NULL, claimed_at = NULL WHERE status = 'processing'`,
  )
  await client.query(`VACUUM ANALYZE ${TABLE}`)
  return { buffers, ms, claimed }
}

/** What the server has counted for this table and its indexes. */
async function blocksOf(client) {
  await client.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await client.query(
    `SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit AS blocks FROM pg_statio_user_tables WHERE relname = $1`,
    [TABLE],
  )
  return Number(rows[0].blocks)
}

/** The claim finds nothing, but must pass over what it has taken before: entries that only a vacuum removes. */
export async function deadEntries(client, claim) {
  await client.query(`ALTER TABLE ${TABLE} SET (autovacuum_enabled = off)`)
  await client.query(claim.text, claim.values)
  await client.query(
    `UPDATE ${TABLE} SET status = 'executed', claim_token = NULL, claimed_at = NULL, executed_at = now(), finished_at = now()
     WHERE status = 'processing'`,
  )
  return explained(client, claim)
}
