import { answerOf, api } from '../../../api/client'

/** A question must not wait long for a number that is only good to know. */
const PATIENCE_MS = 1_500

/** How many members are in the automation at this moment; null where that cannot be told. */
export async function membersInside(accountId: number, automationId: string): Promise<number | null> {
  const params = { path: { account_id: accountId, id: automationId } }
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    const { automation_performance_stats: stats } = await answerOf(
      api.GET('/accounts/{account_id}/automations/{id}/performance-stats', { params, signal }),
    )
    return stats[0]?.in_progress_run_count ?? null
  } catch {
    return null
  }
}
