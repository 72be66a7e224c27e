import { readFileSync } from 'node:fs'
import { microsecondsOf } from './instant'

export const VERBS = [
  'clock',
  'rule',
  'call',
  'event',
  'events',
  'raw',
  'sweep',
  'rows',
  'actions',
  'dead',
  'smtp',
  'mail',
  'webhook',
  'hooks',
  'wait',
] as const
export type Verb = (typeof VERBS)[number]

const MODIFIERS: ReadonlySet<string> = new Set(['as', 'at', 'expect', 'headers', 'token', 'account'])
/** Verbs whose argument is a list. */
const LIST_VERBS: ReadonlySet<Verb> = new Set(['call', 'events', 'raw', 'rows', 'actions', 'dead', 'mail', 'hooks'])

export interface Step {
  readonly verb: Verb
  readonly argument: unknown
  readonly as?: string
  readonly at?: string
  readonly expect?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly token?: string
  readonly account?: unknown
}

export interface Case {
  readonly id: string
  readonly area: string
  readonly importance: number
  readonly then: string
  /** Absent where no interface shows what the words say; `needs` says why. */
  readonly steps?: readonly Step[]
  readonly needs?: string
}

/** The cases of some files. Throws one error that names everything that is not well formed. */
export function readCases(files: readonly string[]): Case[] {
  return parseCases(
    files.flatMap((file) => {
      const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
      if (!Array.isArray(content)) throw new Error(`${file} is no list of cases`)
      return content
    }),
  )
}

export function parseCases(values: readonly unknown[]): Case[] {
  const faults: string[] = []
  const seen = new Set<unknown>()
  const cases = values.map((value, index) => {
    const raw = value as Record<string, unknown>
    const name = typeof raw.id === 'string' ? raw.id : `case ${index + 1}`
    const fault = (text: string) => faults.push(`${name}: ${text}`)
    for (const key of ['id', 'area', 'given', 'when', 'then', 'basis']) {
      if (typeof raw[key] !== 'string') fault(`has no ${key}`)
    }
    if (![1, 2, 3].includes(Number(raw.importance))) fault('has no importance from 1 to 3')
    if (seen.has(raw.id)) fault('has the id of another case')
    seen.add(raw.id)
    if (raw.steps === undefined) {
      if (typeof raw.needs !== 'string') fault('has neither steps nor needs')
      return raw as unknown as Case
    }
    const steps = (raw.steps as unknown[]).map((step, position) =>
      parseStep(step as Record<string, unknown>, (text) => fault(`step ${position + 1} ${text}`)),
    )
    return { ...(raw as unknown as Case), steps }
  })
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return cases
}

function parseStep(raw: Record<string, unknown>, fault: (text: string) => void): Step {
  const verbs = VERBS.filter((verb) => raw[verb] !== undefined)
  const [verb = 'wait'] = verbs
  if (verbs.length !== 1) fault(`has ${verbs.length} verbs`)
  for (const key of Object.keys(raw)) {
    if (key !== verb && !MODIFIERS.has(key)) fault(`has the unknown key ${key}`)
  }
  const { [verb]: argument, ...modifiers } = raw
  if (LIST_VERBS.has(verb) && !Array.isArray(argument)) fault(`needs a list after ${verb}`)
  const instants = [raw.at, verb === 'clock' ? argument : undefined, verb === 'sweep' ? argument : undefined]
  for (const instant of instants) {
    if (typeof instant === 'string' && microsecondsOf(instant) === undefined) fault(`has the odd instant ${instant}`)
  }
  return { ...modifiers, verb, argument } as Step
}
