import type { Metrics } from '@dwell/runtime/metrics'
import type { RequestHandler, Response } from 'express'

export interface ObserveRequest {
  readonly middleware: RequestHandler
  /** Names the route that answers: its pattern, never the address that was asked for. */
  as(response: Response, route: string): void
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120] as const

/** Times every request by route and class of status. */
export function createRequestMetrics(metrics: Metrics): ObserveRequest {
  const histogram = metrics.histogram('dwell_http_request_duration_seconds', 'Time that requests took.', {
    buckets: BUCKETS,
    labels: ['route', 'status'],
  })
  const routes = new WeakMap<Response, string>()
  return {
    middleware: (_request, response, next) => {
      const began = performance.now()
      response.once('close', () => {
        const route = routes.get(response) ?? 'other'
        const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted'
        histogram.observe({ route, status }, (performance.now() - began) / 1_000)
      })
      next()
    },
    as: (response, route) => routes.set(response, route),
  }
}
