import type { Micros } from '@dwell/contracts/instant'
import { isImmediateArm, type RowChange, type RowsToLoad } from '@dwell/domain/rules/fold-rows'
import type { PendingExecution } from '@dwell/domain/rules/pending-execution'
import type { PoolClient } from 'pg'
import {
  type PendingExecutionRow,
  pendingExecutionColumns,
  pendingExecutionFromRow,
} from '../rows/pending-execution-row'
import { dayOf, outcomeOf, tally } from '../rule-tallies'

const BY_KEY = `
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS wanted(rule_id, conversation_id, episode_key)
  JOIN automation_rule_pending_executions e
    ON e.automation_rule_id = wanted.rule_id AND e.conversation_id = wanted.conversation_id
   AND e.episode_key = wanted.episode_key`

const IN_ORDER = `ORDER BY e.automation_rule_id, e.conversation_id, e.episode_key FOR UPDATE OF e`

const LOCK_BY_KEY = `SELECT ${pendingExecutionColumns('e')} ${BY_KEY} ${IN_ORDER}`

// All customer waits of a conversation, not only those the late message precedes: the key a row moves to must be known
// to be free. Late messages are rare.
const LOCK_BY_KEY_OR_CONVERSATION = `
  WITH wanted AS MATERIALIZED (
    SELECT e.id ${BY_KEY}
    UNION
    SELECT e.id
    FROM unnest($4::bigint[], $5::bigint[]) AS late(account_id, conversation_id)
    JOIN automation_rule_pending_executions e
      ON e.account_id = late.account_id AND e.conversation_id = late.conversation_id
    WHERE e.episode_key LIKE 'reply_chase:%')
  SELECT ${pendingExecutionColumns('e')}
  FROM wanted JOIN automation_rule_pending_executions e USING (id) ${IN_ORDER}`

/**
 * Locks the rows that a batch may change until the transaction ends and reads them: a worker that holds one of them can
 * neither finish nor release it meanwhile. Their conversations are locked, so nobody else inserts any.
 */
export async function lockPendingExecutions(client: PoolClient, wanted: RowsToLoad): Promise<PendingExecution[]> {
  const { keys, conversations } = wanted
  if (keys.length === 0 && conversations.length === 0) return []
  const byKey = [
    keys.map((key) => key.ruleId),
    keys.map((key) => key.conversationId),
    keys.map((key) => key.episodeKey),
  ]
  const { rows } = await client.query<PendingExecutionRow>(
    conversations.length === 0
      ? { name: 'ingest-lock-executions', text: LOCK_BY_KEY, values: byKey }
      : {
          name: 'ingest-lock-executions-late',
          text: LOCK_BY_KEY_OR_CONVERSATION,
          values: [...byKey, conversations.map((one) => one.accountId), conversations.map((one) => one.conversationId)],
        },
  )
  return rows.map(pendingExecutionFromRow)
}

const RECORD = `v(
  id bigint, account_id bigint, rule_id bigint, conversation_id bigint, message_id bigint, message_created_at bigint,
  episode_key text, status text, skip_reason text, due_at bigint, armed_at bigint, traceparent text, ended_as text)`

// A row that leaves `processing` gives up its claim: the worker's compare-and-set finds another token, or none.
const UPDATE = `
  WITH updated AS (
  UPDATE automation_rule_pending_executions e SET
    episode_key = v.episode_key, status = v.status, skip_reason = v.skip_reason, due_at = dwell_instant(v.due_at),
    message_id = v.message_id, message_created_at = dwell_instant(v.message_created_at),
    armed_at = dwell_instant(v.armed_at), traceparent = v.traceparent,
    claim_token = CASE WHEN v.status = 'processing' THEN e.claim_token END,
    claimed_at = CASE WHEN v.status = 'processing' THEN e.claimed_at END,
    finished_at = CASE WHEN v.status IN ('executed', 'skipped') THEN coalesce(e.finished_at, dwell_instant($2)) END,
    guard_outcome = CASE WHEN e.status = 'skipped' AND v.status = 'pending' THEN NULL ELSE e.guard_outcome END,
    updated_at = dwell_instant($2)
  FROM json_to_recordset($1::json) AS ${RECORD}
  WHERE e.id = v.id
  RETURNING e.account_id, e.automation_rule_id, e.created_at, e.finished_at, e.skip_reason, v.ended_as
  )
  ${tally(`
    SELECT account_id, automation_rule_id AS rule_id, ${dayOf('created_at')} AS day, ended_as AS outcome, -1 AS change
    FROM updated WHERE ended_as IS NOT NULL
    UNION ALL
    SELECT account_id, automation_rule_id, ${dayOf('created_at')}, ${outcomeOf('updated')}, 1
    FROM updated WHERE finished_at IS NOT NULL`)}`

const CLEAR_KEYS = `
  UPDATE automation_rule_pending_executions SET episode_key = 'moving:' || id WHERE id = ANY($1::bigint[])`

const INSERT = `
  WITH inserted AS (
  INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, message_id,
    message_created_at, due_at, episode_key, status, skip_reason, armed_at, created_at, updated_at, finished_at, traceparent)
  SELECT v.account_id, v.rule_id, v.conversation_id, v.message_id, dwell_instant(v.message_created_at),
    dwell_instant(v.due_at), v.episode_key, v.status, v.skip_reason, dwell_instant(v.armed_at), dwell_instant($2),
    dwell_instant($2), CASE WHEN v.status = 'skipped' THEN dwell_instant($2) END, v.traceparent
  FROM json_to_recordset($1::json) AS ${RECORD}
  ON CONFLICT (automation_rule_id, conversation_id, episode_key) DO NOTHING
  RETURNING id, account_id, automation_rule_id AS rule_id, created_at, skip_reason, episode_key LIKE 'event:%' AS immediate
  ), tallied AS (
  ${tally(`
    SELECT account_id, rule_id, ${dayOf('created_at')} AS day, 'armed' AS outcome, 1 AS change FROM inserted
    UNION ALL
    SELECT account_id, rule_id, ${dayOf('created_at')}, skip_reason, 1 FROM inserted WHERE skip_reason IS NOT NULL`)}
  )
  SELECT id, immediate FROM inserted`

/**
 * Writes what a batch made of its rows. Updates come first: a row that is moved frees its key for one that is new. Answers
 * the ids of the new rows of immediate rules.
 */
export async function writePendingExecutions(
  client: PoolClient,
  changes: readonly RowChange[],
  now: Micros,
): Promise<number[]> {
  const updates = changes.filter(({ before }) => before !== null)
  if (updates.length > 0) {
    const traded = keysTraded(updates)
    // A unique index is checked row by row, not at the end of the statement.
    if (traded.length > 0) await client.query(CLEAR_KEYS, [traded])
    await client.query({ name: 'ingest-update-executions', text: UPDATE, values: [recordsOf(updates), now] })
  }
  const inserts = changes.filter(({ before }) => before === null)
  if (inserts.length === 0) return []
  const { rows } = await client.query<{ id: number; immediate: boolean }>({
    name: 'ingest-insert-executions',
    text: INSERT,
    values: [recordsOf(inserts), now],
  })
  // The row of an immediate rule may be there where the event was forgotten since; any other conflict is a fault.
  const waiting = inserts.filter((change) => !isImmediateArm(change)).length
  const inserted = rows.filter((row) => !row.immediate).length
  if (inserted !== waiting) throw new RangeError(`${waiting - inserted} rows were there though nobody may insert them`)
  return rows.filter((row) => row.immediate).map((row) => row.id)
}

/** Rows whose old key is another row's new one. */
function keysTraded(updates: readonly RowChange[]): number[] {
  const moved = updates.filter(({ before, row }) => before !== null && before.episodeKey !== row.episodeKey)
  const wanted = new Set(moved.map(({ row }) => `${row.ruleId}/${row.conversationId}/${row.episodeKey}`))
  return moved.flatMap(({ before }) =>
    before !== null &&
    before.id !== null &&
    wanted.has(`${before.ruleId}/${before.conversationId}/${before.episodeKey}`)
      ? [before.id]
      : [],
  )
}

function recordsOf(changes: readonly RowChange[]): string {
  return JSON.stringify(
    changes.map(({ row, before }) => ({
      id: row.id,
      account_id: row.accountId,
      rule_id: row.ruleId,
      conversation_id: row.conversationId,
      message_id: row.anchor?.id,
      message_created_at: row.anchor?.createdAt,
      episode_key: row.episodeKey,
      status: row.status,
      skip_reason: row.skipReason,
      due_at: row.dueAt,
      armed_at: row.armedAt,
      traceparent: row.traceparent,
      ended_as: before?.status === 'executed' ? 'executed' : before?.skipReason,
    })),
  )
}
