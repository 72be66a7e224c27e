import type { Request, RequestHandler } from 'express'
import { forbidden } from '../http/problem'

/**
 * A cookie goes with a request whoever caused it; a change must come from our own pages. Browsers say where it comes
 * from in `Origin`, on every request that is not a plain reading.
 */
export const refuseForeignChanges: RequestHandler = (request, _response, next) => {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method) || isOwn(request)) next()
  else next(forbidden('A change must come from the pages of this console.'))
}

function isOwn(request: Request): boolean {
  const origin = request.get('origin')
  if (origin === undefined) return request.get('sec-fetch-site') === 'same-origin'
  if (!URL.canParse(origin)) return false
  // Behind a proxy the host that the browser knows is the forwarded one; no foreign page can set that header.
  return [request.get('host'), request.get('x-forwarded-host')].includes(new URL(origin).host)
}
