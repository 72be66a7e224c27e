import { MICROS_PER_DAY, type Micros } from '@dwell/contracts/instant'
import { DELAYED_AUTOMATIONS } from '@dwell/contracts/pending-execution'
import type { Queryable } from '../pool'
import { STALE_CLAIM } from './claim'

/** µs a row may be overdue before it expires: 3 days, so that the backlog of an outage is finite. Seed phase 2. */
export const DUE_WINDOW = 3 * MICROS_PER_DAY
const BATCH = 5_000

const RECLAIM = `
  UPDATE automation_rule_pending_executions
  SET status = 'pending', claim_token = NULL, claimed_at = NULL, updated_at = dwell_instant($1)
  WHERE status = 'processing' AND claimed_at < dwell_instant($2) AND ($3::boolean OR episode_key LIKE 'event:%')`

/**
 * Takes back what a worker has held for more than 15 minutes: it died, or its job was lost. `delayed: false` (kill switch)
 * leaves delayed rows alone.
 */
export async function reclaimStale(db: Queryable, now: Micros, delayed: boolean): Promise<number> {
  const { rowCount } = await db.query({
    name: 'reclaim-stale',
    text: RECLAIM,
    values: [now, now - STALE_CLAIM, delayed],
  })
  return rowCount ?? 0
}

const EXPIRE = `
  WITH overdue AS MATERIALIZED (
    SELECT id FROM automation_rule_pending_executions
    WHERE status = 'pending' AND due_at < dwell_instant($2)
      AND episode_key NOT LIKE 'event:%' AND account_id <> ALL ($3::bigint[])
    ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
  )
  UPDATE automation_rule_pending_executions e
  SET status = 'skipped', skip_reason = 'expired', finished_at = dwell_instant($1), updated_at = dwell_instant($1)
  FROM overdue WHERE e.id = overdue.id`

/** Skips what has been due for more than three days; delayed rows of paused accounts are kept. */
export async function expireOverdue(db: Queryable, now: Micros, pausedAccounts: readonly number[]): Promise<number> {
  return repeat(db, { name: 'expire-overdue', text: EXPIRE, values: [now, now - DUE_WINDOW, pausedAccounts, BATCH] })
}

const FLAG_DISABLED_ACCOUNTS = `
  SELECT id FROM accounts WHERE NOT features @> ARRAY[$1]::text[]
    AND EXISTS (SELECT FROM automation_rule_pending_executions e WHERE e.account_id = accounts.id AND e.status = 'pending')`

/** Accounts whose feature is off although something of theirs waits. */
export async function flagDisabledAccounts(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'flag-disabled-accounts',
    text: FLAG_DISABLED_ACCOUNTS,
    values: [DELAYED_AUTOMATIONS],
  })
  return rows.map(({ id }) => id)
}

const SKIP_FLAG_DISABLED = `
  WITH waiting AS MATERIALIZED (
    SELECT id FROM automation_rule_pending_executions
    WHERE account_id = ANY ($2::bigint[]) AND status = 'pending' AND episode_key NOT LIKE 'event:%'
    LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE automation_rule_pending_executions e
  SET status = 'skipped', skip_reason = 'flag_disabled', finished_at = dwell_instant($1), updated_at = dwell_instant($1)
  FROM waiting WHERE e.id = waiting.id`

/** Skips the delayed rows of these accounts, due or not, outside the limit: their backlog must not starve others. */
export async function skipFlagDisabled(db: Queryable, now: Micros, accountIds: readonly number[]): Promise<number> {
  if (accountIds.length === 0) return 0
  return repeat(db, { name: 'skip-flag-disabled', text: SKIP_FLAG_DISABLED, values: [now, accountIds, BATCH] })
}

const COUNT_DUE = `
  SELECT count(*) AS due FROM automation_rule_pending_executions
  WHERE status = 'pending' AND due_at <= dwell_instant($1)
    AND ($2::boolean OR episode_key LIKE 'event:%')
    AND (account_id <> ALL ($3::bigint[]) OR episode_key LIKE 'event:%')`

/** How many rows are due and not taken. */
export async function countDue(
  db: Queryable,
  options: { readonly now: Micros; readonly delayed: boolean; readonly pausedAccounts: readonly number[] },
): Promise<number> {
  const { rows } = await db.query<{ due: number }>({
    name: 'count-due',
    text: COUNT_DUE,
    values: [options.now, options.delayed, options.pausedAccounts],
  })
  return rows[0]?.due ?? 0
}

const NEXT_DUE = `
  SELECT dwell_micros(due_at) AS due_at FROM automation_rule_pending_executions
  WHERE status = 'pending' AND due_at > dwell_instant($1) ORDER BY due_at LIMIT 1`

/** When the next row comes due after `now`; null when nothing waits. One index probe. */
export async function nextDueAt(db: Queryable, now: Micros): Promise<Micros | null> {
  const { rows } = await db.query<{ due_at: Micros }>({ name: 'next-due-at', text: NEXT_DUE, values: [now] })
  return rows[0]?.due_at ?? null
}

/** Batches keep locks and WAL bursts short, and each stays below the statement time limit. */
async function repeat(db: Queryable, statement: { name: string; text: string; values: unknown[] }): Promise<number> {
  let total = 0
  for (;;) {
    const { rowCount } = await db.query(statement)
    total += rowCount ?? 0
    if ((rowCount ?? 0) < BATCH) return total
  }
}
