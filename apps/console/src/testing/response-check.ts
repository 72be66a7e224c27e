import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { endpoints } from '../endpoints'
import { createOpenApiDocument } from '../openapi'

const DOCUMENT = 'openapi.json'
const document = createOpenApiDocument(endpoints) as unknown as { paths: Record<string, Record<string, Operation>> }

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema(document, DOCUMENT)

const patterns = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))
const validators = new Map<string, ValidateFunction>()

/**
 * Throws where an answer is not what the OpenAPI document says: a status it does not name, a body that does not fit.
 * Answers the path of the operation, or null where there is none (unknown address, method that is not offered).
 */
export function checkResponse(
  method: string,
  address: string,
  answer: { readonly status: number; readonly contentType: string | null; readonly body: unknown },
): string | null {
  const plain = address.split('?', 1)[0] ?? address
  const path = patterns.find(({ pattern }) => pattern.test(plain))?.path
  const verb = method.toLowerCase()
  const operation = path === undefined ? undefined : document.paths[path]?.[verb]
  if (path === undefined || operation === undefined) return null
  const response = operation.responses[answer.status]
  const name = `${method} ${path} ${answer.status}`
  if (response === undefined) throw new Error(`${name} is not in the OpenAPI document: ${JSON.stringify(answer.body)}`)
  const mediaType = answer.contentType?.split(';', 1)[0] ?? null
  const [described = null] = Object.keys(response.content ?? {})
  if (described !== mediaType) throw new Error(`${name} answers ${mediaType}, the OpenAPI document says ${described}`)
  if (described === null) return path
  const pointer = ['paths', path, verb, 'responses', String(answer.status), 'content', described, 'schema']
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('')
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${DOCUMENT}#${pointer}` })
  validators.set(pointer, validate)
  if (!validate(answer.body))
    throw new Error(`${name} does not fit the OpenAPI document: ${ajv.errorsText(validate.errors)}`)
  return path
}
