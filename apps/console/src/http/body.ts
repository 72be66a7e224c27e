import { type Request, type Response, raw } from 'express'
import type { z } from 'zod'
import { faultsOf } from './faults'
import { invalid, Problem } from './problem'
import { storageFaults } from './storable'

/** What came as the body of a request: its JSON value, and the text it was read from. */
export interface ReceivedBody {
  readonly value: unknown
  readonly text: string
}

/** How an endpoint reads its body, and how the API describes it. */
export interface BodyReader<B> {
  readonly described: z.ZodType
  readonly required: boolean
  /** Throws a `Problem` with every fault. */
  readonly read: (received: ReceivedBody | null, params: Readonly<Record<string, string>>) => B
}

/** A body that a schema checks completely. */
export function checked<B>(schema: z.ZodType<B>): BodyReader<B> {
  return { described: schema, required: true, read: (received) => parse(schema, received?.value) }
}

/** The same where leaving the body out means `{}`. */
export function checkedOptional<B>(schema: z.ZodType<B>): BodyReader<B> {
  return {
    described: schema,
    required: false,
    read: (received) => parse(schema, received === null ? {} : received.value),
  }
}

/** A body whose inside is checked by whoever knows the account. */
export function checkedLater(described: z.ZodType): BodyReader<unknown> {
  return {
    described,
    required: true,
    read: (received) => {
      refuseUnstorable(received?.value)
      return received?.value
    },
  }
}

export function parse<B>(schema: z.ZodType<B>, value: unknown): B {
  const result = schema.safeParse(value)
  if (!result.success) throw invalid(faultsOf(result.error, value))
  refuseUnstorable(value)
  return result.data
}

function refuseUnstorable(value: unknown): void {
  const faults = storageFaults(value)
  if (faults.length > 0) throw invalid(faults)
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i
const UTF8 = /^"?utf-?8"?$/i

/** Reads JSON text, at most `maxBytes` of it also after decompression. Null when there is no body at all. */
export async function readBody(request: Request, response: Response, maxBytes: number): Promise<ReceivedBody | null> {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers
  if (transfer === undefined && (length === undefined || Number(length) === 0)) return null
  refuseOtherTypes(request)
  const bytes = await readBytes(request, response, maxBytes)
  if (bytes.length === 0) return null
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem(400, 'malformed_text', 'The body is not UTF-8.')
  }
  try {
    return { value: JSON.parse(text), text }
  } catch (error) {
    throw new Problem(400, 'malformed_json', `The body is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
}

function refuseOtherTypes(request: Request): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';').map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice('charset='.length)
  if (!JSON_TYPE.test(type) || (charset !== undefined && !UTF8.test(charset)))
    throw new Problem(415, 'unsupported_media_type', 'A body must be application/json in UTF-8.')
}

/** The bytes of a body as they came, decompressed; at most `maxBytes`. Throws a `Problem`. */
export function readBytes(request: Request, response: Response, maxBytes: number): Promise<Buffer> {
  const reader = raw({ type: () => true, limit: maxBytes })
  return new Promise((resolve, reject) => {
    reader(request, response, (error?: unknown) => {
      if (error !== undefined) reject(asProblem(error, maxBytes))
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    })
  })
}

/** The parser's own errors carry a status; its messages are written for people. */
function asProblem(error: unknown, maxBytes: number): unknown {
  const { status, type, message } = error as { status?: unknown; type?: unknown; message?: unknown }
  if (status === 413) return new Problem(413, 'too_large', `A body may have at most ${maxBytes} bytes.`)
  if (status === 415) return new Problem(415, 'unsupported_media_type', 'The encoding of the body is not supported.')
  if (status === 400 && typeof type === 'string')
    return new Problem(400, 'malformed_body', `The body could not be read: ${message}.`)
  // Inflating what is not compressed throws without a type.
  return typeof status === 'number' && status < 500
    ? new Problem(400, 'malformed_body', 'The body could not be read.')
    : error
}
