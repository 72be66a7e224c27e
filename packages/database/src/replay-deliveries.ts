import { MICROS_PER_MINUTE, type Micros, parseInstant } from '@dwell/contracts/instant'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import { BEGUN } from './deliveries/attempts'
import type { Delivery } from './executions'
import type { Database } from './prisma-client'
import { transact } from './transaction'

/** What a person decided about deliveries that failed or whose outcome is unknown. */
export interface ReplayDecision {
  readonly accountId: number
  readonly executionId: number
  /** As they were read: one that an attempt or another person touched since is left alone. */
  readonly deliveries: readonly Pick<Delivery, 'id' | 'attempts'>[]
  readonly action: 'retry' | 'dismiss'
  readonly note: string | null
}

/** A send that began and was not heard of since may still be under way so long; as long as a claim lives. */
const ATTEMPT_LIVES = 15 * MICROS_PER_MINUTE

/** Why nothing can be decided about a delivery now: what it is, `in_progress`, or `refused` before any attempt. */
export type Undecidable = 'delivered' | 'pending' | 'dismissed' | 'refused' | 'in_progress'

/**
 * Null where a person may decide. One that was refused before any attempt holds nothing that could be sent, so it can only
 * be dismissed; one whose send is under way would be sent twice, or dismissed and sent.
 */
export function undecidable(delivery: Delivery, action: 'retry' | 'dismiss', now: Micros): Undecidable | null {
  if (delivery.status !== 'failed' && delivery.status !== 'unknown') return delivery.status
  const last = delivery.attempts.at(-1)
  if (last === undefined) return action === 'retry' ? 'refused' : null
  const began = last.error === BEGUN ? parseInstant(last.at) : null
  return began !== null && now - began <= ATTEMPT_LIVES ? 'in_progress' : null
}

/**
 * `retry` makes them pending again for one more attempt, `dismiss` closes them. Only what is failed or unknown at this
 * moment: what was delivered meanwhile stays delivered. Answers the ids that were changed.
 */
export function decideDeliveries(database: Database, decision: ReplayDecision, change: Change): Promise<string[]> {
  const { accountId, executionId, deliveries, action, note } = decision
  return transact(database, async (transaction) => {
    const status = action === 'retry' ? 'pending' : 'dismissed'
    const ids = deliveries.map(({ id }) => id)
    const attempts = deliveries.map((delivery) => delivery.attempts.length)
    const rows = await transaction.$queryRaw<{ id: string }[]>`
      UPDATE action_deliveries d
      SET status = ${status}, updated_at = dwell_instant(${change.now}),
          next_attempt_at = CASE WHEN ${status} = 'pending' THEN dwell_instant(${change.now}) END
      FROM unnest(${ids}::text[], ${attempts}::int[]) AS seen(id, attempts)
      WHERE d.account_id = ${accountId} AND d.pending_execution_id = ${executionId} AND d.id = seen.id
        AND d.status IN ('failed', 'unknown') AND jsonb_array_length(d.attempts) = seen.attempts
        AND (${status} = 'dismissed' OR seen.attempts > 0)
      RETURNING d.id`
    const changed = rows.map(({ id }) => id).sort()
    if (changed.length > 0) {
      await recordAudit(transaction, change, {
        accountId,
        action: action === 'retry' ? 'execution.deliveries_retried' : 'execution.deliveries_dismissed',
        subject: `execution ${executionId}`,
        details: { deliveries: changed, note },
      })
    }
    return changed
  })
}
