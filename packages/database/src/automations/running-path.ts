import type { AutomationActionType, AutomationStatus } from '@dwell/contracts/automations'
import type { PathAction, RunningAutomation } from '@dwell/domain/automations/automation'
import type { PoolClient } from 'pg'

// A save of the automation waits for us, or we for it; what is read afterwards, by a statement of its own, is what it left.
const LOCK = `SELECT status FROM automations WHERE id = $1 FOR SHARE`

const PATH = `
  SELECT a.id, a.type, r.id AS revision_id, r.wait_hours
  FROM automation_actions a
  JOIN LATERAL (
    SELECT id, wait_hours FROM automation_action_revisions r
    WHERE r.action_id = a.id ORDER BY r.created_at DESC LIMIT 1) r ON true
  WHERE a.automation_id = $1 AND a.position IS NOT NULL
  ORDER BY a.position`

/** Whether it is active, held until the transaction ends. Null when its account was erased. */
export async function holdStatus(client: PoolClient, automationId: string): Promise<AutomationStatus | null> {
  const { rows } = await client.query<{ status: AutomationStatus }>({
    name: 'automation-hold',
    text: LOCK,
    values: [automationId],
  })
  return rows[0]?.status ?? null
}

/** The present path at its latest revisions, of an automation that is held. */
export async function presentPath(
  client: PoolClient,
  automationId: string,
  status: AutomationStatus,
): Promise<Pick<RunningAutomation, 'status' | 'path'>> {
  if (status !== 'active') return { status, path: [] }
  const { rows } = await client.query<{
    id: string
    type: AutomationActionType
    revision_id: string
    wait_hours: number | null
  }>({ name: 'automation-present-path', text: PATH, values: [automationId] })
  const path = rows.map(
    (row): PathAction => ({ id: row.id, type: row.type, revisionId: row.revision_id, waitHours: row.wait_hours }),
  )
  return { status, path }
}
