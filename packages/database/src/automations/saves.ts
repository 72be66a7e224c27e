import { randomBytes } from 'node:crypto'
import type { AutomationAction } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { Fault } from '@dwell/contracts/rule'
import type { WholeAutomation } from '@dwell/domain/automations/automation-answer'
import { type AutomationBody, lookupsOf } from '@dwell/domain/automations/body'
import {
  type AutomationContent,
  checkCreate,
  checkEdit,
  type Surroundings,
  type TakenAction,
} from '@dwell/domain/automations/check-save'
import { compileEmail } from '@dwell/domain/automations/email/compile-email'
import { planSave, revisionTime, type SavePlan } from '@dwell/domain/automations/save-plan'
import { UUID_V7_RANDOM_BYTES, uuidV7 } from '@dwell/domain/automations/uuid-v7'
import { isCurrent } from '@dwell/domain/automations/version'
import { lockAccountForChange } from '../accounts'
import { recordAudit } from '../audit-log'
import type { Change } from '../change'
import type { Database } from '../prisma-client'
import { isUniqueViolation, type Transaction, transact } from '../transaction'
import { findAutomation, storedOf } from './read-automation'

/** A body as it came, and what is wrong with it before it is looked at closely. */
export interface SentAutomation {
  readonly body: AutomationBody
  readonly faults: readonly Fault[]
}

/** What a save answers; `stale` is the version that stands, null that account or automation are gone. */
export type SaveOutcome =
  | { readonly automation: WholeAutomation }
  | { readonly faults: readonly Fault[] }
  | { readonly stale: number }
  | null

/** Ends a transaction without a trace: what is refused changes nothing, not even the version of the account's rules. */
class Refused extends Error {
  constructor(readonly outcome: Exclude<SaveOutcome, { automation: WholeAutomation }>) {
    super('The save was refused')
  }
}

const MAX_ATTEMPTS = 3

/** Checks and stores an automation; it holds from the next event on. */
export function createAutomation(
  database: Database,
  accountId: number,
  sent: SentAutomation,
  change: Change,
): Promise<SaveOutcome> {
  return saving(
    database,
    async (transaction) => {
      if ((await lockAccountForChange(transaction, accountId)) === null) throw new Refused(null)
      if (sent.faults.length > 0) throw new Refused({ faults: sent.faults })
      const checked = checkCreate(sent.body, await surroundingsOf(transaction, accountId, null, sent.body))
      if (!checked.ok) throw new Refused({ faults: checked.faults })
      const { content } = checked
      const id = newId(change.now)
      const { trigger, policy } = content
      await transaction.$executeRaw`
      INSERT INTO automations (id, account_id, name, description, status, trigger_tier_scope, trigger_tier_ids, re_entry,
        re_entry_days, created_at, updated_at)
      VALUES (${id}::uuid, ${accountId}, ${content.name}, ${content.description}, ${content.status}, ${trigger.scope},
        ${[...trigger.tierIds]}::text[], ${policy.reEntry}, ${policy.days}::int, dwell_instant(${change.now}),
        dwell_instant(${change.now}))`
      await writePath(transaction, { accountId, id, latest: new Map() }, planSave(null, content), change.now)
      await recordAudit(transaction, change, {
        accountId,
        action: 'automation.created',
        subject: `automation ${id}`,
        details: { ...content },
      })
      return id
    },
    accountId,
  )
}

/**
 * Merges an edit into an automation. Later steps see it, queued ones keep what they were queued with; turned off, what waits
 * ends at once. A save that was made on another version loses.
 */
export function updateAutomation(
  database: Database,
  accountId: number,
  id: string,
  sent: SentAutomation & { readonly ifMatch: string | undefined },
  change: Change,
): Promise<SaveOutcome> {
  return saving(
    database,
    async (transaction) => {
      if ((await lockAccountForChange(transaction, accountId)) === null) throw new Refused(null)
      // Steps that end hold the row; what they and this save do comes one after the other.
      await transaction.$executeRaw`
      SELECT FROM automations WHERE account_id = ${accountId} AND id = ${id}::uuid FOR UPDATE`
      const before = await findAutomation(transaction, accountId, id)
      if (before === null) throw new Refused(null)
      if (!isCurrent(before.version, sent.ifMatch, sent.body.version)) throw new Refused({ stale: before.version })
      if (sent.faults.length > 0) throw new Refused({ faults: sent.faults })
      const stored = storedOf(before)
      const checked = checkEdit(sent.body, stored, await surroundingsOf(transaction, accountId, id, sent.body))
      if (!checked.ok) throw new Refused({ faults: checked.faults })
      const { content } = checked
      const { trigger, policy } = content
      await transaction.$executeRaw`
      UPDATE automations SET name = ${content.name}, description = ${content.description}, status = ${content.status},
        trigger_tier_scope = ${trigger.scope}, trigger_tier_ids = ${[...trigger.tierIds]}::text[],
        re_entry = ${policy.reEntry}, re_entry_days = ${policy.days}::int, version = version + 1,
        updated_at = dwell_instant(${change.now})
      WHERE id = ${id}::uuid`
      const plan = planSave(stored, content)
      await writePath(transaction, { accountId, id, latest: before.latestRevisions }, plan, change.now)
      const stepsEnded = plan.turnsOff ? await endWaitingSteps(transaction, id, change.now) : 0
      await recordAudit(transaction, change, {
        accountId,
        action: 'automation.updated',
        subject: `automation ${id}`,
        details: { ...changedFields(stored, content), ...(stepsEnded > 0 ? { steps_ended: stepsEnded } : {}) },
      })
      return id
    },
    accountId,
  )
}

/** An id of an action that another account takes at this moment is found taken when it is looked up again. */
async function saving(
  database: Database,
  save: (transaction: Transaction) => Promise<string>,
  accountId: number,
): Promise<SaveOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(database, async (transaction) => {
        const automation = await findAutomation(transaction, accountId, await save(transaction))
        return automation === null ? null : { automation }
      })
    } catch (error) {
      if (error instanceof Refused) return error.outcome
      if (attempt >= MAX_ATTEMPTS || !isUniqueViolation(error)) throw error
    }
  }
}

async function surroundingsOf(
  transaction: Transaction,
  accountId: number,
  id: string | null,
  body: AutomationBody,
): Promise<Surroundings> {
  const { name, actionIds } = lookupsOf(body)
  const named = await transaction.$queryRaw<unknown[]>`
    SELECT 1 AS taken FROM automations
    WHERE account_id = ${accountId} AND name = ${name} AND id IS DISTINCT FROM ${id}::uuid`
  const taken = await transaction.$queryRaw<(TakenAction & { readonly id: string })[]>`
    SELECT id::text, automation_id::text AS "automationId", type, deleted_at IS NOT NULL AS removed
    FROM automation_actions WHERE id = ANY(${[...actionIds]}::uuid[])`
  return { nameTaken: named.length > 0, takenActions: new Map(taken.map((action) => [action.id, action])) }
}

interface Target {
  readonly accountId: number
  readonly id: string
  readonly latest: ReadonlyMap<string, Micros>
}

async function writePath(transaction: Transaction, target: Target, plan: SavePlan, now: Micros): Promise<void> {
  if (plan.removed.length > 0) {
    await transaction.$executeRaw`
      UPDATE automation_actions SET position = NULL, deleted_at = dwell_instant(${now})
      WHERE automation_id = ${target.id}::uuid AND id = ANY(${[...plan.removed]}::uuid[])`
  }
  if (plan.moved.length > 0) {
    await transaction.$executeRaw`
      UPDATE automation_actions a SET position = v.position
      FROM json_to_recordset(${JSON.stringify(plan.moved)}::json) AS v("actionId" uuid, position int)
      WHERE a.automation_id = ${target.id}::uuid AND a.id = v."actionId"`
  }
  if (plan.added.length > 0) {
    const added = plan.added.map(({ action, position }) => ({ id: action.id, type: action.type, position }))
    await transaction.$executeRaw`
      INSERT INTO automation_actions (id, account_id, automation_id, type, position, created_at)
      SELECT v.id, ${target.accountId}, ${target.id}::uuid, v.type, v.position, dwell_instant(${now})
      FROM json_to_recordset(${JSON.stringify(added)}::json) AS v(id uuid, type text, position int)`
  }
  const contents = [
    ...plan.added.map(({ action }) => ({ actionId: action.id, data: action.data })),
    ...plan.revised,
  ].map(({ actionId, data }) => ({
    id: newId(now),
    action_id: actionId,
    created_at: revisionTime(now, target.latest.get(actionId) ?? null),
    links: linksOf(data),
    ...data,
  }))
  if (contents.length === 0) return
  await transaction.$executeRaw`
    INSERT INTO automation_action_revisions (id, account_id, action_id, wait_hours, email_subject, email_body, email_format,
      created_at)
    SELECT id, ${target.accountId}, action_id, wait_hours, email_subject, email_body, email_format, dwell_instant(created_at)
    FROM json_to_recordset(${JSON.stringify(contents)}::json) AS v(id uuid, action_id uuid, wait_hours int,
      email_subject text, email_body text, email_format text, created_at bigint)`
  const links = contents.flatMap(({ id, action_id, links: urls }) =>
    urls.map((url) => ({ revision_id: id, action_id, url })),
  )
  if (links.length === 0) return
  await transaction.$executeRaw`
    INSERT INTO automation_email_links (account_id, action_id, revision_id, url)
    SELECT ${target.accountId}, action_id, revision_id, url
    FROM json_to_recordset(${JSON.stringify(links)}::json) AS v(action_id uuid, revision_id uuid, url text)`
}

function linksOf(data: AutomationAction['data']): readonly string[] {
  if ('wait_hours' in data) return []
  const compilation = compileEmail(data)
  return compilation.ok ? compilation.email.links : []
}

/** What waits and is in nobody's hands ends, and its runs with it. Answers how many. */
function endWaitingSteps(transaction: Transaction, id: string, now: Micros): Promise<number> {
  return transaction.$executeRaw`
    WITH ended AS (
      UPDATE automation_steps SET status = 'automation_disabled', finished_at = dwell_instant(${now}),
        updated_at = dwell_instant(${now})
      WHERE automation_id = ${id}::uuid AND status = 'pending' AND lock_token IS NULL
      RETURNING id, run_id
    ), mails AS (
      UPDATE automation_emails m SET status = 'failed', updated_at = dwell_instant(${now})
      FROM ended WHERE m.id = ended.id AND m.status = 'deferred'
    )
    UPDATE automation_runs run SET status = 'exited_early', ended_at = dwell_instant(${now}),
      end_reason = 'automation_disabled'
    FROM ended WHERE run.id = ended.run_id AND run.end_reason IS NULL`
}

function changedFields(before: AutomationContent, after: AutomationContent): Record<string, unknown> {
  const fields = ['name', 'description', 'status', 'trigger', 'policy', 'actions'] as const
  return Object.fromEntries(
    fields
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, { from: before[field], to: after[field] }]),
  )
}

function newId(now: Micros): string {
  return uuidV7(now, randomBytes(UUID_V7_RANDOM_BYTES))
}
