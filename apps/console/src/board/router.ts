import { recordAudit } from '@dwell/database/audit-log'
import { findExecution } from '@dwell/database/executions'
import { type RequestHandler, Router, urlencoded } from 'express'
import type { Dependencies } from '../dependencies'
import { idIn } from '../endpoint'
import { notFound, unauthorized } from '../http/problem'
import { isSameSecret } from '../middleware/authenticate'
import { boardSecurityHeaders } from '../middleware/security-headers'
import { viewExecution } from '../routes/execution-view'
import { type BoardQueue, createBoard } from './board'
import { executionPage } from './execution-page'
import { refuseForeignChanges } from './same-origin'
import { createSessions, type Sessions } from './session'
import { signInPage } from './sign-in-page'

const MAX_FORM_BYTES = 4_096

/** Everything below `/admin`: sign-in, the queues, and the rows that their jobs speak of. */
export function createAdminRouter(queues: readonly BoardQueue[], deps: Dependencies): Router {
  const sessions = createSessions(deps.config.adminToken)
  const router = Router()
  router.use((_request, response, next) => {
    response.set('cache-control', 'no-store')
    next()
  })
  router.use(sessions.middleware, refuseForeignChanges)
  router.get('/session', (request, response) => {
    if (sessions.isSignedIn(request)) response.redirect(303, '/admin/queues')
    else response.type('html').send(signInPage())
  })
  router.post('/session', urlencoded({ extended: false, limit: MAX_FORM_BYTES }), signIn(sessions, deps))
  router.post('/session/end', (_request, response) => {
    sessions.end(response)
    response.redirect(303, '/admin/session')
  })
  router.use(requireSession(sessions))
  router.get('/executions/:account_id/:id', async (request, response) => {
    const params = request.params as Readonly<Record<string, string>>
    const execution = await findExecution(deps.pool, idIn(params, 'account_id'), idIn(params))
    if (execution === null) throw notFound()
    response.type('html').send(executionPage(viewExecution(execution)))
  })
  router.use('/queues', boardSecurityHeaders, createBoard(queues, deps))
  return router
}

function signIn(sessions: Sessions, deps: Dependencies): RequestHandler {
  return async (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown }
    if (typeof token !== 'string' || !isSameSecret(token, deps.config.adminToken)) {
      response.status(401).type('html').send(signInPage('This is not the admin token of this installation.'))
      return
    }
    const change = { actor: 'admin (board)', now: await deps.clock.now() }
    await recordAudit(deps.database, change, { accountId: null, action: 'board.signed_in', subject: 'board' })
    sessions.begin(request, response)
    response.redirect(303, '/admin/queues')
  }
}

/** A browser is sent to the form; a script of the board, whose session ended, is told. */
function requireSession(sessions: Sessions): RequestHandler {
  return (request, response, next) => {
    if (sessions.isSignedIn(request)) next()
    else if (request.method === 'GET' && request.accepts(['json', 'html']) === 'html')
      response.redirect(302, '/admin/session')
    else next(unauthorized())
  }
}
