const REDACTED = '[redacted]'

/** Field names whose values never reach a log. A row's `claim_token` is an id, not a secret. */
const SECRET_FIELD = /token|password|passwd|secret|authorization|cookie|api_?key|credential/i
const HARMLESS_FIELDS = new Set(['claim_token', 'lock_token'])

const SECRET_TEXTS: readonly [RegExp, string][] = [
  // The password in a URL, also where several hosts follow: postgresql://user:password@host, redis://:password@h1,h2
  [/\b([a-z][a-z0-9+.-]*:\/\/)([^\s:/@]*):([^\s@/]+)@/gi, `$1$2:${REDACTED}@`],
  [/\b(bearer|basic)\s+[a-z0-9._~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, REDACTED],
  [/\bdwell_[a-z]+_[A-Za-z0-9_-]{16,}/g, REDACTED],
  [/([?&](?:[a-z_]*(?:token|password|secret|key)))=[^&#\s"']+/gi, `$1=${REDACTED}`],
]

const MAX_DEPTH = 6

/** A text without passwords in URLs, bearer tokens, webhook secrets and API tokens. */
export function redactText(text: string): string {
  return SECRET_TEXTS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
}

/** A copy of a value in which no secret is left; errors become plain objects, circular or deep parts are cut. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[cut]'
  if (value instanceof Error) return redactError(value, depth)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((element) => redact(element, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, isSecretField(key, field) ? REDACTED : redact(field, depth + 1)]),
  )
}

function isSecretField(key: string, value: unknown): boolean {
  return SECRET_FIELD.test(key) && !HARMLESS_FIELDS.has(key) && value !== null && value !== undefined
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const code = (error as { code?: unknown }).code
  return {
    name: error.name,
    message: redactText(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error instanceof AggregateError ? { errors: redact(error.errors, depth + 1) } : {}),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  }
}
