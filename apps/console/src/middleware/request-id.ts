import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'

const HEADER = 'x-request-id'
const HARMLESS = /^[\w.:-]{1,100}$/

/** Every answer names its request; a caller's own name for it is kept. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get(HEADER)
  response.setHeader(HEADER, given !== undefined && HARMLESS.test(given) ? given : randomUUID())
  next()
}

export function requestIdOf(response: { getHeader(name: string): unknown }): string {
  return String(response.getHeader(HEADER) ?? '')
}
