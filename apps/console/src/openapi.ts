import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { problemDocument } from '@dwell/contracts/rest/problem'
import { z } from 'zod'
import type { EndpointDescription } from './endpoint'
import type { Rights } from './principal'

const DESCRIPTION = `Delayed automations: rules that act because nothing else happened.

Every call needs a token: \`Authorization: Bearer <token>\`, or the session of a browser (\`POST /session\`). The admin token of the installation may do everything;
tokens of an account work within it, those of the role \`agent\` read only. A request is judged in this order: token
(401), rights (403), existence (404), content (400, 413, 415, 422). What belongs to another account does not exist.

One thing answers \`{payload: {…}}\`, a list \`{payload: […], meta: {next_cursor}}\`; an error is a problem document (RFC
9457) that lists every fault of the request with a JSON pointer. Instants are UTC with microseconds.`

const WHO: Readonly<Record<Rights, string>> = {
  anyone: 'Anybody.',
  agent: 'Any token of the account.',
  administrator: 'Tokens of the role administrator.',
  admin: 'The admin token.',
}

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

/** The description of the API, out of the same declarations that route and check it. */
export function createOpenApiDocument(endpoints: readonly EndpointDescription[]): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  registry.registerComponent('securitySchemes', 'session', { type: 'apiKey', in: 'cookie', name: 'dwell_session' })
  for (const endpoint of endpoints) registry.registerPath(describe(endpoint))
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Dwell', version: '1', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }, { session: [] }],
  })
}

function describe(endpoint: EndpointDescription): RouteConfig {
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']) => [name, parameter(endpoint.path, name)] as const,
  )
  return {
    method: endpoint.method.toLowerCase() as RouteConfig['method'],
    path: endpoint.path,
    operationId: endpoint.operation,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `For: ${WHO[endpoint.rights]}`,
    ...(endpoint.rights === 'anyone' ? { security: [] } : {}),
    request: {
      ...(params.length === 0 ? {} : { params: z.object(Object.fromEntries(params)) }),
      ...(endpoint.query === undefined ? {} : { query: endpoint.query }),
      ...(endpoint.body === undefined
        ? {}
        : {
            body: {
              required: endpoint.body.required,
              content: { 'application/json': { schema: endpoint.body.described } },
            },
          }),
    },
    responses: {
      [endpoint.answer.status]: {
        description: endpoint.answer.description,
        ...(endpoint.answer.schema === undefined
          ? {}
          : { content: { 'application/json': { schema: endpoint.answer.schema } } }),
      },
      ...Object.fromEntries(problemsOf(endpoint).map(([status, description]) => [status, problem(description)])),
    },
  }
}

/** Automations and what belongs to them have UUIDs. */
const IN_AUTOMATION = '/accounts/{account_id}/automations/'

function parameter(path: string, name: string): z.ZodType {
  if (path.startsWith(IN_AUTOMATION) && name !== 'account_id') return z.guid()
  if (name === 'delivery_id') return z.string().meta({ example: '4711-0' })
  return name === 'id' || name.endsWith('_id') ? z.int().positive() : z.string()
}

const ADMISSION = {
  401: 'No token, or one that is not known.',
  403: 'The token has not the rights, or a change by cookie comes from another site.',
}

/** What follows from the declaration; an endpoint adds its own. */
function problemsOf(endpoint: EndpointDescription): [string, string][] {
  const named = endpoint.path.includes('{')
  return Object.entries({
    ...(endpoint.rights === 'anyone' ? {} : ADMISSION),
    ...(named ? { 404: 'It does not exist, or belongs to another account.' } : {}),
    ...(named || endpoint.body !== undefined ? { 400: 'Address or body are not well formed.' } : {}),
    ...(endpoint.body === undefined ? {} : { 413: 'The body is too large.', 415: 'The body is not JSON.' }),
    ...(endpoint.body === undefined && endpoint.query === undefined ? {} : { 422: 'Every fault, with its place.' }),
    503: 'A store does not answer; the same request may succeed later.',
    ...endpoint.problems,
  })
}

function problem(description: string) {
  return { description, content: { 'application/problem+json': { schema: problemDocument } } }
}
