import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi'
import { Problem, problemOf } from './problem'

/** The REST API, typed by docs/openapi.json. The session's cookie goes along by itself. */
export const api = createClient<paths>({ baseUrl: '/api/v1' })

/**
 * What a request answers; a `Problem` is thrown where it answers no 2xx, or nothing.
 * Usage: `await answerOf(api.GET('/accounts/{account_id}', { params: { path: { account_id: 1 } } }))`.
 */
export async function answerOf<T>(
  request: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<T> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new Problem(0, 'unreachable', 'The server cannot be reached.')
  })
  if (!response.ok) throw problemOf(response, error)
  return data as T
}
