/** One fault of a refused request; `pointer` leads into the body that was sent. */
export interface Fault {
  readonly pointer: string
  readonly code: string
  readonly message: string
}

/** What went wrong with a request: an answer of the API (RFC 9457), or none at all (status 0). */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly status: number,
    readonly code: string,
    title: string,
    readonly faults: readonly Fault[] = [],
    /** Names the request in the log of the console. */
    readonly requestId: string | null = null,
  ) {
    super(title)
  }
}

export function problemOf(response: Response, body: unknown): Problem {
  const { title, detail, code, errors, request_id } = (typeof body === 'object' && body !== null ? body : {}) as {
    title?: unknown
    detail?: unknown
    code?: unknown
    errors?: unknown
    request_id?: unknown
  }
  const words = [detail, title].find((text) => typeof text === 'string' && text !== '')
  return new Problem(
    response.status,
    typeof code === 'string' ? code : `http_${response.status}`,
    typeof words === 'string' ? words : `The server answered ${response.status}.`,
    Array.isArray(errors) ? errors : [],
    typeof request_id === 'string' ? request_id : response.headers.get('x-request-id'),
  )
}

export function isProblem(error: unknown, status?: number): error is Problem {
  return error instanceof Problem && (status === undefined || error.status === status)
}
