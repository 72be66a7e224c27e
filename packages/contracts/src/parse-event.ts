import type { DeadLetterError } from './dead-letter'
import { EVENT_NAMES, type InboundEvent, inboundEvent } from './events'

export type ParsedEvent =
  | { readonly ok: true; readonly event: InboundEvent }
  | {
      readonly ok: false
      readonly error: DeadLetterError
      readonly detail: string
      /** Where in the event it lies, as far as it lies in one place each. */
      readonly faults: readonly EventFault[]
    }

export interface EventFault {
  /** Keys from the event, or the CloudEvents envelope, down. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export const DEFAULT_MAX_EVENT_BYTES = 262_144
/** Deeper values would overflow the stack of whoever serialises them again. */
const MAX_DEPTH = 64

const KNOWN_EVENTS: ReadonlySet<string> = new Set(EVENT_NAMES)

/**
 * Reads one event as it stands on the stream: JSON text of the envelope, or of a CloudEvents envelope around it.
 * Never throws: what cannot be taken says why, and becomes a dead letter.
 */
export function parseEvent(text: string, maxBytes: number = DEFAULT_MAX_EVENT_BYTES): ParsedEvent {
  if (isLongerThan(text, maxBytes)) {
    return refuse('oversized_event', `an event may have at most ${maxBytes} bytes`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refuse('invalid_json', error instanceof Error ? error.message : 'not JSON')
  }
  return checkEvent(value)
}

/** A UTF-16 unit is one to three bytes, so only texts in between need to be measured. */
function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes
}

/** As `parseEvent`, for a value that is already parsed. */
export function checkEvent(value: unknown): ParsedEvent {
  if (!isObject(value)) return refuse('invalid_event', 'an event is a JSON object')
  const unstorable = findUnstorable(value, '', 0)
  if (unstorable !== null) return refuse('unstorable_text', unstorable)
  const event = 'specversion' in value ? unwrapCloudEvent(value) : value
  if (!isObject(event))
    return refuseAt('invalid_event', [
      { path: ['data'], message: 'a CloudEvents envelope carries the event as an object in data' },
    ])
  const placeOf = 'specversion' in value ? cloudEventPlace(value) : (path: readonly PropertyKey[]) => path
  if (typeof event.event !== 'string')
    return refuseAt('invalid_event', [{ path: ['event'], message: 'the name of the event is missing' }], placeOf)
  if (!KNOWN_EVENTS.has(event.event)) {
    const message = `${clip(event.event)} is none of ${EVENT_NAMES.join(', ')}`
    return refuseAt('unknown_event', [{ path: ['event'], message }], placeOf)
  }
  const parsed = inboundEvent.safeParse(event)
  return parsed.success ? { ok: true, event: parsed.data } : refuseAt('invalid_event', parsed.error.issues, placeOf)
}

/** The attributes win over what `data` repeats. DESIGN section 5. */
function unwrapCloudEvent(envelope: Record<string, unknown>): unknown {
  if (!isObject(envelope.data)) return null
  const { id, time, type, traceparent } = envelope
  return {
    ...envelope.data,
    ...(id === undefined ? {} : { id }),
    ...(time === undefined ? {} : { occurred_at: time }),
    ...(type === undefined ? {} : { event: type }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}

/** What the attributes of the envelope stand for lies there, everything else in `data`. */
function cloudEventPlace(envelope: Record<string, unknown>): (path: readonly PropertyKey[]) => readonly PropertyKey[] {
  const attributes = new Map<PropertyKey, string>([
    ['id', 'id'],
    ['occurred_at', 'time'],
    ['event', 'type'],
    ['traceparent', 'traceparent'],
  ])
  return (path) => {
    const attribute = attributes.get(path[0] ?? '')
    return attribute !== undefined && envelope[attribute] !== undefined ? [attribute] : ['data', ...path]
  }
}

/** PostgreSQL stores neither NUL nor half a surrogate pair; finding out in the middle of a batch would stall the rest. */
function findUnstorable(value: unknown, path: string, depth: number): string | null {
  if (typeof value === 'string')
    return isStorableText(value) ? null : `${path}: text has a NUL or an unpaired surrogate`
  if (typeof value !== 'object' || value === null) return null
  if (depth >= MAX_DEPTH) return `${path}: nested deeper than ${MAX_DEPTH} levels`
  for (const [key, child] of Object.entries(value)) {
    if (!isStorableText(key)) return `${path}: a key has a NUL or an unpaired surrogate`
    const found = findUnstorable(child, path === '' ? key : `${path}.${key}`, depth + 1)
    if (found !== null) return found
  }
  return null
}

const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Whether PostgreSQL can store the text. */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text)
}

/** In `detail` the first five by their place in Dwell's own envelope. */
function refuseAt(
  error: DeadLetterError,
  found: readonly EventFault[],
  placeOf: (path: readonly PropertyKey[]) => readonly PropertyKey[] = (path) => path,
): ParsedEvent {
  const detail = found
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`)
    .join('; ')
  const faults = found.map(({ path, message }) => ({ path: placeOf(path), message }))
  return { ok: false, error, detail: clip(detail, 1000), faults }
}

function refuse(error: DeadLetterError, detail: string): ParsedEvent {
  return { ok: false, error, detail: clip(detail, 1000), faults: [] }
}

function clip(text: string, length = 100): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
