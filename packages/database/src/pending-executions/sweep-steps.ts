import { MICROS_PER_DAY, type Micros } from '@dwell/contracts/instant'
import { DELAYED_AUTOMATIONS } from '@dwell/contracts/pending-execution'
import type { Queryable } from '../pool'
import { tallyEnded } from '../rule-tallies'
import { STALE_CLAIM } from './claim'
import { type DueScope, FEATURE_ON, scopeCondition } from './due-scope'

/** µs a row may be overdue before it expires: 3 days, so that the backlog of an outage is finite. Seed phase 2. */
export const DUE_WINDOW = 3 * MICROS_PER_DAY
const BATCH = 5_000

// All statements of this file pass over rows that somebody holds: the next sweep finds them, and nobody waits in a circle.
const RECLAIM = (condition: string) => `
  WITH stale AS MATERIALIZED (
    SELECT e.id FROM automation_rule_pending_executions e
    WHERE e.finished_at IS NULL AND e.due_at < dwell_instant($2)
      AND e.status = 'processing' AND e.claimed_at < dwell_instant($2) ${condition}
    LIMIT $3 FOR UPDATE OF e SKIP LOCKED
  )
  UPDATE automation_rule_pending_executions e
  SET status = 'pending', claim_token = NULL, claimed_at = NULL, updated_at = dwell_instant($1)
  FROM stale WHERE e.id = stale.id`

/**
 * Takes back what a worker has held for more than 15 minutes: it died, or its job was lost. Under the kill switch delayed
 * rows are left alone; under `pause` a paused account's row waits again like its others. What was claimed then was due
 * then: claims have no index of their own, because it would have to be written by every claim.
 */
export async function reclaimStale(db: Queryable, { now, delayed }: DueScope): Promise<number> {
  const condition = scopeCondition({ delayed, pauses: false })
  return repeat(db, {
    name: `reclaim-stale-${condition.name}`,
    text: RECLAIM(condition.sql),
    values: [now, now - STALE_CLAIM, BATCH],
  })
}

const EXPIRE = (condition: string) => `
  WITH overdue AS MATERIALIZED (
    SELECT e.id FROM automation_rule_pending_executions e
    WHERE e.finished_at IS NULL AND e.due_at < dwell_instant($2)
      AND e.status = 'pending' AND e.episode_key NOT LIKE 'event:%' ${condition}
    ORDER BY e.due_at, e.id LIMIT $3 FOR UPDATE OF e SKIP LOCKED
  ), ended AS (
    UPDATE automation_rule_pending_executions e
    SET status = 'skipped', skip_reason = 'expired', finished_at = dwell_instant($1), updated_at = dwell_instant($1)
    FROM overdue WHERE e.id = overdue.id
    RETURNING e.account_id, e.automation_rule_id, e.created_at, e.skip_reason
  ), tallied AS (${tallyEnded('ended')}
  )
  SELECT FROM ended`

/** Skips delayed rows that have been due for more than three days; those of paused accounts are kept. */
export async function expireOverdue(db: Queryable, scope: DueScope): Promise<number> {
  const condition = scopeCondition(scope)
  return repeat(db, {
    name: `expire-overdue-${condition.name}`,
    text: EXPIRE(condition.sql),
    values: [scope.now, scope.now - DUE_WINDOW, BATCH],
  })
}

const SKIP = (waiting: string) => `
  WITH waiting AS MATERIALIZED (${waiting}), ended AS (
    UPDATE automation_rule_pending_executions e
    SET status = 'skipped', skip_reason = 'flag_disabled', claim_token = NULL, claimed_at = NULL,
      finished_at = dwell_instant($1), updated_at = dwell_instant($1)
    FROM waiting WHERE e.id = waiting.id
    RETURNING e.account_id, e.automation_rule_id, e.created_at, e.skip_reason
  ), tallied AS (${tallyEnded('ended')}
  )
  SELECT FROM ended`

const DUE_OF_DISABLED = `
  SELECT e.id FROM automation_rule_pending_executions e
  WHERE e.finished_at IS NULL AND e.due_at <= dwell_instant($1)
    AND e.status = 'pending' AND e.episode_key NOT LIKE 'event:%' AND NOT ${FEATURE_ON}
  LIMIT $2 FOR UPDATE OF e SKIP LOCKED`

// From the accounts to their rows, one probe of (account_id, id) each: rows of other accounts, however many wait, are never
// looked at. The lock inside the lateral keeps the planner from turning it round.
const WAITING_OF_DISABLED = `
  SELECT waiting.id FROM accounts a CROSS JOIN LATERAL (
    SELECT e.id FROM automation_rule_pending_executions e
    WHERE e.account_id = a.id AND e.status IN ('pending', 'processing') AND e.episode_key NOT LIKE 'event:%'
    LIMIT $2 FOR UPDATE OF e SKIP LOCKED
  ) waiting
  WHERE NOT a.features @> ARRAY['${DELAYED_AUTOMATIONS}'] LIMIT $2`

/**
 * Skips what is due of accounts whose feature is off, outside the limit: their backlog must not starve others. Asked before
 * every claim, so it looks at due rows only.
 */
export async function skipDueOfDisabledAccounts(db: Queryable, now: Micros): Promise<number> {
  return repeat(db, { name: 'skip-flag-disabled-due', text: SKIP(DUE_OF_DISABLED), values: [now, BATCH] })
}

/**
 * The same for what is not due yet, and for what a worker holds or has left behind: it loses the row, as it does when the
 * administration skips such rows in the transaction that switches the feature off. What is left is what `pause` kept before
 * it was taken back. Asks every account without the feature, so it is not for every wake.
 */
export async function skipWaitingOfDisabledAccounts(db: Queryable, now: Micros): Promise<number> {
  return repeat(db, { name: 'skip-flag-disabled', text: SKIP(WAITING_OF_DISABLED), values: [now, BATCH] })
}

const COUNT_DUE = (condition: string) => `
  SELECT count(*) AS due FROM automation_rule_pending_executions e
  WHERE e.finished_at IS NULL AND e.due_at <= dwell_instant($1) AND e.status = 'pending' ${condition}`

/** How many rows are due and not taken. */
export async function countDue(db: Queryable, scope: DueScope): Promise<number> {
  const condition = scopeCondition(scope)
  const { rows } = await db.query<{ due: number }>({
    name: `count-due-${condition.name}`,
    text: COUNT_DUE(condition.sql),
    values: [scope.now],
  })
  return rows[0]?.due ?? 0
}

// ORDER BY the column: a bare `due_at` would be the result's, and all waiting rows would be sorted by it (1 s per million).
const NEXT_DUE = `
  SELECT dwell_micros(e.due_at) AS due_at FROM automation_rule_pending_executions e
  WHERE e.finished_at IS NULL AND e.due_at > dwell_instant($1) AND e.status = 'pending' ORDER BY e.due_at, e.id LIMIT 1`

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
