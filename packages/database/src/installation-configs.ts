import type { Micros } from '@dwell/contracts/instant'
import { INSTALLATION_CONFIG_DEFAULTS, type InstallationConfigName } from '@dwell/contracts/pending-execution'
import {
  castInstallationConfigs,
  INSTALLATION_CONFIG_NAMES,
  type InstallationConfigs,
} from '@dwell/contracts/rest/installation-configs'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import type { Database } from './prisma-client'
import { fromDate, toStored } from './stored-instant'
import { type DatabaseOrTransaction, transact } from './transaction'

export interface StoredInstallationConfig {
  readonly name: InstallationConfigName
  /** As it was given; the default where nothing is stored. */
  readonly value: boolean | number | string
  readonly default: boolean | number | string
  readonly updatedAt: Micros | null
}

/** All settings as they are meant. */
export async function readInstallationConfigs(db: DatabaseOrTransaction): Promise<InstallationConfigs> {
  const rows = await db.installationConfig.findMany()
  return castInstallationConfigs(Object.fromEntries(rows.map((row) => [row.name, row.value])))
}

/** Every known setting, in the order of their names. */
export async function listInstallationConfigs(db: DatabaseOrTransaction): Promise<StoredInstallationConfig[]> {
  const rows = new Map((await db.installationConfig.findMany()).map((row) => [row.name, row]))
  return [...INSTALLATION_CONFIG_NAMES].sort().map((name) => {
    const row = rows.get(name)
    return {
      name,
      value: (row?.value ?? INSTALLATION_CONFIG_DEFAULTS[name]) as StoredInstallationConfig['value'],
      default: INSTALLATION_CONFIG_DEFAULTS[name],
      updatedAt: row === undefined ? null : fromDate(row.updatedAt),
    }
  })
}

export async function findInstallationConfig(
  db: DatabaseOrTransaction,
  name: InstallationConfigName,
): Promise<StoredInstallationConfig> {
  const row = await db.installationConfig.findUnique({ where: { name } })
  return {
    name,
    value: (row?.value ?? INSTALLATION_CONFIG_DEFAULTS[name]) as StoredInstallationConfig['value'],
    default: INSTALLATION_CONFIG_DEFAULTS[name],
    updatedAt: row === null ? null : fromDate(row.updatedAt),
  }
}

/** Stores a value as given; whoever reads it casts it. */
export function storeInstallationConfig(
  database: Database,
  name: InstallationConfigName,
  value: boolean | number | string,
  change: Change,
): Promise<StoredInstallationConfig> {
  return transact(database, async (transaction) => {
    const before = await findInstallationConfig(transaction, name)
    const updatedAt = toStored(change.now)
    await transaction.installationConfig.upsert({
      where: { name },
      create: { name, value, updatedAt },
      update: { value, updatedAt },
    })
    await recordAudit(transaction, change, {
      accountId: null,
      action: 'installation_config.updated',
      subject: `installation_config ${name}`,
      details: { from: before.value, to: value },
    })
    return findInstallationConfig(transaction, name)
  })
}
