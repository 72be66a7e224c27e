import { DELAYED_AUTOMATIONS } from '@dwell/contracts/pending-execution'
import type { Action, Condition, CustomAttributeDefinition, RuleEvent } from '@dwell/contracts/rule'
import type { RunningAutomation } from '@dwell/domain/automations/automation'
import { compileRule } from '@dwell/domain/rules/compile-rule'
import type { CompiledRule } from '@dwell/domain/rules/compiled-rule'
import { loadRunningAutomations } from './automations/running-automations'
import type { Queryable } from './pool'

/** What an account's events are judged by, as it stood at one version. */
export interface RuleBook {
  readonly accountId: number
  readonly accountName: string
  readonly settings: Readonly<Record<string, unknown>>
  /** `accounts.rules_version`: raised by every change of rules, automations, custom attributes, features and settings. */
  readonly version: number
  readonly delayedAutomations: boolean
  /** IANA zone. */
  readonly timeZone: string
  /** Not the deleted ones; inactive ones too. By id. */
  readonly rules: readonly CompiledRule[]
  /** Inactive ones too. */
  readonly automations: readonly RunningAutomation[]
}

const DEFAULT_MAX_BOOKS = 10_000

/**
 * Compiled rules per account, kept in the process for as long as the version that callers ask for is the one they were
 * compiled at. An edit raises the version, so it holds from the next event on.
 */
export class RuleBooks {
  /** In order of use: the first is the one that nobody asked for longest. */
  private readonly books = new Map<number, RuleBook>()

  constructor(private readonly maxBooks: number = DEFAULT_MAX_BOOKS) {}

  /**
   * The books of these accounts. What is missing or at another version is loaded, in one statement per table; an account
   * that is gone is left out. Who does not hold the account's lock may get a younger book than asked for: `version` tells.
   */
  async at(db: Queryable, versions: ReadonlyMap<number, number>): Promise<Map<number, RuleBook>> {
    const stale = [...versions].filter(([id, version]) => this.books.get(id)?.version !== version).map(([id]) => id)
    const loaded = stale.length === 0 ? new Map<number, RuleBook>() : await loadBooks(db, stale)
    const found = new Map<number, RuleBook>()
    for (const [id, version] of versions) {
      const kept = this.books.get(id)
      const book = kept?.version === version ? kept : loaded.get(id)
      if (book === undefined) {
        this.books.delete(id)
        continue
      }
      found.set(id, book)
      this.keep(book)
    }
    return found
  }

  private keep(book: RuleBook): void {
    this.books.delete(book.accountId)
    this.books.set(book.accountId, book)
    if (this.books.size <= this.maxBooks) return
    const [oldest] = this.books.keys()
    if (oldest !== undefined) this.books.delete(oldest)
  }
}

interface AccountRow {
  readonly id: number
  readonly name: string
  readonly features: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly rules_version: number
}

interface RuleRow {
  readonly id: number
  readonly account_id: number
  readonly name: string
  readonly event_name: RuleEvent
  readonly conditions: readonly Condition[]
  readonly actions: readonly Action[]
  readonly active: boolean
  readonly execution_delay: number | null
}

interface DefinitionRow extends CustomAttributeDefinition {
  readonly account_id: number
}

// Accounts come first: should an edit slip in between, its rules get the older version and nobody keeps them for long.
// The other way round old rules would pass for the new ones.
const ACCOUNTS = `
  SELECT id, name, features, settings, rules_version FROM accounts WHERE id = ANY($1::bigint[])`

const RULES = `
  SELECT id, account_id, name, event_name, conditions, actions, active, execution_delay
  FROM automation_rules WHERE account_id = ANY($1::bigint[]) AND deleted_at IS NULL ORDER BY account_id, id`

const DEFINITIONS = `
  SELECT account_id, attribute_key, attribute_display_type, attribute_model, attribute_values
  FROM custom_attribute_definitions WHERE account_id = ANY($1::bigint[])`

async function loadBooks(db: Queryable, accountIds: readonly number[]): Promise<Map<number, RuleBook>> {
  const accounts = await db.query<AccountRow>({ name: 'rule-books-accounts', text: ACCOUNTS, values: [accountIds] })
  const rules = await db.query<RuleRow>({ name: 'rule-books-rules', text: RULES, values: [accountIds] })
  const definitions = await db.query<DefinitionRow>({
    name: 'rule-books-definitions',
    text: DEFINITIONS,
    values: [accountIds],
  })
  const automations = await loadRunningAutomations(db, accountIds)
  const rulesOf = groupByAccount(rules.rows)
  const definitionsOf = groupByAccount(definitions.rows)
  return new Map(
    accounts.rows.map((row) => [
      row.id,
      {
        ...bookFromRows(row, rulesOf.get(row.id) ?? [], definitionsOf.get(row.id) ?? []),
        automations: automations.filter(({ accountId }) => accountId === row.id),
      },
    ]),
  )
}

function groupByAccount<Row extends { readonly account_id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.account_id)
    if (group === undefined) groups.set(row.account_id, [row])
    else group.push(row)
  }
  return groups
}

function bookFromRows(
  account: AccountRow,
  rules: readonly RuleRow[],
  definitions: readonly CustomAttributeDefinition[],
): Omit<RuleBook, 'automations'> {
  const { timezone } = account.settings
  return {
    accountId: account.id,
    accountName: account.name,
    settings: account.settings,
    version: account.rules_version,
    delayedAutomations: account.features.includes(DELAYED_AUTOMATIONS),
    timeZone: typeof timezone === 'string' ? timezone : 'UTC',
    rules: rules.map((row) =>
      compileRule(
        {
          id: row.id,
          accountId: row.account_id,
          name: row.name,
          eventName: row.event_name,
          active: row.active,
          executionDelay: row.execution_delay,
          conditions: row.conditions,
          actions: row.actions,
        },
        definitions,
      ),
    ),
  }
}
