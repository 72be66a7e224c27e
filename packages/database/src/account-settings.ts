import type { Queryable } from './pool'

/** The settings of an account as they are now; empty when it is gone. */
export async function accountSettings(db: Queryable, accountId: number): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await db.query<{ settings: Record<string, unknown> }>({
    name: 'account-settings',
    text: 'SELECT settings FROM accounts WHERE id = $1',
    values: [accountId],
  })
  return rows[0]?.settings ?? {}
}
