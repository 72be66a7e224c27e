import type { Request } from 'express'
import type { Dependencies } from '../dependencies'
import { unauthorized } from '../http/problem'
import type { Principal } from '../principal'
import { principalOfToken } from '../sessions/principals'
import { refuseForeignChange } from '../sessions/same-origin'
import { principalOfSession } from '../sessions/session'

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i

/**
 * Who asks: by a token in `Authorization`, else by the session of a browser, whose changes must come from our own pages.
 * Throws 401 for a missing, malformed or unknown token and for a session that is over, 403 for a foreign change.
 */
export async function authenticate(request: Request, deps: Dependencies): Promise<Principal> {
  const { authorization } = request.headers
  if (authorization === undefined) {
    const principal = await principalOfSession(request, deps)
    if (principal === null) throw unauthorized()
    refuseForeignChange(request)
    return principal
  }
  const token = BEARER.exec(authorization)?.[1]
  const principal = token === undefined ? null : await principalOfToken(token, deps)
  if (principal === null) throw unauthorized()
  return principal
}
