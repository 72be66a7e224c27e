import { useQuery } from '@tanstack/react-query'
import { accountsQuery } from '../api/accounts'
import { useRights, useSession } from '../api/session'

const KEY = 'dwell:account'

/** Which account to come back to from what belongs to the whole installation. An id is no secret. */
export function rememberAccount(accountId: number): void {
  sessionStorage.setItem(KEY, String(accountId))
}

function rememberedAccount(): number | null {
  const id = Number(sessionStorage.getItem(KEY))
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** The account that views beside those of the installation are about: that of the address, the last one, else the first. */
export function useAccountInView(inAddress: number | undefined): number | null {
  const { account_id: own } = useSession()
  const { isAdmin } = useRights()
  const known = inAddress ?? own ?? rememberedAccount()
  const { data: accounts = [] } = useQuery({ ...accountsQuery, enabled: isAdmin && known === null })
  return known ?? (accounts.length === 0 ? null : Math.min(...accounts.map(({ id }) => id)))
}
