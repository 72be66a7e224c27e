import type { AddressInfo } from 'node:net'
import { createMetrics } from '@dwell/runtime/metrics'
import { NO_TRACING, type SpanOptions, type Tracing } from '@dwell/runtime/tracing'
import express from 'express'
import { createRequestMetrics } from './request-metrics'

test('a request is a span below that of its caller, named by its route and never by its address', async () => {
  const seen: {
    name?: string
    options?: SpanOptions | undefined
    attributes?: object
    failed?: unknown
    ended?: boolean
  } = {}
  const tracing: Tracing = {
    ...NO_TRACING,
    begin(name, options) {
      Object.assign(seen, { name, options })
      return {
        traceparent: null,
        link: () => undefined,
        set: (attributes) => Object.assign(seen, { attributes }),
        fail: (failed) => Object.assign(seen, { failed }),
        end: () => Object.assign(seen, { ended: true }),
      }
    },
  }
  const observe = createRequestMetrics(createMetrics(), tracing)
  const app = express()
  app.use(observe.middleware)
  app.get('/things/:id', (_request, response) => {
    observe.as(response, '/things/{id}')
    response.status(503).end()
  })
  const server = app.listen(0, '127.0.0.1')
  try {
    await new Promise((ready) => server.once('listening', ready))
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things/7?secret=1`
    await fetch(address, { headers: { traceparent: parent } })
    expect(seen).toEqual({
      name: 'GET',
      options: { kind: 'server', parent },
      attributes: { 'http.request.method': 'GET', 'http.route': '/things/{id}', 'http.response.status_code': 503 },
      failed: '5xx',
      ended: true,
    })
  } finally {
    await new Promise((closed) => server.close(closed))
  }
})
