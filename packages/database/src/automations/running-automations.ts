import type { AutomationActionType, AutomationStatus, ReEntry, TierScope } from '@dwell/contracts/automations'
import type { PathAction, ReEntryPolicy, RunningAutomation } from '@dwell/domain/automations/automation'
import type { Queryable } from '../pool'

// One statement, so that an automation and its path are of one moment.
const LOAD = `
  SELECT t.id, t.account_id, t.status, t.trigger_tier_scope, t.trigger_tier_ids, t.re_entry, t.re_entry_days, p.path
  FROM automations t
  CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object('id', a.id, 'type', a.type, 'revisionId', r.id, 'waitHours', r.wait_hours)
      ORDER BY a.position), '[]'::json) AS path
    FROM automation_actions a
    JOIN LATERAL (
      SELECT id, wait_hours FROM automation_action_revisions r
      WHERE r.action_id = a.id ORDER BY r.created_at DESC LIMIT 1) r ON true
    WHERE a.automation_id = t.id AND a.position IS NOT NULL
  ) p
  WHERE t.account_id = ANY($1::bigint[])
  ORDER BY t.account_id, t.id`

interface Row {
  readonly id: string
  readonly account_id: number
  readonly status: AutomationStatus
  readonly trigger_tier_scope: TierScope | null
  readonly trigger_tier_ids: readonly string[]
  readonly re_entry: ReEntry
  readonly re_entry_days: number | null
  readonly path: readonly (PathAction & { readonly type: AutomationActionType })[]
}

/** The automations of accounts as taking events needs them, with their paths at the latest revisions. */
export async function loadRunningAutomations(
  db: Queryable,
  accountIds: readonly number[],
): Promise<RunningAutomation[]> {
  const { rows } = await db.query<Row>({ name: 'load-running-automations', text: LOAD, values: [accountIds] })
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    trigger: { scope: row.trigger_tier_scope, tierIds: row.trigger_tier_ids },
    policy: policyOf(row.re_entry, row.re_entry_days),
    path: row.path,
  }))
}

/** As the columns hold it. */
export function policyOf(reEntry: ReEntry, days: number | null): ReEntryPolicy {
  if (reEntry === 'after_days') return { reEntry, days: days ?? 1 }
  return { reEntry, days: null }
}
