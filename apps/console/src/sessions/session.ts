import { createHash, createHmac, randomBytes } from 'node:crypto'
import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { beginSession, endSession, findSession, type SessionOwner } from '@dwell/database/sessions'
import type { Request, Response } from 'express'
import type { Dependencies } from '../dependencies'
import { Problem } from '../http/problem'
import { actorOf, type Principal } from '../principal'
import { clearSessionCookie, secretIn, setSessionCookie } from './cookie'
import { isSameSecret, principalOfAccount, principalOfToken } from './principals'

const LIFETIME_MS = 8 * 3_600_000
const SECRET_BYTES = 32

/**
 * Begins a session for whoever shows a token: an opaque cookie, of which only a digest is kept. Answers whom it speaks for;
 * null when the token is not known. Throws 429 after too many that were not.
 */
export async function signIn(
  token: string,
  request: Request,
  response: Response,
  deps: Dependencies,
): Promise<Principal | null> {
  const caller = request.socket.remoteAddress ?? ''
  refuseGuessing(deps.signIns.waitFor(caller))
  const principal = await principalOfToken(token, deps)
  if (principal === null) {
    deps.signIns.failed(caller)
    return null
  }
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const startsAt = realNow()
  const begun = await beginSession(
    deps.database,
    {
      digest: digestOf(secret),
      owner: ownerOf(principal, secret, deps),
      startsAt,
      expiresAt: (startsAt + LIFETIME_MS * MICROS_PER_MILLISECOND) as Micros,
    },
    { actor: actorOf(principal), now: await deps.clock.now() },
  )
  if (!begun) return null
  const former = secretIn(request)
  if (former !== null) await endSession(deps.database, digestOf(former))
  setSessionCookie(request, response, secret, LIFETIME_MS)
  return principal
}

/** Whom the session that comes with a request speaks for; null without one, or when it or its token is no more. */
export async function principalOfSession(
  request: Request,
  deps: Pick<Dependencies, 'config' | 'database'>,
): Promise<Principal | null> {
  const secret = secretIn(request)
  if (secret === null) return null
  const session = await findSession(deps.database, digestOf(secret), realNow())
  if (session === null) return null
  if ('accountToken' in session) return principalOfAccount(session.accountToken)
  return isSameSecret(session.adminProof, adminProof(secret, deps)) ? { kind: 'admin' } : null
}

/** Ends the session for good, not only in this browser. */
export async function signOut(request: Request, response: Response, deps: Dependencies): Promise<void> {
  const secret = secretIn(request)
  if (secret !== null) await endSession(deps.database, digestOf(secret))
  clearSessionCookie(request, response)
}

function ownerOf(principal: Principal, secret: string, deps: Pick<Dependencies, 'config'>): SessionOwner {
  if (principal.kind === 'admin') return { adminProof: adminProof(secret, deps) }
  return { accountToken: { id: principal.tokenId, accountId: principal.accountId } }
}

/** Under the cookie, which is kept nowhere: who reads the database cannot guess the admin token by it, nor who has a cookie. */
function adminProof(secret: string, { config }: Pick<Dependencies, 'config'>): string {
  return createHmac('sha256', secret).update(config.adminToken).digest('hex')
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** A browser's cookie lives by the real clock, also where a test sets that of the product. */
function realNow(): Micros {
  return (Date.now() * MICROS_PER_MILLISECOND) as Micros
}

function refuseGuessing(seconds: number): void {
  if (seconds === 0) return
  throw new Problem(429, 'too_many_attempts', `Too many unknown tokens. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
