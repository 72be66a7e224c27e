import { castInstallationConfigs, type InstallationConfigs } from '@dwell/contracts/rest/installation-configs'
import { isArmed, type PendingExecution } from '@dwell/domain/rules/pending-execution'
import type { ProjectedMessage } from '@dwell/domain/rules/projection'
import { findConversation, type KnownConversation } from './conversations'
import { type Execution, listExecutions } from './executions'
import { inTransaction, type Pool } from './pool'
import { type MessageRow, messageColumns, messageFromRow } from './rows/message-row'
import {
  type PendingExecutionRow,
  pendingExecutionColumns,
  pendingExecutionFromRow,
} from './rows/pending-execution-row'
import { type RuleBook, RuleBooks } from './rule-books'

/** Rows of a rule and a conversation that an answer shows; immediate rules make one for each event. */
const MAX_ROWS = 20

/** All that is known about a rule and a conversation: one consistent snapshot. */
export interface WhyFacts {
  readonly configs: InstallationConfigs
  readonly book: RuleBook | null
  readonly known: KnownConversation | null
  readonly message: ProjectedMessage | null
  readonly rows: readonly PendingExecution[]
  /** The same rows with their deliveries. */
  readonly executions: readonly Execution[]
}

const ROWS = `
  SELECT ${pendingExecutionColumns('e')} FROM automation_rule_pending_executions e
  WHERE e.account_id = $1 AND e.automation_rule_id = $2 AND e.conversation_id = $3
  ORDER BY e.id DESC LIMIT ${MAX_ROWS}`

// The message that is asked for, else the one of the armed or youngest row, else the youngest that is stored.
const MESSAGE = `
  SELECT ${messageColumns('m')} FROM messages m
  WHERE m.account_id = $1 AND m.conversation_id = $2 AND ($3::bigint IS NULL OR m.id = $3)
  ORDER BY m.created_at DESC NULLS LAST, m.id DESC LIMIT 1`

/** Reads, and only reads: Postgres refuses any write in this transaction. */
export function readWhyFacts(
  pool: Pool,
  asked: {
    readonly accountId: number
    readonly ruleId: number
    readonly conversationId: number
    readonly messageId: number | null
  },
): Promise<WhyFacts> {
  const { accountId, ruleId, conversationId } = asked
  return inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const configs = await client.query<{ configs: Readonly<Record<string, unknown>> | null }>(
      'SELECT jsonb_object_agg(name, value) AS configs FROM installation_configs',
    )
    const books = await new RuleBooks().at(client, new Map([[accountId, -1]]))
    const stored = await client.query<PendingExecutionRow>(ROWS, [accountId, ruleId, conversationId])
    const rows = stored.rows.map(pendingExecutionFromRow)
    const messageId = asked.messageId ?? (rows.find(isArmed) ?? rows[0])?.anchor?.id ?? null
    const message = await client.query<MessageRow>(MESSAGE, [accountId, conversationId, messageId])
    const page = { before: null, limit: MAX_ROWS }
    const executions = await listExecutions(client, accountId, { ruleId, conversationId }, page)
    return {
      configs: castInstallationConfigs(configs.rows[0]?.configs ?? {}),
      book: books.get(accountId) ?? null,
      known: await findConversation(client, accountId, conversationId),
      message: message.rows[0] === undefined ? null : messageFromRow(message.rows[0]),
      rows,
      executions: executions.entries,
    }
  })
}
