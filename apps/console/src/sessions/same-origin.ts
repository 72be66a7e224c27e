import type { Request } from 'express'
import { forbidden } from '../http/problem'

const READING = ['GET', 'HEAD', 'OPTIONS']

/**
 * A cookie goes with a request whoever caused it; a change must come from our own pages. Browsers say where it comes
 * from in `Origin`, on every request that is not a plain reading. Throws 403.
 */
export function refuseForeignChange(request: Request): void {
  if (READING.includes(request.method) || originOf(request) === 'own') return
  throw forbidden('A change must come from the pages of this console.')
}

/** For what needs no cookie, such as signing in: programs that are no browser say nothing of where they come from. */
export function refuseForeignPage(request: Request): void {
  if (originOf(request) === 'foreign') throw forbidden('This must come from the pages of this console.')
}

function originOf(request: Request): 'own' | 'foreign' | 'unsaid' {
  const origin = request.get('origin')
  const site = request.get('sec-fetch-site')
  if (origin === undefined) return site === undefined ? 'unsaid' : site === 'same-origin' ? 'own' : 'foreign'
  if (!URL.canParse(origin)) return 'foreign'
  // Behind a proxy the host that the browser knows is the forwarded one; no foreign page can set that header.
  const hosts = [request.get('host'), request.get('x-forwarded-host')]
  return hosts.includes(new URL(origin).host) ? 'own' : 'foreign'
}
