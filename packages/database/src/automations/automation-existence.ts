import type { Queryable } from '../pool'

const EXISTS = 'SELECT FROM automations WHERE id = $2 AND account_id = $1'

/** Whether the account has this automation. Loads nothing of it. */
export async function hasAutomation(db: Queryable, accountId: number, id: string): Promise<boolean> {
  const { rowCount } = await db.query({ name: 'automation-exists', text: EXISTS, values: [accountId, id] })
  return rowCount === 1
}
