import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address'

/** Resolves a host name to all of its addresses; `dns.lookup` unless a test says otherwise. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true; readonly family?: number | 'IPv4' | 'IPv6' | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For everything: name, connection, TLS, answer. */
  readonly timeoutMs: number
  readonly allowPrivateAddresses: boolean
  readonly resolve?: Resolve
}

export type PostResult =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders }
  /** Never sent: the address is not to be called. */
  | { readonly kind: 'refused'; readonly error: string }
  /** No answer came. The request may have been sent. */
  | { readonly kind: 'no_answer'; readonly error: string }

/** What is read of an answer's body before the connection is closed: its status is all that counts. */
const MAX_DRAINED_BYTES = 65_536

/**
 * One POST over a connection of its own; redirects are answers. The name is resolved once and every address it has is
 * checked; the connection goes to one of those, so that a name cannot lead elsewhere between check and use.
 * Throws only the signal's reason.
 */
export async function post(input: Post, signal: AbortSignal): Promise<PostResult> {
  signal.throwIfAborted()
  const url = URL.canParse(input.url) ? new URL(input.url) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return { kind: 'refused', error: 'the address is no http or https URL' }
  }
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  // Addresses written out are never looked up.
  if (isIP(hostname) !== 0 && !input.allowPrivateAddresses && !isPublicAddress(hostname)) {
    return { kind: 'refused', error: new PrivateAddressError(hostname).message }
  }
  const timeout = AbortSignal.timeout(input.timeoutMs)
  try {
    return await send(url, hostname, input, AbortSignal.any([signal, timeout]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PrivateAddressError) return { kind: 'refused', error: error.message }
    if (timeout.aborted) return { kind: 'no_answer', error: `no answer within ${input.timeoutMs / 1000} s` }
    return { kind: 'no_answer', error: `no answer: ${describe(error)}` }
  }
}

function send(url: URL, hostname: string, input: Post, signal: AbortSignal): Promise<PostResult> {
  return new Promise((resolve, reject) => {
    let answer: PostResult | null = null
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      {
        host: hostname,
        port: url.port === '' ? undefined : url.port,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...input.headers, 'content-length': String(Buffer.byteLength(input.body)) },
        agent: false,
        lookup: checkedLookup(input.resolve ?? dnsLookup, input.allowPrivateAddresses),
        signal,
      },
      (response) => {
        const answered: PostResult = { kind: 'answer', status: response.statusCode ?? 0, headers: response.headers }
        answer = answered
        drain(response, () => resolve(answered))
      },
    )
    // Out of time while the rest of the answer was read: it was given all the same.
    request.on('error', (error) => (answer === null ? reject(error) : resolve(answer)))
    request.end(input.body)
  })
}

/** Reads the rest of an answer, within bounds, and closes: whatever happens to the body, the answer was given. */
function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_DRAINED_BYTES) response.destroy()
  })
  response.on('error', done)
  response.on('close', done)
}

function checkedLookup(resolve: Resolve, allowPrivateAddresses: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { all: true, family: options.family }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null) return callback(error, '', 0)
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '', 0)
      const forbidden = allowPrivateAddresses ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
      if (forbidden !== undefined) return callback(new PrivateAddressError(hostname), '', 0)
      if (options.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}

class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is a private, local or reserved address, which this installation does not call`)
  }
}

/** Errors of several addresses tried in turn have a code and no message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && !error.message.includes(code) ? `${code} ${error.message}`.trim() : error.message
}
