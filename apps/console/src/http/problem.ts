import { STATUS_CODES } from 'node:http'
import type { ProblemDocument } from '@dwell/contracts/rest/problem'
import type { Fault } from '@dwell/contracts/rule'

/** An answer that is no success. Whatever else is thrown becomes a 500 that says nothing about the inside. */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly status: number,
    /** Stable; for programs. */
    readonly code: string,
    readonly detail: string,
    readonly more: { readonly errors?: readonly Fault[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail)
  }
}

export const unauthorized = (): Problem =>
  new Problem(401, 'unauthorized', 'A valid token is needed: Authorization: Bearer <token>.', {
    headers: { 'www-authenticate': 'Bearer realm="dwell"' },
  })

export const forbidden = (detail: string): Problem => new Problem(403, 'forbidden', detail)

/** Also for what exists but belongs to somebody else. */
export const notFound = (what = 'There is nothing at this address.'): Problem => new Problem(404, 'not_found', what)

export const invalid = (errors: readonly Fault[]): Problem =>
  new Problem(
    422,
    'invalid',
    errors.length === 1 ? 'The request has a fault.' : `The request has ${errors.length} faults.`,
    {
      errors,
    },
  )

export const unavailable = (detail: string): Problem =>
  new Problem(503, 'unavailable', detail, { headers: { 'retry-after': '5' } })

/** RFC 9457, for one request. */
export function toDocument(problem: Problem, request: { readonly path: string; readonly id: string }): ProblemDocument {
  return {
    type: `urn:dwell:problem:${problem.code}`,
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.detail,
    instance: request.path,
    code: problem.code,
    request_id: request.id,
    errors: [...(problem.more.errors ?? [])],
  }
}
