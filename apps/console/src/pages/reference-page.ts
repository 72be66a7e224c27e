import { html, type Markup, page } from './html'

type Json = Readonly<Record<string, unknown>>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const MAX_DEPTH = 6

interface Operation {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly id: string
  readonly parameters: readonly Json[]
  readonly body: unknown
  readonly responses: Json
}

/** The API for people, rendered here so that it needs no script and nothing from elsewhere. */
export function referencePage(document: Json): string {
  const schemas = object(object(document.components).schemas)
  const base = String(object((document.servers as readonly unknown[])[0]).url)
  const operations = operationsOf(document)
  const tags = [...new Set(operations.map((operation) => operation.tag))]
  return page(
    'API',
    html`<main>
<h1>The API of Dwell</h1>
${paragraphs(String(object(document.info).description))}
<p class="soft">Paths are below <code>${base}</code>. For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<nav aria-label="Sections"><ul>${tags.map((tag) => html`<li><a href="#${anchor(tag)}">${tag}</a></li>`)}</ul></nav>
${tags.map(
  (tag) => html`<section aria-labelledby="${anchor(tag)}"><h2 id="${anchor(tag)}">${tag}</h2>
${operations.filter((operation) => operation.tag === tag).map((operation) => renderOperation(operation, base, schemas))}</section>`,
)}
</main>`,
  )
}

function operationsOf(document: Json): Operation[] {
  return Object.entries(object(document.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = object(object(item)[method])
      if (operation.operationId === undefined) return []
      return {
        method: method.toUpperCase(),
        path,
        tag: String((operation.tags as readonly unknown[])[0]),
        summary: String(operation.summary),
        description: String(operation.description),
        id: String(operation.operationId),
        parameters: (operation.parameters ?? []) as readonly Json[],
        body: schemaIn(operation.requestBody),
        responses: object(operation.responses),
      }
    }),
  )
}

function renderOperation(operation: Operation, base: string, schemas: Json): Markup {
  const { method, path, parameters, responses } = operation
  return html`<details id="${operation.id}"><summary><span class="method">${method}</span> <code>${path}</code> ${operation.summary}</summary><div>
<p class="soft">${operation.description}</p>
${parameters.length === 0 ? '' : renderParameters(parameters)}
${operation.body === undefined ? '' : html`<h3>Body</h3><pre><code>${shape(operation.body, schemas)}</code></pre>`}
<h3>Answers</h3>
<table>${Object.entries(responses).map(
    ([status, response]) => html`<tr><th scope="row">${status}</th><td>${object(response).description}</td></tr>`,
  )}</table>
${Object.values(responses)
  .map(schemaIn)
  .slice(0, 1)
  .map((schema) => (schema === undefined ? '' : html`<pre><code>${shape(schema, schemas)}</code></pre>`))}
<pre><code>${curl(operation, base)}</code></pre>
</div></details>`
}

function renderParameters(parameters: readonly Json[]): Markup {
  return html`<h3>Parameters</h3><table>${parameters.map(
    (parameter) =>
      html`<tr><th scope="row"><code>${parameter.name}</code></th><td>${parameter.in}</td><td>${describeParameter(object(parameter.schema), parameter.description)}</td></tr>`,
  )}</table>`
}

function describeParameter(schema: Json, description: unknown): string {
  const choices = Array.isArray(schema.enum) ? schema.enum.join(' | ') : String(schema.type ?? '')
  const about = description ?? schema.description
  return about === undefined ? choices : `${choices}: ${about}`
}

function curl({ method, path, body }: Operation, base: string): string {
  const flags = method === 'GET' ? '' : ` -X ${method}`
  const data = body === undefined ? '' : ` \\\n  -H 'content-type: application/json' -d '…'`
  return `curl${flags} -H "authorization: Bearer $TOKEN"${data} \\\n  "$CONSOLE${base}${path}"`
}

/** A schema as a sketch of the JSON it describes. */
function shape(schema: unknown, schemas: Json, indent = '', depth = 0): string {
  const s = object(schema)
  if (typeof s.$ref === 'string')
    return shape(schemas[s.$ref.slice(s.$ref.lastIndexOf('/') + 1)], schemas, indent, depth)
  if (depth > MAX_DEPTH) return '…'
  const choices = s.anyOf ?? s.oneOf
  if (Array.isArray(choices)) return choices.map((choice) => shape(choice, schemas, indent, depth + 1)).join(' | ')
  if (Array.isArray(s.enum)) return s.enum.map((value) => JSON.stringify(value)).join(' | ')
  const types = [s.type].flat().filter((type) => type !== undefined)
  if (types.includes('array')) return withNull(`[${shape(s.items, schemas, indent, depth + 1)}, …]`, types)
  if (s.properties === undefined) return types.includes('object') ? withNull('{…}', types) : types.join(' | ') || 'any'
  const required = new Set((s.required ?? []) as readonly string[])
  const lines = Object.entries(object(s.properties)).map(
    ([key, value]) =>
      `${indent}  ${key}${required.has(key) ? '' : '?'}: ${shape(value, schemas, `${indent}  `, depth + 1)}`,
  )
  return withNull(`{\n${lines.join('\n')}\n${indent}}`, types)
}

function withNull(text: string, types: readonly unknown[]): string {
  return types.includes('null') ? `${text} | null` : text
}

function paragraphs(text: string): Markup[] {
  return text
    .split('\n\n')
    .map(
      (paragraph) =>
        html`<p>${paragraph.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}</p>`,
    )
}

function schemaIn(holder: unknown): unknown {
  return object(object(object(holder).content)['application/json']).schema
}

function anchor(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
