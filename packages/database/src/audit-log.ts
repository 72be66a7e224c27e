import type { Micros } from '@dwell/contracts/instant'
import type { Change } from './change'
import type { Prisma } from './generated/client'
import { type Page, type Paged, pageArguments, paged } from './page'
import { fromDate, toStored } from './stored-instant'
import type { DatabaseOrTransaction } from './transaction'

export interface AuditEntry {
  /** Null for what belongs to the installation. */
  readonly accountId: number | null
  /** Dotted, in the past tense: `automation_rule.updated`. */
  readonly action: string
  /** What was changed, by kind and id: `automation_rule 7`. */
  readonly subject: string
  readonly details?: Readonly<Record<string, unknown>>
}

export interface AuditLog extends Required<AuditEntry> {
  readonly id: number
  readonly actor: string
  readonly createdAt: Micros
}

/** Notes who changed what, in the transaction of the change. */
export async function recordAudit(db: DatabaseOrTransaction, change: Change, entry: AuditEntry): Promise<void> {
  await db.auditLog.create({
    data: {
      accountId: entry.accountId,
      actor: change.actor,
      action: entry.action,
      subject: entry.subject,
      details: (entry.details ?? {}) as Prisma.InputJsonObject,
      createdAt: toStored(change.now),
    },
  })
}

export interface AuditFilter {
  /** Undefined: of the whole installation, accounts included. */
  readonly accountId: number | undefined
  /** `automation_rule.updated`, or `automation_rule` for all of them. */
  readonly action?: string | undefined
  /** Part of it, in any letter case. */
  readonly actor?: string | undefined
  /** `automation_rule 7`, or `automation_rule` for all of them. */
  readonly subject?: string | undefined
  readonly since?: Micros | undefined
  /** Exclusive. */
  readonly until?: Micros | undefined
}

/** The newest first. */
export async function listAuditLogs(
  db: DatabaseOrTransaction,
  filter: AuditFilter,
  page: Page,
): Promise<Paged<AuditLog>> {
  const { where, ...order } = pageArguments(page)
  const found = await db.auditLog.findMany({ where: { AND: [where, ...conditionsOf(filter)] }, ...order })
  const logs = found.map((row) => ({
    id: Number(row.id),
    accountId: row.accountId === null ? null : Number(row.accountId),
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    details: row.details as Readonly<Record<string, unknown>>,
    createdAt: fromDate(row.createdAt),
  }))
  return paged(logs, page)
}

function conditionsOf({ accountId, action, actor, subject, since, until }: AuditFilter): Prisma.AuditLogWhereInput[] {
  return [
    ...(accountId === undefined ? [] : [{ accountId }]),
    ...(action === undefined ? [] : [{ OR: [{ action }, { action: { startsWith: literal(`${action}.`) } }] }]),
    ...(actor === undefined ? [] : [{ actor: { contains: literal(actor), mode: 'insensitive' as const } }]),
    ...(subject === undefined ? [] : [{ OR: [{ subject }, { subject: { startsWith: literal(`${subject} `) } }] }]),
    ...(since === undefined ? [] : [{ createdAt: { gte: toStored(since) } }]),
    ...(until === undefined ? [] : [{ createdAt: { lt: toStored(until) } }]),
  ]
}

/** Prisma hands patterns on as they are: `%` and `_` would stand for anything. */
function literal(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
