import type { Micros } from '@dwell/contracts/instant'
import type {
  Action,
  Condition,
  CustomAttributeDefinition,
  Fault,
  RuleDefinition,
  RuleEvent,
} from '@dwell/contracts/rule'
import { compileConditions } from '@dwell/domain/rules/compile-conditions'
import { patchFaults, ruleFaults } from '@dwell/domain/rules/rule-faults'
import { type Account, hasDelayedAutomations, lockAccountForChange } from './accounts'
import { deleteArmedRowsOfRule, skipArmedRowsOfRule } from './armed-rows'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import { customAttributesOf } from './custom-attributes'
import type { Prisma, AutomationRule as RuleRow } from './generated/client'
import { type Page, type Paged, pageArguments, paged } from './page'
import type { Database } from './prisma-client'
import { fromDate, toStored } from './stored-instant'
import { type DatabaseOrTransaction, type Transaction, transact } from './transaction'

export interface AutomationRule extends RuleDefinition {
  readonly id: number
  readonly accountId: number
  readonly createdAt: Micros
  readonly updatedAt: Micros
  /** Conditions on custom attributes that no longer exist; by the account's definitions as they are now. */
  readonly broken: readonly Fault[]
}

/** What a write answers: the rule, or all that is wrong with the request; null when account or rule are gone. */
export type RuleOutcome = { readonly rule: AutomationRule } | { readonly faults: readonly Fault[] } | null

/** Ends a transaction without a trace: what is refused changes nothing, not even the version. */
class Refusal extends Error {
  constructor(readonly faults: readonly Fault[]) {
    super('The rule was refused')
  }
}

const FEATURE_OFF: Fault = {
  pointer: '/execution_delay',
  code: 'feature_disabled',
  message: 'the feature delayed_automations is off for this account: a rule of it cannot be given a delay',
}

export async function listRules(
  db: DatabaseOrTransaction,
  accountId: number,
  page: Page,
): Promise<Paged<AutomationRule>> {
  const { where, ...order } = pageArguments(page)
  const [rows, definitions] = await Promise.all([
    db.automationRule.findMany({ where: { ...where, accountId, deletedAt: null }, ...order }),
    customAttributesOf(db, accountId),
  ])
  return paged(
    rows.map((row) => fromRow(row, definitions)),
    page,
  )
}

/** Null also for a rule that was deleted, and for one of another account. */
export async function findRule(
  db: DatabaseOrTransaction,
  accountId: number,
  id: number,
): Promise<AutomationRule | null> {
  const [row] = await db.automationRule.findMany({ where: { id, accountId, deletedAt: null } })
  return row === undefined ? null : fromRow(row, await customAttributesOf(db, accountId))
}

/** Checks and stores a rule; it holds from the next event on. */
export function createRule(database: Database, accountId: number, body: unknown, change: Change): Promise<RuleOutcome> {
  return transactUnlessRefused(database, async (transaction) => {
    const account = await lockAccountForChange(transaction, accountId)
    if (account === null) return null
    const definitions = await customAttributesOf(transaction, accountId)
    const { faults, rule } = ruleFaults(body, definitions)
    const all = withGate(faults, body, account)
    if (all.length > 0 || rule === null) throw new Refusal(all)
    return { rule: await insert(transaction, accountId, rule, definitions, change, 'automation_rule.created') }
  })
}

/**
 * Merges a change into a rule, checks the result and does to its armed rows what the change demands: switched off, they
 * are skipped `rule_inactive`; with the delay gone or another event, `rule_changed`. DESIGN section 3, *Lifecycle*.
 */
export function updateRule(
  database: Database,
  accountId: number,
  id: number,
  patch: unknown,
  change: Change,
): Promise<RuleOutcome> {
  return transactUnlessRefused(database, async (transaction) => {
    const account = await lockAccountForChange(transaction, accountId)
    const before = account === null ? null : await findRule(transaction, accountId, id)
    if (account === null || before === null) return null
    const definitions = await customAttributesOf(transaction, accountId)
    const { faults, rule } = patchFaults(definitionOf(before), patch, definitions)
    const all = withGate(faults, patch, account)
    if (all.length > 0 || rule === null) throw new Refusal(all)
    const row = await transaction.automationRule.update({
      where: { id },
      data: { ...columnsOf(rule), updatedAt: toStored(change.now) },
    })
    const rowsSkipped = await skipAfter(transaction, before, rule, change.now)
    await recordAudit(transaction, change, {
      accountId,
      action: 'automation_rule.updated',
      subject: `automation_rule ${id}`,
      details: {
        ...changedFields(definitionOf(before), rule),
        ...(rowsSkipped > 0 ? { rows_skipped: rowsSkipped } : {}),
      },
    })
    return { rule: fromRow(row, definitions) }
  })
}

/** The same rule once more, without any row. A delayed one is refused while the feature is off. */
export function cloneRule(database: Database, accountId: number, id: number, change: Change): Promise<RuleOutcome> {
  return transactUnlessRefused(database, async (transaction) => {
    const account = await lockAccountForChange(transaction, accountId)
    const original = account === null ? null : await findRule(transaction, accountId, id)
    if (account === null || original === null) return null
    const rule = definitionOf(original)
    const faults = withGate([], rule, account)
    if (faults.length > 0) throw new Refusal(faults)
    const definitions = await customAttributesOf(transaction, accountId)
    return { rule: await insert(transaction, accountId, rule, definitions, change, 'automation_rule.cloned', id) }
  })
}

/** The rule answers 404 from now on, what waits on it is gone; what ended stays to be read. False when there is none. */
export function deleteRule(database: Database, accountId: number, id: number, change: Change): Promise<boolean> {
  return transact(database, async (transaction) => {
    const account = await lockAccountForChange(transaction, accountId)
    const rule = account === null ? null : await findRule(transaction, accountId, id)
    if (rule === null) return false
    await transaction.automationRule.update({
      where: { id },
      data: { deletedAt: toStored(change.now), updatedAt: toStored(change.now) },
    })
    const rowsDeleted = await deleteArmedRowsOfRule(transaction, rule)
    await recordAudit(transaction, change, {
      accountId,
      action: 'automation_rule.deleted',
      subject: `automation_rule ${id}`,
      details: { name: rule.name, rows_deleted: rowsDeleted },
    })
    return true
  })
}

async function transactUnlessRefused(
  database: Database,
  work: (transaction: Transaction) => Promise<RuleOutcome>,
): Promise<RuleOutcome> {
  try {
    return await transact(database, work)
  } catch (error) {
    if (error instanceof Refusal) return { faults: error.faults }
    throw error
  }
}

/** A delay in a request is refused while the feature is off, even the one that is stored already; clearing one never is. */
function withGate(faults: readonly Fault[], request: unknown, account: Account): readonly Fault[] {
  const delay =
    typeof request === 'object' && request !== null && 'execution_delay' in request && request.execution_delay
  const refused = delay !== false && delay !== null && delay !== undefined && !hasDelayedAutomations(account)
  return refused ? [...faults, FEATURE_OFF] : faults
}

async function insert(
  transaction: Transaction,
  accountId: number,
  rule: RuleDefinition,
  definitions: readonly CustomAttributeDefinition[],
  change: Change,
  action: 'automation_rule.created' | 'automation_rule.cloned',
  clonedFrom?: number,
): Promise<AutomationRule> {
  const now = toStored(change.now)
  const row = await transaction.automationRule.create({
    data: { accountId, ...columnsOf(rule), createdAt: now, updatedAt: now },
  })
  await recordAudit(transaction, change, {
    accountId,
    action,
    subject: `automation_rule ${row.id}`,
    details: { ...rule, ...(clonedFrom === undefined ? {} : { cloned_from: clonedFrom }) },
  })
  return fromRow(row, definitions)
}

/** Switched off beats changed: it is what the guard at fire time would name first. */
async function skipAfter(
  transaction: Transaction,
  before: AutomationRule,
  after: RuleDefinition,
  now: Micros,
): Promise<number> {
  if (before.active && !after.active) return skipArmedRowsOfRule(transaction, before, 'rule_inactive', now)
  const waitsNoMore = before.execution_delay !== null && after.execution_delay === null
  if (waitsNoMore || before.event_name !== after.event_name)
    return skipArmedRowsOfRule(transaction, before, 'rule_changed', now)
  return 0
}

function changedFields(before: RuleDefinition, after: RuleDefinition): Record<string, unknown> {
  const fields = Object.keys(after) as (keyof RuleDefinition)[]
  return Object.fromEntries(
    fields
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, { from: before[field], to: after[field] }]),
  )
}

function definitionOf(rule: AutomationRule): RuleDefinition {
  const { name, description, event_name, conditions, actions, active, execution_delay } = rule
  return { name, description, event_name, conditions, actions, active, execution_delay }
}

function columnsOf(rule: RuleDefinition) {
  return {
    name: rule.name,
    description: rule.description,
    eventName: rule.event_name,
    conditions: rule.conditions as unknown as Prisma.InputJsonArray,
    actions: rule.actions as unknown as Prisma.InputJsonArray,
    active: rule.active,
    executionDelay: rule.execution_delay,
  }
}

function fromRow(row: RuleRow, definitions: readonly CustomAttributeDefinition[]): AutomationRule {
  const conditions = row.conditions as unknown as readonly Condition[]
  return {
    id: Number(row.id),
    accountId: Number(row.accountId),
    name: row.name,
    description: row.description,
    event_name: row.eventName as RuleEvent,
    conditions,
    actions: row.actions as unknown as readonly Action[],
    active: row.active,
    execution_delay: row.executionDelay,
    createdAt: fromDate(row.createdAt),
    updatedAt: fromDate(row.updatedAt),
    broken: compileConditions(conditions, definitions).broken,
  }
}
