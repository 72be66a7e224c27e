import { createHash, randomBytes } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import type { TokenRole } from '@dwell/contracts/rest/account-tokens'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import type { AccountToken as TokenRow } from './generated/client'
import { type Page, type Paged, pageArguments, paged } from './page'
import type { Queryable } from './pool'
import type { Database } from './prisma-client'
import { fromDate, toStored } from './stored-instant'
import { type DatabaseOrTransaction, isReferenceViolation, transact } from './transaction'

export interface AccountToken {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly role: TokenRole
  readonly createdAt: Micros
}

const TOKEN_BYTES = 32

/** The digest is all that is kept; the random part is long enough that no salt is needed. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The only moment at which the token itself is known. Null when the account was erased meanwhile. */
export async function createAccountToken(
  database: Database,
  accountId: number,
  input: { readonly name: string; readonly role: TokenRole },
  change: Change,
): Promise<(AccountToken & { readonly token: string }) | null> {
  // The prefix lets scanners for leaked secrets and our own log redaction recognise it.
  const token = `dwell_account_${randomBytes(TOKEN_BYTES).toString('base64url')}`
  try {
    return await transact(database, async (transaction) => {
      const row = await transaction.accountToken.create({
        data: { accountId, ...input, tokenDigest: digestOf(token), createdAt: toStored(change.now) },
      })
      const created = accountTokenFromRow(row)
      await recordAudit(transaction, change, {
        accountId,
        action: 'token.created',
        subject: `token ${created.id}`,
        details: { name: created.name, role: created.role },
      })
      return { ...created, token }
    })
  } catch (error) {
    if (isReferenceViolation(error)) return null
    throw error
  }
}

const FIND = `
  SELECT id, account_id AS "accountId", name, role, dwell_micros(date_trunc('milliseconds', created_at)) AS "createdAt"
  FROM account_tokens WHERE token_digest = $1`

/**
 * Looks a token up by its digest: what the index compares says nothing about the token. Part of every request: hot SQL.
 */
export async function findAccountToken(db: Queryable, token: string): Promise<AccountToken | null> {
  const { rows } = await db.query<AccountToken>({ name: 'find-account-token', text: FIND, values: [digestOf(token)] })
  return rows[0] ?? null
}

export async function listAccountTokens(
  db: DatabaseOrTransaction,
  accountId: number,
  page: Page,
): Promise<Paged<AccountToken>> {
  const { where, ...order } = pageArguments(page)
  const rows = await db.accountToken.findMany({ where: { ...where, accountId }, ...order })
  return paged(rows.map(accountTokenFromRow), page)
}

/** Answers false when the account has no such token. */
export function deleteAccountToken(
  database: Database,
  accountId: number,
  id: number,
  change: Change,
): Promise<boolean> {
  return transact(database, async (transaction) => {
    const [row] = await transaction.accountToken.findMany({ where: { id, accountId } })
    if (row === undefined) return false
    const { count } = await transaction.accountToken.deleteMany({ where: { id, accountId } })
    if (count === 0) return false
    await recordAudit(transaction, change, {
      accountId,
      action: 'token.deleted',
      subject: `token ${id}`,
      details: { name: row.name, role: row.role },
    })
    return true
  })
}

export function accountTokenFromRow(row: TokenRow): AccountToken {
  return {
    id: Number(row.id),
    accountId: Number(row.accountId),
    name: row.name,
    role: row.role as TokenRole,
    createdAt: fromDate(row.createdAt),
  }
}
