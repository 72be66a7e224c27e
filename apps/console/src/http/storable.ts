import { isStorableText } from '@dwell/contracts/parse-event'
import type { Fault } from '@dwell/contracts/rule'
import { pointerTo } from './faults'

const MAX_DEPTH = 64

/** Texts that Postgres cannot store, and values nested too deep for whoever serialises them again. */
export function storageFaults(value: unknown, path: readonly PropertyKey[] = []): Fault[] {
  if (typeof value === 'string') {
    const message = 'has a NUL or half a surrogate pair'
    return isStorableText(value) ? [] : [{ pointer: pointerTo(path), code: 'unstorable_text', message }]
  }
  if (typeof value !== 'object' || value === null) return []
  if (path.length >= MAX_DEPTH)
    return [{ pointer: pointerTo(path), code: 'too_deep', message: `is nested deeper than ${MAX_DEPTH} levels` }]
  return Object.entries(value).flatMap(([key, child]) =>
    isStorableText(key)
      ? storageFaults(child, [...path, Array.isArray(value) ? Number(key) : key])
      : [
          {
            pointer: pointerTo(path),
            code: 'unstorable_text',
            message: 'has a key with a NUL or half a surrogate pair',
          },
        ],
  )
}
