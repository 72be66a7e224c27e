import { recordAudit } from './audit-log'
import type { Change } from './change'
import type { Database } from './prisma-client'
import { transact } from './transaction'

/** What a person decided about deliveries that failed or whose outcome is unknown. */
export interface ReplayDecision {
  readonly accountId: number
  readonly executionId: number
  readonly deliveryIds: readonly string[]
  readonly action: 'retry' | 'dismiss'
  readonly note: string | null
}

/**
 * `retry` makes them pending again for one more attempt, `dismiss` closes them. Only what is failed or unknown at this
 * moment: what was delivered meanwhile stays delivered. Answers the ids that were changed.
 */
export function decideDeliveries(database: Database, decision: ReplayDecision, change: Change): Promise<string[]> {
  const { accountId, executionId, deliveryIds, action, note } = decision
  return transact(database, async (transaction) => {
    const status = action === 'retry' ? 'pending' : 'dismissed'
    const rows = await transaction.$queryRaw<{ id: string }[]>`
      UPDATE action_deliveries
      SET status = ${status}, updated_at = dwell_instant(${change.now}),
          next_attempt_at = CASE WHEN ${status} = 'pending' THEN dwell_instant(${change.now}) END
      WHERE account_id = ${accountId} AND pending_execution_id = ${executionId} AND id = ANY (${[...deliveryIds]})
        AND status IN ('failed', 'unknown')
      RETURNING id`
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
