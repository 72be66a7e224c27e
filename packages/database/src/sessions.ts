import type { Micros } from '@dwell/contracts/instant'
import { type AccountToken, accountTokenFromRow } from './account-tokens'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import type { Database } from './prisma-client'
import { toStored } from './stored-instant'
import { type DatabaseOrTransaction, isReferenceViolation, transact } from './transaction'

/** Whom a session speaks for: a token of an account, or whoever showed the admin token. */
export type SessionOwner =
  | { readonly accountToken: Pick<AccountToken, 'id' | 'accountId'> }
  | {
      /** What only the same admin token gives again. */
      readonly adminProof: string
    }

export interface NewSession {
  /** Of the cookie, which is not kept itself. */
  readonly digest: string
  readonly owner: SessionOwner
  /** By the real clock, as browsers have it: the clock of the product may be a test's. */
  readonly startsAt: Micros
  readonly expiresAt: Micros
}

/** Keeps a session, notes it in the audit log, forgets those that are over. False when the token was deleted meanwhile. */
export async function beginSession(database: Database, session: NewSession, change: Change): Promise<boolean> {
  const { digest, owner, startsAt, expiresAt } = session
  const ofAccount = 'accountToken' in owner
  try {
    await transact(database, async (transaction) => {
      await transaction.session.deleteMany({ where: { expiresAt: { lte: toStored(startsAt) } } })
      await transaction.session.create({
        data: {
          secretDigest: digest,
          ...(ofAccount ? { accountTokenId: owner.accountToken.id } : { adminProof: owner.adminProof }),
          createdAt: toStored(startsAt),
          expiresAt: toStored(expiresAt),
        },
      })
      await recordAudit(transaction, change, {
        accountId: ofAccount ? owner.accountToken.accountId : null,
        action: 'session.begun',
        subject: 'session',
      })
    })
    return true
  } catch (error) {
    if (isReferenceViolation(error)) return false
    throw error
  }
}

/** The owner of a session that is not over; null when there is none. */
export async function findSession(
  db: DatabaseOrTransaction,
  digest: string,
  now: Micros,
): Promise<{ readonly accountToken: AccountToken } | { readonly adminProof: string } | null> {
  const row = await db.session.findFirst({
    where: { secretDigest: digest, expiresAt: { gt: toStored(now) } },
    include: { accountToken: true },
  })
  if (row === null) return null
  if (row.accountToken !== null) return { accountToken: accountTokenFromRow(row.accountToken) }
  return row.adminProof === null ? null : { adminProof: row.adminProof }
}

/** Ends a session, whoever it speaks for. False when there was none. */
export async function endSession(db: DatabaseOrTransaction, digest: string): Promise<boolean> {
  const { count } = await db.session.deleteMany({ where: { secretDigest: digest } })
  return count > 0
}
