import { randomBytes, randomInt } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import { DELAYED_AUTOMATIONS } from '@dwell/contracts/pending-execution'
import { webhookSecret } from '@dwell/domain/rules/webhook-secret'
import { retimeOverdueRowsOfAccount, skipDelayedRowsOfAccount } from './armed-rows'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import type { Account as AccountRow, Prisma } from './generated/client'
import { readInstallationConfigs } from './installation-configs'
import { type Page, type Paged, pageArguments, paged } from './page'
import type { Queryable } from './pool'
import type { Database } from './prisma-client'
import { fromDate, toStored } from './stored-instant'
import { type DatabaseOrTransaction, isUniqueViolation, type Transaction, transact } from './transaction'

export interface Account {
  readonly id: number
  readonly name: string
  readonly features: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly createdAt: Micros
  readonly updatedAt: Micros
}

export interface AccountChange {
  readonly name?: string | undefined
  readonly features?: readonly string[] | undefined
  /** Merged key by key; null removes one. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Ingest keeps rules per account and version, also those of an account that was erased and made again under its old
 * id: a version must never come twice.
 */
const MAX_FIRST_VERSION = 2 ** 47
const MAX_ID_ATTEMPTS = 20
const SECRET_BYTES = 32

export function hasDelayedAutomations(account: Pick<Account, 'features'>): boolean {
  return account.features.includes(DELAYED_AUTOMATIONS)
}

/** Webhooks are signed from the first one on: an account that names no secret is given one. Null when the id is taken. */
export async function createAccount(
  database: Database,
  input: {
    readonly id?: number | undefined
    readonly name: string
    readonly features: readonly string[]
    readonly settings: Readonly<Record<string, unknown>>
  },
  change: Change,
): Promise<Account | null> {
  const settings = { webhook_secrets: [webhookSecret(randomBytes(SECRET_BYTES))], ...input.settings }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(database, async (transaction) => {
        if (input.id !== undefined) await moveSequencePast(transaction, input.id)
        const row = await transaction.account.create({
          data: {
            ...(input.id === undefined ? {} : { id: input.id }),
            name: input.name,
            features: [...input.features],
            settings: settings as Prisma.InputJsonObject,
            rulesVersion: randomInt(1, MAX_FIRST_VERSION),
            createdAt: toStored(change.now),
            updatedAt: toStored(change.now),
          },
        })
        const account = fromRow(row)
        await recordAudit(transaction, change, {
          accountId: account.id,
          action: 'account.created',
          subject: `account ${account.id}`,
          details: { name: account.name, features: account.features, settings: withoutSecrets(account.settings) },
        })
        return account
      })
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      if (input.id !== undefined) return null
      // Somebody chose the id that the sequence gave out; it has moved on.
      if (attempt >= MAX_ID_ATTEMPTS) throw error
    }
  }
}

/** The ids that the database gives out go on behind the chosen one. */
async function moveSequencePast(transaction: Transaction, id: number): Promise<void> {
  await transaction.$queryRaw`
    SELECT setval(pg_get_serial_sequence('accounts', 'id'), ${id}) FROM accounts_id_seq WHERE last_value < ${id}`
}

// Milliseconds, as every other reading of an account tells its times.
const FIND = `
  SELECT id, name, features, settings, dwell_micros(date_trunc('milliseconds', created_at)) AS "createdAt",
    dwell_micros(date_trunc('milliseconds', updated_at)) AS "updatedAt"
  FROM accounts WHERE id = $1`

/** Part of every request: hot SQL. */
export async function findAccount(db: Queryable, id: number): Promise<Account | null> {
  const { rows } = await db.query<Account>({ name: 'find-account', text: FIND, values: [id] })
  return rows[0] ?? null
}

export async function listAccounts(db: DatabaseOrTransaction, page: Page): Promise<Paged<Account>> {
  const rows = await db.account.findMany(pageArguments(page))
  return paged(rows.map(fromRow), page)
}

/**
 * Takes the account for the rest of the transaction and raises the version of its rules: batches of ingest that read the
 * old rules have ended, later ones read the new. First step of every change that rules depend on. Null when it is gone.
 */
export async function lockAccountForChange(transaction: Transaction, id: number): Promise<Account | null> {
  const [row] = await transaction.account.updateManyAndReturn({
    where: { id },
    data: { rulesVersion: { increment: 1 } },
  })
  return row === undefined ? null : fromRow(row)
}

/**
 * Changes name, features or settings. Switching `delayed_automations` off skips what waits, unless the installation
 * pauses instead; switching it on makes what came due during a pause due now. DESIGN section 3, *Lifecycle*.
 * Null when the account is gone.
 */
export function updateAccount(
  database: Database,
  id: number,
  wanted: AccountChange,
  change: Change,
): Promise<Account | null> {
  return transact(database, async (transaction) => {
    const before = await lockAccountForChange(transaction, id)
    if (before === null) return null
    const row = await transaction.account.update({
      where: { id },
      data: {
        ...(wanted.name === undefined ? {} : { name: wanted.name }),
        ...(wanted.features === undefined ? {} : { features: [...wanted.features] }),
        ...(wanted.settings === undefined
          ? {}
          : { settings: merge(before.settings, wanted.settings) as Prisma.InputJsonObject }),
        updatedAt: toStored(change.now),
      },
    })
    const after = fromRow(row)
    const rows = await followFeature(transaction, before, after, change.now)
    await recordAudit(transaction, change, {
      accountId: id,
      action: 'account.updated',
      subject: `account ${id}`,
      details: {
        ...wanted,
        ...(wanted.settings === undefined ? {} : { settings: withoutSecrets(wanted.settings) }),
        ...rows,
      },
    })
    return after
  })
}

/** The audit log and agents' tokens may see settings, not what webhooks are signed with, ours and those of others. */
export function withoutSecrets(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { webhook_secrets: _secrets, mail_webhook_secrets: _ofProviders, ...rest } = settings
  return rest
}

async function followFeature(
  transaction: Transaction,
  before: Account,
  after: Account,
  now: Micros,
): Promise<Readonly<Record<string, number>>> {
  if (hasDelayedAutomations(before) === hasDelayedAutomations(after)) return {}
  const configs = await readInstallationConfigs(transaction)
  const pauses = configs.DELAYED_AUTOMATIONS_WHEN_DISABLED === 'pause'
  if (hasDelayedAutomations(after) && pauses)
    return { rows_retimed: await retimeOverdueRowsOfAccount(transaction, after.id, now) }
  // Where the installation skips, nothing that was kept by an earlier pause may come back either.
  return pauses ? {} : { rows_skipped: await skipDelayedRowsOfAccount(transaction, after.id, now) }
}

function merge(
  settings: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...settings, ...wanted }).filter(([, value]) => value !== null && value !== undefined),
  )
}

function fromRow(row: AccountRow): Account {
  return {
    id: Number(row.id),
    name: row.name,
    features: row.features,
    settings: row.settings as Readonly<Record<string, unknown>>,
    createdAt: fromDate(row.createdAt),
    updatedAt: fromDate(row.updatedAt),
  }
}
