import { createHash, timingSafeEqual } from 'node:crypto'
import { type AccountToken, findAccountToken } from '@dwell/database/account-tokens'
import type { Dependencies } from '../dependencies'
import type { Principal } from '../principal'

/** Whom a token speaks for; null when it is not known. */
export async function principalOfToken(
  token: string,
  deps: Pick<Dependencies, 'config' | 'pool'>,
): Promise<Principal | null> {
  if (isSameSecret(token, deps.config.adminToken)) return { kind: 'admin' }
  const found = await findAccountToken(deps.pool, token)
  return found === null ? null : principalOfAccount(found)
}

export function principalOfAccount({ id: tokenId, accountId, name, role }: AccountToken): Principal {
  return { kind: 'account', tokenId, accountId, name, role }
}

/** Takes the same time wherever the two differ, also in length. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
