import type { Micros } from '@dwell/contracts/instant'
import type { CreateCustomAttributeBody } from '@dwell/contracts/rest/custom-attribute-definitions'
import type { CustomAttributeDefinition } from '@dwell/contracts/rule'
import { lockAccountForChange } from './accounts'
import { recordAudit } from './audit-log'
import type { Change } from './change'
import { type CustomAttributeDefinition as DefinitionRow, Prisma } from './generated/client'
import { type Page, type Paged, pageArguments, paged } from './page'
import type { Database } from './prisma-client'
import { fromDate, toStored } from './stored-instant'
import { type DatabaseOrTransaction, isUniqueViolation, transact } from './transaction'

export interface StoredCustomAttribute extends CustomAttributeDefinition {
  readonly id: number
  readonly attribute_display_name: string
  readonly attribute_values: readonly string[] | null
  readonly createdAt: Micros
}

/** All of an account's definitions, for checking and compiling rules. */
export async function customAttributesOf(
  db: DatabaseOrTransaction,
  accountId: number,
): Promise<readonly CustomAttributeDefinition[]> {
  const rows = await db.customAttributeDefinition.findMany({ where: { accountId }, orderBy: { id: 'asc' } })
  return rows.map(fromRow)
}

export async function listCustomAttributes(
  db: DatabaseOrTransaction,
  accountId: number,
  page: Page,
): Promise<Paged<StoredCustomAttribute>> {
  const { where, ...order } = pageArguments(page)
  const rows = await db.customAttributeDefinition.findMany({ where: { ...where, accountId }, ...order })
  return paged(rows.map(fromRow), page)
}

/** Rules that ask about it heal with the next event. `taken` when the account has one of that key and model. */
export async function createCustomAttribute(
  database: Database,
  accountId: number,
  input: CreateCustomAttributeBody,
  change: Change,
): Promise<StoredCustomAttribute | 'taken' | 'account_gone'> {
  try {
    return await transact(database, async (transaction) => {
      if ((await lockAccountForChange(transaction, accountId)) === null) return 'account_gone'
      const row = await transaction.customAttributeDefinition.create({
        data: {
          accountId,
          attributeKey: input.attribute_key,
          attributeDisplayName: input.attribute_display_name,
          attributeDisplayType: input.attribute_display_type,
          attributeModel: input.attribute_model,
          attributeValues: input.attribute_values?.length ? input.attribute_values : Prisma.DbNull,
          createdAt: toStored(change.now),
        },
      })
      const created = fromRow(row)
      await recordAudit(transaction, change, {
        accountId,
        action: 'custom_attribute_definition.created',
        subject: `custom_attribute_definition ${created.id}`,
        details: { ...input },
      })
      return created
    })
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken'
    throw error
  }
}

/** Whether the account has a definition of this id. */
export async function hasCustomAttribute(db: DatabaseOrTransaction, accountId: number, id: number): Promise<boolean> {
  return (await db.customAttributeDefinition.count({ where: { id, accountId } })) > 0
}

/** Rules that ask about it are broken from the next event on. Answers false when the account has none of this id. */
export function deleteCustomAttribute(
  database: Database,
  accountId: number,
  id: number,
  change: Change,
): Promise<boolean> {
  return transact(database, async (transaction) => {
    if ((await lockAccountForChange(transaction, accountId)) === null) return false
    const [row] = await transaction.customAttributeDefinition.findMany({ where: { id, accountId } })
    if (row === undefined) return false
    await transaction.customAttributeDefinition.deleteMany({ where: { id, accountId } })
    await recordAudit(transaction, change, {
      accountId,
      action: 'custom_attribute_definition.deleted',
      subject: `custom_attribute_definition ${id}`,
      details: { attribute_key: row.attributeKey, attribute_model: row.attributeModel },
    })
    return true
  })
}

function fromRow(row: DefinitionRow): StoredCustomAttribute {
  return {
    id: Number(row.id),
    attribute_key: row.attributeKey,
    attribute_display_name: row.attributeDisplayName,
    attribute_display_type: row.attributeDisplayType as CustomAttributeDefinition['attribute_display_type'],
    attribute_model: row.attributeModel as CustomAttributeDefinition['attribute_model'],
    attribute_values: row.attributeValues as readonly string[] | null,
    createdAt: fromDate(row.createdAt),
  }
}
