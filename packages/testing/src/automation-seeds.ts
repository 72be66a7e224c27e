import { randomUUID } from 'node:crypto'
import type { AutomationActionType, EndReason, StepStatus } from '@dwell/contracts/automations'
import type { Queryable } from '@dwell/database/pool'
import { memberSearchText } from '@dwell/domain/automations/search-key'

export interface SeededAction {
  readonly id: string
  readonly revisionId: string
  readonly type: AutomationActionType
}

export interface SeededAutomation {
  readonly id: string
  readonly accountId: number
  readonly actions: readonly SeededAction[]
}

/** An automation with a path of waits of a day and e-mails `Subject n`, as a save would leave it. */
export async function seedAutomation(
  db: Queryable,
  accountId: number,
  types: readonly AutomationActionType[] = ['wait'],
  name: string = randomUUID(),
): Promise<SeededAutomation> {
  const id = randomUUID()
  const actions = types.map((type) => ({ id: randomUUID(), revisionId: randomUUID(), type }))
  await db.query(
    `INSERT INTO automations (id, account_id, name, description, status, trigger_tier_scope, created_at, updated_at)
     VALUES ($1, $2, $3, '', 'active', 'free', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`,
    [id, accountId, name],
  )
  for (const [position, action] of actions.entries()) {
    await db.query(
      `INSERT INTO automation_actions (id, account_id, automation_id, type, position, created_at)
       VALUES ($1, $2, $3, $4, $5, '2026-01-01T00:00:00Z')`,
      [action.id, accountId, id, action.type, position],
    )
    const email = action.type === 'wait' ? [null, null, null] : [`Subject ${position}`, 'Hello', 'markdown']
    await db.query(
      `INSERT INTO automation_action_revisions (id, account_id, action_id, wait_hours, email_subject, email_body,
         email_format, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, '2026-01-01T00:00:00Z')`,
      [action.revisionId, accountId, action.id, action.type === 'wait' ? 24 : null, ...email],
    )
  }
  return { id, accountId, actions }
}

export interface RunToSeed {
  readonly id?: string
  readonly memberId?: string
  /** ISO. */
  readonly createdAt: string
  /** Statuses of its steps, one per action from the first; a run without any has no step. */
  readonly steps?: readonly StepStatus[]
}

/** A run with its steps as the worker would have left it; each step is of the moment the run began. Answers its id. */
export async function seedRun(db: Queryable, automation: SeededAutomation, run: RunToSeed): Promise<string> {
  const { id = randomUUID(), memberId = 'm1', createdAt, steps = ['finished'] } = run
  const reason = endReasonOf(steps)
  const status = steps.length === 0 ? null : reason === null ? 'in_progress' : statusOf(reason)
  await db.query(
    `INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status, ended_at,
       end_reason) VALUES ($1::uuid, $2, $3, $4, $1::uuid::text, $5::timestamptz, $6, CASE WHEN $7::text IS NOT NULL THEN
       $5::timestamptz END, $7)`,
    [id, automation.accountId, automation.id, memberId, createdAt, status, reason],
  )
  for (const [index, step] of steps.entries()) {
    const action = automation.actions[index % automation.actions.length]
    await db.query(
      `INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, status,
         ready_at, created_at, updated_at, started_at, finished_at)
       SELECT $1, $2, $3, $4, $5, $6, true, $7, at, at, at, ended, ended
       FROM (SELECT $8::timestamptz AS at, CASE WHEN $7 <> 'pending' THEN $8::timestamptz END AS ended) times`,
      [randomUUID(), automation.accountId, automation.id, id, action?.id, action?.revisionId, step, createdAt],
    )
  }
  return id
}

/** A member as events would have left it. */
export async function seedMember(
  db: Queryable,
  accountId: number,
  member: { readonly id: string; readonly name?: string | null; readonly email?: string | null },
): Promise<void> {
  const { id, name = null, email = null } = member
  await db.query(
    `INSERT INTO members (account_id, id, name, email, status, search_text, revision)
     VALUES ($1, $2, $3, $4, 'free', $5, 1)
     ON CONFLICT (account_id, id) DO UPDATE SET name = $3, email = $4, search_text = $5`,
    [accountId, id, name, email, memberSearchText({ name, email })],
  )
}

/** What no writer of ours leaves behind: a step whose status nobody knows, in a database that lost its constraint. */
export async function breakStep(db: Queryable, runId: string, status = 'teleported'): Promise<void> {
  await db.query('ALTER TABLE automation_steps DROP CONSTRAINT IF EXISTS automation_steps_status_check')
  await db.query(
    `UPDATE automation_steps SET status = $2, finished_at = coalesce(finished_at, created_at) WHERE id IN (
       SELECT id FROM automation_steps WHERE run_id = $1 ORDER BY status = 'pending', id LIMIT 1)`,
    [runId, status],
  )
}

function endReasonOf(steps: readonly StepStatus[]): EndReason | null {
  if (steps.length === 0 || steps.includes('pending')) return null
  for (const step of steps) if (step !== 'pending' && step !== 'finished') return step
  return 'completed'
}

function statusOf(reason: EndReason): 'completed' | 'exited_early' {
  return reason === 'completed' ? 'completed' : 'exited_early'
}
