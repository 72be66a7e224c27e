import { Router } from 'express'
import type { Dependencies } from './dependencies'
import type { Endpoint } from './endpoint'
import { Problem } from './http/problem'
import type { ObserveRequest } from './middleware/request-metrics'

/** Routes the endpoints; what a path does not offer answers 405 with what it does. */
export function createApiRouter(endpoints: readonly Endpoint[], deps: Dependencies, observe: ObserveRequest): Router {
  const router = Router({ caseSensitive: true })
  const byPath = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint])
  for (const [path, offered] of byPath) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'))
    route.all((_request, response, next) => {
      observe.as(response, path)
      response.set('cache-control', 'no-store')
      next()
    })
    for (const endpoint of offered) {
      const method = endpoint.method.toLowerCase() as Lowercase<typeof endpoint.method>
      route[method](async (request, response) => {
        const body = await endpoint.run(request, response, deps)
        response.status(endpoint.answer.status)
        if (body === undefined) response.end()
        else response.json(body)
      })
    }
    const allowed = [...offered.map((endpoint) => endpoint.method), 'OPTIONS'].join(', ')
    route.options((_request, response) => {
      response.set('allow', allowed).status(204).end()
    })
    route.all(() => {
      throw new Problem(405, 'method_not_allowed', `Only ${allowed} here.`, { headers: { allow: allowed } })
    })
  }
  return router
}
