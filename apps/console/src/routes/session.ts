import { formatInstant } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { beginSessionBody, type SessionAnswer, sessionAnswer } from '@dwell/contracts/rest/sessions'
import type { Dependencies } from '../dependencies'
import type { Endpoint } from '../endpoint'
import { checked, readBody } from '../http/body'
import { Problem } from '../http/problem'
import { authenticate } from '../middleware/authenticate'
import type { Principal } from '../principal'
import { refuseForeignChange, refuseForeignPage } from '../sessions/same-origin'
import { principalOfSession, signIn, signOut } from '../sessions/session'

const tag = 'Session'
const body = checked(beginSessionBody)

/** For browsers: a token is shown once, from then on the cookie stands for it in every call that has no `Authorization`. */
export const sessionEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/session',
    operation: 'beginSession',
    tag,
    summary: 'Signs a browser in for eight hours. A cookie that scripts cannot read stands for the token from now on.',
    rights: 'anyone',
    body,
    answer: { status: 200, description: 'Who is signed in.', schema: payloadOf(sessionAnswer) },
    problems: {
      401: 'The token is not known.',
      403: 'It comes from a page of another site.',
      429: 'Too many unknown tokens; `Retry-After` says for how long.',
    },
    async run(request, response, deps) {
      refuseForeignPage(request)
      const { token } = body.read(await readBody(request, response, deps.config.maxBodyBytes), {})
      const principal = await signIn(token, request, response, deps)
      if (principal === null) throw new Problem(401, 'unknown_token', 'This token is not known.')
      return { payload: await viewSession(principal, deps) }
    },
  },
  {
    method: 'GET',
    path: '/session',
    operation: 'getSession',
    tag,
    summary: 'Who asks, by cookie or token.',
    rights: 'agent',
    answer: { status: 200, description: 'Who asks.', schema: payloadOf(sessionAnswer) },
    run: async (request, _response, deps) => ({ payload: await viewSession(await authenticate(request, deps), deps) }),
  },
  {
    method: 'DELETE',
    path: '/session',
    operation: 'endSession',
    tag,
    summary: 'Signs the browser out; its cookie is worth nothing from now on. Without a session nothing happens.',
    rights: 'anyone',
    answer: { status: 204, description: 'Nobody is signed in.' },
    problems: { 403: 'It does not come from the pages of this console.' },
    async run(request, response, deps) {
      if ((await principalOfSession(request, deps)) !== null) refuseForeignChange(request)
      await signOut(request, response, deps)
      return undefined
    },
  },
]

async function viewSession(principal: Principal, deps: Dependencies): Promise<SessionAnswer> {
  const admin = principal.kind === 'admin'
  return {
    role: admin ? 'admin' : principal.role,
    name: admin ? 'admin' : principal.name,
    account_id: admin ? null : principal.accountId,
    now: formatInstant(await deps.clock.now()),
    test_clock: deps.config.testClock,
  }
}
