import { castInstallationConfigs, type InstallationConfigs } from '@dwell/contracts/rest/installation-configs'
import type { PendingExecution } from '@dwell/domain/rules/pending-execution'
import type { ProjectedContact, ProjectedConversation, ProjectedMessage } from '@dwell/domain/rules/projection'
import type { Queryable } from '../pool'
import { type ContactRow, contactColumns, contactFromRow } from '../rows/contact-row'
import { type ConversationRow, conversationColumns, conversationFromRow } from '../rows/conversation-row'
import { isJoined, type LeftJoined } from '../rows/left-joined'
import { type MessageRow, messageColumns, messageFromRow } from '../rows/message-row'
import {
  type PendingExecutionRow,
  pendingExecutionColumns,
  pendingExecutionFromRow,
} from '../rows/pending-execution-row'

/** A claimed row with all it is judged by: one consistent snapshot. */
export interface LoadedExecution {
  readonly row: PendingExecution & { readonly id: number }
  readonly conversation: ProjectedConversation | null
  readonly contact: ProjectedContact | null
  readonly message: ProjectedMessage | null
  readonly rulesVersion: number
  readonly configs: InstallationConfigs
}

const LOAD = `
  SELECT ${pendingExecutionColumns('e')}, ${conversationColumns('c')}, ${contactColumns('p')}, ${messageColumns('m')},
    a.rules_version, (SELECT jsonb_object_agg(name, value) FROM installation_configs) AS configs
  FROM automation_rule_pending_executions e
  JOIN accounts a ON a.id = e.account_id
  LEFT JOIN conversations c ON c.account_id = e.account_id AND c.id = e.conversation_id
  LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
  LEFT JOIN messages m ON m.account_id = e.account_id AND m.conversation_id = e.conversation_id AND m.id = e.message_id
  WHERE e.id = ANY ($1::bigint[]) AND e.claim_token = $2
  ORDER BY e.due_at, e.id`

type LoadedRow = PendingExecutionRow &
  LeftJoined<ConversationRow> &
  LeftJoined<ContactRow> &
  LeftJoined<MessageRow> & {
    readonly rules_version: number
    readonly configs: Readonly<Record<string, unknown>> | null
  }

/**
 * Loads the rows held under a token, with their facts. A statement of its own after the take-over: one that updated the rows
 * as well would see a younger row beside older facts. Primary keys only (why no state is named: take-over.ts). In due order, which is the order in which the
 * actions of one batch leave.
 */
export async function loadHeld(db: Queryable, ids: readonly number[], claimToken: string): Promise<LoadedExecution[]> {
  const { rows } = await db.query<LoadedRow>({ name: 'load-held', text: LOAD, values: [ids, claimToken] })
  return rows.map((row) => ({
    row: { ...pendingExecutionFromRow(row), id: row.execution_id },
    conversation: isJoined<ConversationRow>(row, 'conversation_id') ? conversationFromRow(row) : null,
    contact: isJoined<ContactRow>(row, 'contact_id') ? contactFromRow(row) : null,
    message: isJoined<MessageRow>(row, 'message_id') ? messageFromRow(row) : null,
    rulesVersion: row.rules_version,
    configs: castInstallationConfigs(row.configs ?? {}),
  }))
}
