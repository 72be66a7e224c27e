import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { formatDuration, parseDuration } from './duration'

/** One variable of the environment. `docs/config.md` and `.env.example` are generated from these. */
export interface Setting<T> {
  readonly variable: string
  /** Reads the variable's text; `undefined` stands for a variable that is not set, or empty. */
  readonly schema: z.ZodType<T, string | undefined>
  /** One or two sentences for people. */
  readonly about: string
  /** How the default is written in the environment; absent when the variable is required or simply off. */
  readonly default?: string
  readonly example?: string
  readonly required?: true
  /** A secret may come from a file named by `<VARIABLE>_FILE`, and its value is never shown. */
  readonly secret?: true
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

export type Environment = Readonly<Record<string, string | undefined>>

/** All faults of an environment at once; the message is the report that people read. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly faults: readonly { readonly variable: string; readonly message: string }[]) {
    const width = Math.max(...faults.map((fault) => fault.variable.length))
    const lines = faults.map((fault) => `  ${fault.variable.padEnd(width)}  ${fault.message}`)
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
    super([`The configuration has ${count}:`, ...lines, 'Every variable is described in docs/config.md.'].join('\n'))
  }
}

/** Reads all settings from the environment, or throws one `ConfigError` that names every fault. */
export function readSettings<S extends Settings>(settings: S, environment: Environment): ConfigOf<S> {
  const faults: { variable: string; message: string }[] = []
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings)) {
    const raw = readVariable(setting, environment)
    if ('fault' in raw) {
      faults.push({ variable: setting.variable, message: raw.fault })
      continue
    }
    const result = setting.schema.safeParse(raw.text)
    if (result.success) {
      config[key] = result.data
      continue
    }
    const problem = raw.text === undefined ? 'is missing' : result.error.issues.map((issue) => issue.message).join('; ')
    const got = raw.text === undefined || setting.secret ? '' : `, got ${JSON.stringify(raw.text)}`
    const hint = raw.text === undefined && setting.example ? `. Example: ${setting.example}` : ''
    faults.push({ variable: setting.variable, message: `${problem}${got}${hint}` })
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config as ConfigOf<S>
}

function readVariable(
  setting: Setting<unknown>,
  environment: Environment,
): { text: string | undefined } | { fault: string } {
  const text = emptyAsUnset(environment[setting.variable])
  if (!setting.secret) return { text }
  const file = emptyAsUnset(environment[`${setting.variable}_FILE`])
  if (file === undefined) return { text }
  if (text !== undefined) return { fault: `is set twice, also as ${setting.variable}_FILE` }
  try {
    return { text: emptyAsUnset(readFileSync(file, 'utf8').replace(/\r?\n$/, '')) }
  } catch (error) {
    return { fault: `cannot be read from the file ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}` }
  }
}

function emptyAsUnset(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text
}

type Description = Pick<Setting<unknown>, 'about' | 'example' | 'secret'>

/** A setting whose text is turned into a value by `read`, which throws an Error with a message for people. */
export function setting<T>(
  variable: string,
  read: (text: string) => T,
  more: Description & { default: string },
): Setting<T>
export function setting<T>(
  variable: string,
  read: (text: string) => T,
  more: Description & { required: true },
): Setting<T>
export function setting<T>(variable: string, read: (text: string) => T, more: Description): Setting<T | undefined>
export function setting<T>(
  variable: string,
  read: (text: string) => T,
  more: Description & { default?: string; required?: true },
): Setting<T | undefined> {
  const schema = z.union([z.string(), z.undefined()]).transform((text, context): T | undefined => {
    const chosen = text ?? more.default
    if (chosen === undefined && !more.required) return undefined
    try {
      if (chosen !== undefined) return read(chosen)
      context.addIssue({ code: 'custom', message: 'is missing' })
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not readable' })
    }
    return z.NEVER
  })
  return { variable, schema, ...more }
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\s*-?\d+\s*$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value) || value < min || value > max)
      throw new Error(`must be a whole number between ${min} and ${max}`)
    return value
  }
}

/** Milliseconds, written `250ms`, `30s`, `5m`, `1h` or `3d`. */
export function duration(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = parseDuration(text)
    if (value === null) throw new Error('must be a duration such as 30s or 5m')
    if (value < min || value > max)
      throw new Error(`must lie between ${formatDuration(min)} and ${formatDuration(max)}`)
    return value
  }
}

export function yesOrNo(text: string): boolean {
  const value = text.trim().toLowerCase()
  if (['1', 'true', 'yes', 'on'].includes(value)) return true
  if (['0', 'false', 'no', 'off'].includes(value)) return false
  throw new Error('must be 1 or 0')
}

export function oneOf<const T extends string>(...choices: readonly T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text.trim().toLowerCase())
    if (found === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
    return found
  }
}

/** A URL with one of the given schemes, kept as text. */
export function url(...schemes: readonly string[]): (text: string) => string {
  return (text) => {
    const trimmed = text.trim()
    const scheme = schemes.find((candidate) => trimmed.toLowerCase().startsWith(`${candidate}://`))
    if (scheme === undefined || !URL.canParse(trimmed))
      throw new Error(`must be a URL that starts with ${schemes.map((name) => `${name}://`).join(' or ')}`)
    return trimmed
  }
}

/** Names separated by commas, at least one, each once. */
export function nameList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.some((name) => name === '')) throw new Error('must be names separated by commas')
  if (new Set(names).size !== names.length) throw new Error('names something twice')
  return names
}

export function textOf(minimumLength: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim()
    if (trimmed.length < minimumLength) throw new Error(`must have at least ${minimumLength} characters`)
    return trimmed
  }
}
