import { createHealthHandler, type Health } from '@dwell/runtime/health'
import type { Metrics } from '@dwell/runtime/metrics'
import { NO_TRACING, type Tracing } from '@dwell/runtime/tracing'
import express, { type Express, type Router } from 'express'
import type { Dependencies } from './dependencies'
import { endpoints } from './endpoints'
import { createMailRouter } from './mail/router'
import { createProviderWebhookRouter } from './mail/webhook-router'
import { answerNotFound, answerProblem } from './middleware/problem'
import { requestId } from './middleware/request-id'
import { createRequestMetrics } from './middleware/request-metrics'
import { securityHeaders } from './middleware/security-headers'
import { createDocsRouter, createWebRouter } from './pages/router'
import { createApiRouter } from './router'

/** Everything that the console answers over HTTP. `board` is what stands below `/admin`. */
export function createApp(
  deps: Dependencies,
  around: { readonly health: Health; readonly metrics: Metrics; readonly board: Router; readonly tracing?: Tracing },
): Express {
  const app = express()
  const observe = createRequestMetrics(around.metrics, around.tracing ?? NO_TRACING)
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.use(createHealthHandler(around.health, around.metrics))
  app.use(requestId, observe.middleware, securityHeaders)
  app.use('/api/v1', createApiRouter(endpoints, deps, observe))
  app.use('/admin', around.board)
  app.use(createMailRouter(deps, observe))
  app.use(createProviderWebhookRouter(deps, observe))
  app.use(createDocsRouter())
  app.use(createWebRouter())
  app.use(answerNotFound)
  app.use(answerProblem(deps.logger))
  return app
}
