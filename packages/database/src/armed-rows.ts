import type { Micros } from '@dwell/contracts/instant'
import type { SkipReason } from '@dwell/contracts/pending-execution'
import { Prisma } from './generated/client'
import { dayOf, tally, tallyEnded } from './rule-tallies'
import type { Transaction } from './transaction'

/**
 * What the administration does to rows that wait: always in the transaction of the change, after the account was locked.
 * A worker that holds such a row loses its compare-and-set afterwards, because the claim token is gone.
 *
 * Rows of immediate rules (`event:…`) were judged on their event: neither the feature nor a changed delay concerns them.
 */

/** Skips what waits on a rule. Answers how many rows. */
export async function skipArmedRowsOfRule(
  transaction: Transaction,
  rule: { readonly accountId: number; readonly id: number },
  reason: Extract<SkipReason, 'rule_inactive' | 'rule_changed'>,
  now: Micros,
): Promise<number> {
  const withImmediate = reason === 'rule_inactive'
  return changed(
    transaction,
    Prisma.sql`
      UPDATE automation_rule_pending_executions
      SET status = 'skipped', skip_reason = ${reason}, claim_token = NULL, claimed_at = NULL,
          finished_at = dwell_instant(${now}), updated_at = dwell_instant(${now})
      WHERE automation_rule_id = ${rule.id} AND account_id = ${rule.accountId}
        AND status IN ('pending', 'processing')
        AND (${withImmediate} OR episode_key NOT LIKE 'event:%')`,
    ENDED,
  )
}

/** Takes what waits on a deleted rule away; what has ended stays as its history. Answers how many rows. */
export async function deleteArmedRowsOfRule(
  transaction: Transaction,
  rule: { readonly accountId: number; readonly id: number },
): Promise<number> {
  return changed(
    transaction,
    Prisma.sql`
      DELETE FROM automation_rule_pending_executions
      WHERE automation_rule_id = ${rule.id} AND account_id = ${rule.accountId}
        AND status IN ('pending', 'processing')`,
    FORGOTTEN,
  )
}

/** Skips all delayed rows of an account that waits no more. Answers how many rows. */
export async function skipDelayedRowsOfAccount(
  transaction: Transaction,
  accountId: number,
  now: Micros,
): Promise<number> {
  return changed(
    transaction,
    Prisma.sql`
      UPDATE automation_rule_pending_executions
      SET status = 'skipped', skip_reason = 'flag_disabled', claim_token = NULL, claimed_at = NULL,
          finished_at = dwell_instant(${now}), updated_at = dwell_instant(${now})
      WHERE account_id = ${accountId} AND status IN ('pending', 'processing') AND episode_key NOT LIKE 'event:%'`,
    ENDED,
  )
}

/**
 * The feature returns after a pause: what came due meanwhile is due now. Without it the next sweep would expire what
 * has been due for three days. Answers how many rows.
 */
export async function retimeOverdueRowsOfAccount(
  transaction: Transaction,
  accountId: number,
  now: Micros,
): Promise<number> {
  return transaction.$executeRaw`
    UPDATE automation_rule_pending_executions
    SET due_at = dwell_instant(${now}), updated_at = dwell_instant(${now})
    WHERE account_id = ${accountId} AND status = 'pending' AND due_at < dwell_instant(${now})
      AND episode_key NOT LIKE 'event:%'`
}

const ENDED = tallyEnded('changed')
const FORGOTTEN = tally(`
  SELECT account_id, automation_rule_id AS rule_id, ${dayOf('created_at')} AS day, 'armed' AS outcome, -1 AS change
  FROM changed`)

/** Runs a change of rows together with its tallies. Answers how many rows. */
async function changed(transaction: Transaction, change: Prisma.Sql, tallies: string): Promise<number> {
  const [row] = await transaction.$queryRaw<{ rows: bigint }[]>`
    WITH changed AS (${change} RETURNING account_id, automation_rule_id, created_at, skip_reason),
         tallied AS (${Prisma.raw(tallies)})
    SELECT count(*) AS rows FROM changed`
  return Number(row?.rows ?? 0)
}
