import { isStorableText } from '@dwell/contracts/parse-event'
import type { Fault } from '@dwell/contracts/rule'

const MAX_DEPTH = 32
const MAX_FAULTS = 20

/**
 * Every text in a value that PostgreSQL cannot store, keys included, up to the first twenty; also values nested deeper
 * than any rule needs. The value is JSON.
 */
export function storableFaults(value: unknown, pointer: string): readonly Fault[] {
  const faults: Fault[] = []
  search(value, pointer, 0, faults)
  return faults
}

function search(value: unknown, pointer: string, depth: number, faults: Fault[]): void {
  if (faults.length >= MAX_FAULTS) return
  if (typeof value === 'string') {
    if (!isStorableText(value)) faults.push(unstorable(pointer, 'a text'))
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH) {
    faults.push({ pointer, code: 'nested_too_deep', message: `must not be nested deeper than ${MAX_DEPTH} levels` })
    return
  }
  for (const [key, child] of Object.entries(value)) {
    if (!isStorableText(key)) faults.push(unstorable(pointer, 'a key'))
    else search(child, `${pointer}/${escapePointer(key)}`, depth + 1, faults)
  }
}

function unstorable(pointer: string, what: string): Fault {
  return { pointer, code: 'unstorable_text', message: `${what} must not contain a NUL or an unpaired surrogate` }
}

/** RFC 6901. */
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
