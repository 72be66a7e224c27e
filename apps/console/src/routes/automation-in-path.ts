import type { Account } from '@dwell/database/accounts'
import { hasAutomation } from '@dwell/database/automations/automation-existence'
import type { StatisticsSource } from '@dwell/database/automations/snapshot'
import { uuidOf } from '@dwell/domain/automations/body'
import type { Dependencies } from '../dependencies'

interface Named {
  readonly deps: Dependencies
  readonly account: Account
  readonly params: Readonly<Record<string, string>>
}

/** The id of the automation that the path names; null where the account has none of this id. */
export async function automationInPath({ deps, account, params }: Named): Promise<{ readonly id: string } | null> {
  const id = uuidOf(params.id)
  return id !== null && (await hasAutomation(deps.pool, account.id, id)) ? { id } : null
}

export function statisticsOf({ statisticsPool }: Dependencies): StatisticsSource {
  return { pool: statisticsPool }
}
