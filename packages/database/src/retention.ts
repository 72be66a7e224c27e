import { MICROS_PER_DAY, type Micros } from '@dwell/contracts/instant'
import type { Queryable } from './pool'

/** µs that what has ended stays to be read: 30 days. Seed decision 7. */
export const RETENTION = 30 * MICROS_PER_DAY
/** µs that a message stays which no row is anchored on: its creation may still be on its way. */
const UNANCHORED = 3 * MICROS_PER_DAY
/** µs that the summary of a wake stays: under load there are dozens of them per second. */
const WAKE_SUMMARIES = 2 * MICROS_PER_DAY
const BATCH = 5_000

/** What a run of retention deleted, rows per table. */
export interface Pruned {
  readonly pending_executions: number
  readonly action_deliveries: number
  readonly messages: number
  readonly taken_events: number
  readonly sweeps: number
}

// A row whose delivery still waits, or waits for a person, is not over. $1 now, $2 the limit of age, $3 batch size.
const EXECUTIONS = `
  WITH old AS MATERIALIZED (
    SELECT id FROM automation_rule_pending_executions e
    WHERE finished_at < dwell_instant($1) AND NOT EXISTS (
      SELECT FROM action_deliveries d WHERE d.pending_execution_id = e.id AND d.status IN ('pending', 'unknown'))
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ), deliveries AS (
    DELETE FROM action_deliveries d USING old WHERE d.pending_execution_id = old.id RETURNING d.id
  ), executions AS (
    DELETE FROM automation_rule_pending_executions e USING old WHERE e.id = old.id RETURNING e.id
  )
  SELECT (SELECT count(*) FROM executions) AS executions, (SELECT count(*) FROM deliveries) AS deliveries`

const MESSAGES = `
  DELETE FROM messages m WHERE (account_id, conversation_id, id) IN (
    SELECT account_id, conversation_id, id FROM messages m
    WHERE stored_at < dwell_instant($1) AND NOT EXISTS (
      SELECT FROM automation_rule_pending_executions e
      WHERE e.account_id = m.account_id AND e.conversation_id = m.conversation_id AND e.message_id = m.id)
    LIMIT $2)`

const TAKEN_EVENTS = `
  DELETE FROM taken_events WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM taken_events WHERE taken_at < dwell_instant($1) LIMIT $2))`

const SWEEPS = `
  DELETE FROM sweeps WHERE id IN (SELECT id FROM sweeps WHERE started_at < dwell_instant($1) LIMIT $2)`

// Windows of limits that are over; a day is the longest. They are few and have no index of their own.
const RATE_COUNTERS = `
  DELETE FROM rate_counters WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM rate_counters WHERE window_start < dwell_instant($1) LIMIT $2))`

// Days that the health of rules no longer asks for; they are few.
const RULE_TALLIES = `
  DELETE FROM automation_rule_tallies WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM automation_rule_tallies WHERE day < (dwell_instant($1) AT TIME ZONE 'UTC')::date LIMIT $2))`

const WAKES = `
  DELETE FROM sweeps WHERE id IN (
    SELECT id FROM sweeps WHERE trigger = 'wake' AND started_at < dwell_instant($1) LIMIT $2)`

/**
 * Deletes what ended more than 30 days ago, in batches. Rows that wait or are in a worker's hands are never deleted, however
 * old. `signal` ends the run between two batches.
 */
export async function prune(db: Queryable, now: Micros, signal: AbortSignal): Promise<Pruned> {
  const limit = now - RETENTION
  let executions = 0
  let deliveries = 0
  for (let full = true; full && !signal.aborted; ) {
    const { rows } = await db.query<{ executions: number; deliveries: number }>(EXECUTIONS, [limit, BATCH])
    const deleted = rows[0] ?? { executions: 0, deliveries: 0 }
    executions += deleted.executions
    deliveries += deleted.deliveries
    full = deleted.executions === BATCH
  }
  await inBatches(db, RATE_COUNTERS, now - UNANCHORED, signal)
  await inBatches(db, RULE_TALLIES, limit, signal)
  return {
    pending_executions: executions,
    action_deliveries: deliveries,
    messages: await inBatches(db, MESSAGES, now - UNANCHORED, signal),
    taken_events: await inBatches(db, TAKEN_EVENTS, limit, signal),
    sweeps: (await inBatches(db, WAKES, now - WAKE_SUMMARIES, signal)) + (await inBatches(db, SWEEPS, limit, signal)),
  }
}

async function inBatches(db: Queryable, text: string, limit: number, signal: AbortSignal): Promise<number> {
  let total = 0
  for (let full = true; full && !signal.aborted; ) {
    const { rowCount } = await db.query(text, [limit, BATCH])
    total += rowCount ?? 0
    full = rowCount === BATCH
  }
  return total
}
