import { shown } from './matching'

const REQUEST_LIMIT_MS = 120_000

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: unknown
}

export interface RequestOptions {
  readonly headers?: Record<string, string>
  /** The admin token unless given; null sends none. */
  readonly token?: string | null
}

/** The REST interface of a running product. Paths begin below `/api/v1`. */
export class Api {
  constructor(
    private readonly url: string,
    private readonly adminToken: string,
  ) {}

  async request(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const token = options.token === undefined ? this.adminToken : options.token
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: parsed(await response.text()),
    }
  }

  /** For what the player itself needs: any other answer than a 2xx is an error. */
  async must(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.request(method, path, body)
    if (answer.status >= 200 && answer.status < 300) return answer.body
    throw new Error(`${method} ${path} answered ${answer.status}: ${shown(answer.body)}`)
  }

  /** All executions of an account, page by page. */
  async executions(accountId: unknown): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = []
    for (let cursor: unknown; ; ) {
      const query = typeof cursor === 'string' ? `?cursor=${encodeURIComponent(cursor)}` : ''
      const page = (await this.must('GET', `/accounts/${accountId}/executions${query}`)) as {
        payload?: Record<string, unknown>[]
        meta?: { next_cursor?: unknown }
      }
      found.push(...(page.payload ?? []))
      cursor = page.meta?.next_cursor
      if (cursor === null || cursor === undefined) return found
    }
  }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
