import type { RuleDefinition } from '@dwell/contracts/rule'
import type { Queryable } from '@dwell/database/pool'
import { ruleDefinition } from './rule-builder'

/** A new account with the feature `delayed_automations`, or what is said otherwise; answers its id. */
export async function seedAccount(
  db: Queryable,
  options: { readonly features?: readonly string[]; readonly settings?: object } = {},
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `INSERT INTO accounts (name, features, settings) VALUES ('seeded', $1, $2) RETURNING id`,
    [options.features ?? ['delayed_automations'], JSON.stringify(options.settings ?? {})],
  )
  return first(rows).id
}

/** A new rule as `ruleDefinition` makes it, seen by the next event; answers its id. */
export async function seedRule(
  db: Queryable,
  accountId: number,
  overrides: Partial<RuleDefinition> = {},
): Promise<number> {
  const rule = ruleDefinition(overrides)
  const { rows } = await db.query<{ id: number }>(
    `WITH edited AS (UPDATE accounts SET rules_version = rules_version + 1 WHERE id = $1 RETURNING id)
     INSERT INTO automation_rules (account_id, name, event_name, conditions, actions, active, execution_delay)
     SELECT id, $2, $3, $4, $5, $6, $7 FROM edited RETURNING id`,
    [
      accountId,
      rule.name,
      rule.event_name,
      JSON.stringify(rule.conditions),
      JSON.stringify(rule.actions),
      rule.active,
      rule.execution_delay,
    ],
  )
  return first(rows).id
}

/** A pending execution as tests compare it: `state` is the status, of a skipped one with its reason. */
export interface SeenExecution {
  readonly rule: number
  readonly conversation: number
  readonly state: string
  readonly key: string
  /** ISO. */
  readonly due: string
  readonly message: number | null
}

/** The account's rows by conversation, rule and id. */
export async function seenExecutions(db: Queryable, accountId: number): Promise<SeenExecution[]> {
  const { rows } = await db.query<SeenExecution>(
    `SELECT automation_rule_id AS rule, conversation_id AS conversation, concat_ws(':', status, skip_reason) AS state,
            episode_key AS key, to_char(due_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS due, message_id AS message
     FROM automation_rule_pending_executions WHERE account_id = $1
     ORDER BY conversation_id, automation_rule_id, id`,
    [accountId],
  )
  return rows
}

function first<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('Nothing was inserted')
  return row
}
