import type { AutomationAction, ReEntry, TierScope } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { RecordedAutomation, WholeAutomation } from '@dwell/domain/automations/automation-answer'
import type { StoredAutomation } from '@dwell/domain/automations/check-save'
import type { EmailCounters } from '@dwell/domain/automations/email-statistics'
import type { DatabaseOrTransaction } from '../transaction'
import { policyOf } from './running-automations'

interface ActionJson {
  readonly id: string
  readonly type: AutomationAction['type']
  readonly createdAt: Micros
  readonly latestRevisionAt: Micros
  readonly data: AutomationAction['data']
  readonly counters: readonly EmailCounters[]
}

interface AutomationJson extends RecordedAutomation {
  readonly scope: TierScope | null
  readonly tierIds: readonly string[]
  readonly reEntry: ReEntry
  readonly reEntryDays: number | null
  readonly path: readonly ActionJson[]
}

/** An automation as it is stored, with the instant of each action's latest revision, by action. */
export interface ReadAutomation extends WholeAutomation {
  readonly latestRevisions: ReadonlyMap<string, Micros>
}

/** Null also for one of another account. One statement: automation and path are of one moment. */
export async function findAutomation(
  db: DatabaseOrTransaction,
  accountId: number,
  id: string,
): Promise<ReadAutomation | null> {
  const rows = await db.$queryRaw<{ automation: AutomationJson }[]>`
    SELECT json_build_object(
      'id', t.id, 'slug', t.slug, 'name', t.name, 'description', t.description, 'status', t.status,
      'version', t.version, 'createdAt', dwell_micros(t.created_at), 'updatedAt', dwell_micros(t.updated_at),
      'scope', t.trigger_tier_scope, 'tierIds', t.trigger_tier_ids, 'reEntry', t.re_entry,
      'reEntryDays', t.re_entry_days,
      'path', (
        SELECT coalesce(json_agg(json_build_object(
          'id', a.id, 'type', a.type, 'createdAt', dwell_micros(a.created_at),
          'latestRevisionAt', dwell_micros(r.created_at),
          'data', CASE WHEN r.wait_hours IS NOT NULL THEN json_build_object('wait_hours', r.wait_hours)
            ELSE json_build_object('email_subject', r.email_subject, 'email_body', r.email_body,
              'email_format', r.email_format) END,
          'counters', (
            SELECT coalesce(json_agg(json_build_object('sent', c.sent_count, 'delivered', c.delivered_count,
              'opened', c.opened_count, 'clicked', c.clicked_count, 'openTracked', c.open_tracked_count,
              'clickTracked', c.click_tracked_count)), '[]'::json)
            FROM automation_action_revisions c WHERE c.action_id = a.id AND a.type = 'send_email')
        ) ORDER BY a.position), '[]'::json)
        FROM automation_actions a
        JOIN LATERAL (
          SELECT * FROM automation_action_revisions r
          WHERE r.action_id = a.id ORDER BY r.created_at DESC LIMIT 1) r ON true
        WHERE a.automation_id = t.id AND a.position IS NOT NULL)) AS automation
    FROM automations t WHERE t.account_id = ${accountId} AND t.id = ${id}::uuid`
  const [row] = rows
  if (row === undefined) return null
  const { scope, tierIds, reEntry, reEntryDays, path, ...recorded } = row.automation
  return {
    ...recorded,
    trigger: { scope, tierIds },
    policy: policyOf(reEntry, reEntryDays),
    path: path.map(({ id: actionId, type, data, createdAt, counters }) => ({
      action: { id: actionId, type, data } as AutomationAction,
      createdAt,
      counters,
    })),
    latestRevisions: new Map(path.map((action) => [action.id, action.latestRevisionAt])),
  }
}

/** As a save compares it. */
export function storedOf({ id, name, description, status, trigger, policy, path }: WholeAutomation): StoredAutomation {
  return { id, name, description, status, trigger, policy, actions: path.map(({ action }) => action) }
}

/** All of an account, by name. */
export async function listAutomations(db: DatabaseOrTransaction, accountId: number): Promise<RecordedAutomation[]> {
  const rows = await db.$queryRaw<{ automation: RecordedAutomation }[]>`
    SELECT json_build_object('id', id, 'slug', slug, 'name', name, 'description', description, 'status', status,
      'version', version, 'createdAt', dwell_micros(created_at), 'updatedAt', dwell_micros(updated_at)) AS automation
    FROM automations WHERE account_id = ${accountId} ORDER BY name, id`
  return rows.map(({ automation }) => automation)
}
