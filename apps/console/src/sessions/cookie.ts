import type { Request, Response } from 'express'

const NAME = 'dwell_session'
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** The secret of the session that came with a request. */
export function secretIn(request: Request): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2)
    if (name === NAME && SECRET.test(value)) return value
  }
  return null
}

/** Scripts cannot read it, other sites cannot use it; behind TLS it never goes over a plain connection. */
export function setSessionCookie(request: Request, response: Response, secret: string, lifetimeMs: number): void {
  response.cookie(NAME, secret, { ...attributesFor(request), maxAge: lifetimeMs })
}

export function clearSessionCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, attributesFor(request))
}

function attributesFor(request: Request) {
  const secure = request.secure || request.get('x-forwarded-proto') === 'https'
  return { httpOnly: true, sameSite: 'strict', secure, path: '/' } as const
}
