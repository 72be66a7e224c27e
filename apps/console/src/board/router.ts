import { findExecution } from '@dwell/database/executions'
import { type Request, type RequestHandler, Router, urlencoded } from 'express'
import type { Dependencies } from '../dependencies'
import { idIn } from '../endpoint'
import { notFound, unauthorized } from '../http/problem'
import { boardSecurityHeaders } from '../middleware/security-headers'
import { viewExecution } from '../routes/execution-view'
import { isSameSecret } from '../sessions/principals'
import { refuseForeignChange } from '../sessions/same-origin'
import { principalOfSession, signIn, signOut } from '../sessions/session'
import { type BoardQueue, createBoard } from './board'
import { executionPage } from './execution-page'
import { signInPage } from './sign-in-page'

const MAX_FORM_BYTES = 4_096

/** Everything below `/admin`: sign-in by a plain form, the queues, and the rows that their jobs speak of. */
export function createAdminRouter(queues: readonly BoardQueue[], deps: Dependencies): Router {
  const router = Router()
  router.use((request, response, next) => {
    response.set('cache-control', 'no-store')
    refuseForeignChange(request)
    next()
  })
  router.get('/session', async (request, response) => {
    if (await isAdmin(request, deps)) response.redirect(303, '/admin/queues')
    else response.type('html').send(signInPage())
  })
  router.post('/session', urlencoded({ extended: false, limit: MAX_FORM_BYTES }), acceptForm(deps))
  router.post('/session/end', async (request, response) => {
    await signOut(request, response, deps)
    response.redirect(303, '/admin/session')
  })
  router.use(requireAdmin(deps))
  router.get('/executions/:account_id/:id', async (request, response) => {
    const params = request.params as Readonly<Record<string, string>>
    const execution = await findExecution(deps.pool, idIn(params, 'account_id'), idIn(params))
    if (execution === null) throw notFound()
    response.type('html').send(executionPage(viewExecution(execution)))
  })
  router.use('/queues', boardSecurityHeaders, createBoard(queues, deps))
  return router
}

function acceptForm(deps: Dependencies): RequestHandler {
  return async (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown }
    // Another token would sign in, and still not open the queues.
    const wanted = typeof token === 'string' && isSameSecret(token, deps.config.adminToken) ? token : ''
    if ((await signIn(wanted, request, response, deps)) !== null) response.redirect(303, '/admin/queues')
    else response.status(401).type('html').send(signInPage('This is not the admin token of this installation.'))
  }
}

async function isAdmin(request: Request, deps: Dependencies): Promise<boolean> {
  return (await principalOfSession(request, deps))?.kind === 'admin'
}

/** A browser is sent to the form; a script of the board, whose session ended, is told. */
function requireAdmin(deps: Dependencies): RequestHandler {
  return async (request, response, next) => {
    if (await isAdmin(request, deps)) next()
    else if (request.method === 'GET' && request.accepts(['json', 'html']) === 'html')
      response.redirect(302, '/admin/session')
    else next(unauthorized())
  }
}
