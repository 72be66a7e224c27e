import { inboundEvent } from '@dwell/contracts/events'
import { DEFAULT_MAX_EVENT_BYTES, parseEvent } from '@dwell/contracts/parse-event'

/** What is wrong with one event: which of the given ones, where in it, and one sentence. */
export interface EventFault {
  readonly index: number
  /** Dotted, e.g. `message.created_at`; empty where the event as a whole is meant. */
  readonly path: string
  readonly message: string
}

/** Thrown by `publish` before anything is sent; `faults` holds all of them. */
export class InvalidEventsError extends Error {
  override readonly name = 'InvalidEventsError'

  constructor(readonly faults: readonly EventFault[]) {
    const [first] = faults
    const where = first ? `events[${first.index}]${first.path === '' ? '' : `.${first.path}`}: ${first.message}` : ''
    super(faults.length > 1 ? `${where} (and ${faults.length - 1} more)` : where)
  }
}

/**
 * The texts that stand on the stream. Judged is the text itself, by the very check that Dwell makes when it takes the
 * event: what JSON does to a value on the way (a `Date`, an `undefined`) is judged with it.
 */
export function encodeEvents(events: readonly unknown[]): string[] {
  const texts: string[] = []
  const faults: EventFault[] = []
  for (const [index, event] of events.entries()) {
    const encoded = encode(event)
    if (typeof encoded === 'string') texts.push(encoded)
    else faults.push(...encoded.map((fault) => ({ index, ...fault })))
  }
  if (faults.length > 0) throw new InvalidEventsError(faults)
  return texts
}

function encode(event: unknown): string | Omit<EventFault, 'index'>[] {
  let text: string | undefined
  try {
    text = JSON.stringify(event)
  } catch (error) {
    return [{ path: '', message: error instanceof Error ? error.message : 'is not JSON' }]
  }
  if (text === undefined) return [{ path: '', message: 'an event is a JSON object' }]
  const parsed = parseEvent(text, DEFAULT_MAX_EVENT_BYTES)
  if (parsed.ok) return text
  const issues = parsed.error === 'invalid_event' ? inboundEvent.safeParse(JSON.parse(text)).error?.issues : undefined
  return issues
    ? issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
    : [{ path: '', message: parsed.detail }]
}
