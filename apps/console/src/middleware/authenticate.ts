import { createHash, timingSafeEqual } from 'node:crypto'
import { findAccountToken } from '@dwell/database/account-tokens'
import type { Dependencies } from '../dependencies'
import { unauthorized } from '../http/problem'
import type { Principal } from '../principal'

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i

/** Throws 401 for a missing, malformed or unknown token. */
export async function authenticate(
  authorization: string | undefined,
  deps: Pick<Dependencies, 'config' | 'database'>,
): Promise<Principal> {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized()
  if (isSameSecret(token, deps.config.adminToken)) return { kind: 'admin' }
  const found = await findAccountToken(deps.database, token)
  if (found === null) throw unauthorized()
  const { id: tokenId, accountId, name, role } = found
  return { kind: 'account', tokenId, accountId, name, role }
}

/** Takes the same time wherever the two differ, also in length. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
