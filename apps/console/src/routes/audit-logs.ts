import { formatInstant } from '@dwell/contracts/instant'
import { pageOf } from '@dwell/contracts/rest/answers'
import {
  type AccountAuditLogsQuery,
  type AuditLogAnswer,
  accountAuditLogsQuery,
  auditLogAnswer,
  auditLogsQuery,
} from '@dwell/contracts/rest/audit-logs'
import { type AuditFilter, type AuditLog, listAuditLogs } from '@dwell/database/audit-log'
import { accountEndpoint, type Endpoint, installationEndpoint } from '../endpoint'
import { pageAnswer, readPage } from '../http/cursor'

const tag = 'Audit'

export const auditLogEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/audit_logs',
    operation: 'listAuditLogs',
    tag,
    summary: 'Who changed what, in the whole installation; the newest first.',
    query: auditLogsQuery,
    answer: { status: 200, description: 'A page of entries.', schema: pageOf(auditLogAnswer) },
    handle: async ({ deps, query }) =>
      pageAnswer(await listAuditLogs(deps.database, filterOf(query, query.account_id), readPage(query)), viewAuditLog),
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/audit_logs',
    operation: 'listAuditLogsOfAccount',
    tag,
    summary: 'Who changed what in this account; the newest first. For administrators.',
    rights: 'administrator',
    query: accountAuditLogsQuery,
    answer: { status: 200, description: 'A page of entries.', schema: pageOf(auditLogAnswer) },
    handle: async ({ deps, account, query }) =>
      pageAnswer(await listAuditLogs(deps.database, filterOf(query, account.id), readPage(query)), viewAuditLog),
  }),
]

function filterOf({ action, actor, subject, since, until }: AccountAuditLogsQuery, accountId?: number): AuditFilter {
  return { accountId, action, actor, subject, since, until }
}

function viewAuditLog(log: AuditLog): AuditLogAnswer {
  return {
    id: log.id,
    account_id: log.accountId,
    actor: log.actor,
    action: log.action,
    subject: log.subject,
    details: log.details,
    created_at: formatInstant(log.createdAt),
  }
}
