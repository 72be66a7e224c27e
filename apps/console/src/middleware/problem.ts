import { isNativeError } from 'node:util/types'
import type { Logger } from '@dwell/runtime/logger'
import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import { notFound, Problem, toDocument, unavailable } from '../http/problem'
import { requestIdOf } from './request-id'

/** Where no route answered. */
export const answerNotFound: RequestHandler = (_request, _response, next) => next(notFound())

/** The end of every request that failed: one problem document, never a stack trace. */
export function answerProblem(logger: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const problem = toProblem(error)
    if (problem.status >= 500) {
      const fields = { request_id: requestIdOf(response), method: request.method, code: problem.code }
      // One of our own says all there is to say; anything else is a fault that somebody has to find.
      if (error === problem) logger.warn('request could not be served', { event: 'request.unserved', ...fields })
      else logger.error('request failed', { event: 'request.failed', ...fields, error })
    }
    if (response.headersSent) {
      response.destroy()
      return
    }
    sendProblem(response, problem, request.originalUrl)
  }
}

export function sendProblem(response: Response, problem: Problem, url: string): void {
  const path = url.split('?', 1)[0] ?? url
  response
    .status(problem.status)
    .set(problem.more.headers ?? {})
    .set('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(toDocument(problem, { path, id: requestIdOf(response) })))
}

/** Codes of pg, Prisma, ioredis and the network that mean: not now, but the same request may succeed later. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
  '40001',
  '40P01',
  '53300',
  '57014',
  '57P01',
  '57P02',
  '57P03',
])
const PASSING_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError'])

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  // Express throws it for an address whose percent-encoding is broken.
  if (error instanceof URIError) return new Problem(400, 'malformed_address', 'The address is not well formed.')
  if (isPassing(error)) return unavailable('A store that this needs does not answer at the moment.')
  return new Problem(500, 'internal', 'Something went wrong here. The log has more under the id of the request.')
}

function isPassing(error: unknown): boolean {
  // Errors of the network are of another realm where the code runs in one of its own, as in tests.
  if (!isNativeError(error)) return false
  if (codesOf(error).some((code) => PASSING.has(code)) || PASSING_NAMES.has(error.name)) return true
  if (/timeout exceeded when trying to connect|Command timed out|Connection is closed/i.test(error.message)) return true
  return isPassing(error.cause)
}

/** Its own code, and the one Postgres gave where Prisma wraps it. */
function codesOf(error: Error): string[] {
  const { code, meta } = error as {
    code?: unknown
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } }
  }
  return [code, meta?.driverAdapterError?.cause?.originalCode].filter((one) => typeof one === 'string')
}
