import { microsecondsOf } from './instant'
import { withoutPartner } from './pairing'

/** Why `actual` is not what was expected, in one line; null when it is. `at` says where it lies. */
export function mismatch(expected: unknown, actual: unknown, at = ''): string | null {
  if (expected === '$any') return actual === undefined || actual === null ? wanted('anything', actual, at) : null
  if (expected === '$absent') return actual === undefined ? null : wanted('nothing', actual, at)
  if (Array.isArray(expected)) return mismatchOfLists(expected, actual, at)
  if (isObject(expected)) {
    const keys = Object.keys(expected)
    const areMatchers = keys.length > 0 && keys.every((key) => key.startsWith('$'))
    return areMatchers ? mismatchOfMatchers(expected, actual, at) : mismatchOfObjects(expected, actual, at)
  }
  if (Object.is(expected, actual)) return null
  const instant = microsecondsOf(expected)
  return instant !== undefined && instant === microsecondsOf(actual) ? null : wanted(shown(expected), actual, at)
}

export function matches(expected: unknown, actual: unknown): boolean {
  return mismatch(expected, actual) === null
}

function mismatchOfLists(expected: readonly unknown[], actual: unknown, at: string): string | null {
  if (!Array.isArray(actual)) return wanted('a list', actual, at)
  if (actual.length !== expected.length) return wanted(counted(expected.length), actual, at)
  return first(expected, (element, index) => mismatch(element, actual[index], `${at}[${index}]`))
}

/** Keys that the expectation does not name do not matter. */
function mismatchOfObjects(expected: Record<string, unknown>, actual: unknown, at: string): string | null {
  if (!isObject(actual)) return wanted('an object', actual, at)
  return first(Object.entries(expected), ([key, value]) =>
    mismatch(value, Object.hasOwn(actual, key) ? actual[key] : undefined, at === '' ? key : `${at}.${key}`),
  )
}

function mismatchOfMatchers(expected: Record<string, unknown>, actual: unknown, at: string): string | null {
  return first(Object.entries(expected), ([name, argument]) => {
    const matcher = MATCHERS[name]
    return matcher ? matcher(argument, actual, at) : `${place(at)}: there is no matcher ${name}`
  })
}

type Matcher = (argument: unknown, actual: unknown, at: string) => string | null

const MATCHERS: Readonly<Record<string, Matcher>> = {
  $in: (options, actual, at) =>
    listOf(options).some((option) => matches(option, actual)) ? null : wanted(`one of ${shown(options)}`, actual, at),
  $not: (refused, actual, at) => (matches(refused, actual) ? wanted(`not ${shown(refused)}`, actual, at) : null),
  $contains(part, actual, at) {
    const found =
      typeof actual === 'string'
        ? actual.includes(String(part))
        : Array.isArray(actual) && actual.some((element) => matches(part, element))
    return found ? null : wanted(`something with ${shown(part)} in it`, actual, at)
  },
  $len(length, actual, at) {
    const sized = typeof actual === 'string' || Array.isArray(actual)
    return sized && actual.length === length ? null : wanted(counted(Number(length)), actual, at)
  },
  $gte: (least, actual, at) =>
    isNumber(actual) && isNumber(least) && actual >= least ? null : wanted(`at least ${shown(least)}`, actual, at),
  $lte: (most, actual, at) =>
    isNumber(actual) && isNumber(most) && actual <= most ? null : wanted(`at most ${shown(most)}`, actual, at),
  $has(elements, actual, at) {
    if (!Array.isArray(actual)) return wanted('a list', actual, at)
    const [missing] = withoutPartner(listOf(elements), actual, matches)
    return missing === undefined ? null : wanted(`an element like ${shown(missing)}`, actual, at)
  },
  $set(elements, actual, at) {
    const expected = listOf(elements)
    if (!Array.isArray(actual)) return wanted('a list', actual, at)
    if (actual.length !== expected.length) return wanted(counted(expected.length), actual, at)
    return MATCHERS.$has?.(elements, actual, at) ?? null
  },
}

/** A value as a report shows it. */
export function shown(value: unknown, length = 800): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value))
  return text.length > length ? `${text.slice(0, length)}…` : text
}

function wanted(what: string, actual: unknown, at: string): string {
  return `${place(at)}: expected ${what}, got ${shown(actual)}`
}

function place(at: string): string {
  return at === '' ? 'value' : at
}

function counted(length: number): string {
  return `${length} element${length === 1 ? '' : 's'}`
}

function first<T>(elements: readonly T[], check: (element: T, index: number) => string | null): string | null {
  for (const [index, element] of elements.entries()) {
    const found = check(element, index)
    if (found !== null) return found
  }
  return null
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`A matcher needs a list, not ${shown(value)}`)
  return value
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
