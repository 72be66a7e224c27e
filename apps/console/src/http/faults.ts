import type { Fault } from '@dwell/contracts/rule'
import type { z } from 'zod'

/** RFC 6901. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** One entry per fault that a schema found in `input`. */
export function faultsOf(error: z.ZodError, input: unknown): Fault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        code: 'unknown_key',
        message: 'is not known here',
      }))
    }
    const pointer = pointerTo(issue.path)
    // A cast may have made something else of the input; what is missing there was missing.
    if (issue.path.length > 0 && valueAt(input, issue.path) === undefined)
      return [{ pointer, code: 'missing', message: 'is missing' }]
    return [{ pointer, code: CODES[issue.code] ?? 'invalid', message: issue.message }]
  })
}

const CODES: Readonly<Partial<Record<z.core.$ZodIssue['code'], string>>> = {
  invalid_type: 'wrong_type',
  invalid_value: 'not_allowed',
  invalid_format: 'wrong_format',
  too_small: 'out_of_range',
  too_big: 'out_of_range',
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    input,
  )
}
