import { createHmac } from 'node:crypto'
import cookieParser from 'cookie-parser'
import type { Request, RequestHandler, Response } from 'express'

const COOKIE = 'dwell_session'
const PATH = '/admin'
const LIFETIME_MS = 8 * 3_600_000

/** A bearer token does not survive navigation: whoever showed the admin token once gets a signed cookie for some hours. */
export interface Sessions {
  readonly middleware: RequestHandler
  isSignedIn(request: Request): boolean
  begin(request: Request, response: Response): void
  end(response: Response): void
}

/** Signed with a key out of the admin token: changing the token ends every session. */
export function createSessions(adminToken: string, now: () => number = Date.now): Sessions {
  const key = createHmac('sha256', adminToken).update('dwell board session').digest('base64url')
  return {
    middleware: cookieParser(key),
    isSignedIn(request) {
      const expires = Number((request.signedCookies as Record<string, unknown>)[COOKIE])
      return Number.isSafeInteger(expires) && expires > now()
    },
    begin(request, response) {
      response.cookie(COOKIE, String(now() + LIFETIME_MS), {
        signed: true,
        httpOnly: true,
        sameSite: 'strict',
        secure: request.secure || request.get('x-forwarded-proto') === 'https',
        path: PATH,
        maxAge: LIFETIME_MS,
      })
    },
    end(response) {
      response.clearCookie(COOKIE, { path: PATH, httpOnly: true, sameSite: 'strict' })
    },
  }
}
