import type { Metrics } from '@dwell/runtime/metrics'
import type { Tracing } from '@dwell/runtime/tracing'
import type { RequestHandler, Response } from 'express'

export interface ObserveRequest {
  readonly middleware: RequestHandler
  /** Names the route that answers: its pattern, never the address that was asked for. */
  as(response: Response, route: string): void
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120] as const

/** Times and traces every request by route and status. */
export function createRequestMetrics(metrics: Metrics, tracing: Tracing): ObserveRequest {
  const histogram = metrics.histogram('dwell_http_request_duration_seconds', 'Time that requests took.', {
    buckets: BUCKETS,
    labels: ['route', 'status'],
  })
  const routes = new WeakMap<Response, string>()
  return {
    middleware: (request, response, next) => {
      const began = performance.now()
      const span = tracing.begin(request.method, { kind: 'server', parent: request.get('traceparent') })
      response.once('close', () => {
        const route = routes.get(response) ?? 'other'
        const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted'
        span.set({
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
        })
        if (response.statusCode >= 500) span.fail(status)
        span.end()
        histogram.observe({ route, status }, (performance.now() - began) / 1_000)
      })
      next()
    },
    as: (response, route) => routes.set(response, route),
  }
}
