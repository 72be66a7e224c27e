import { EVENT_FIELD, type InboundEvent } from '@dwell/contracts/events'
import { parseEvent } from '@dwell/contracts/parse-event'
import type { DeadEntry } from '../stream/settle'
import { fieldOf, type StreamEntry } from '../stream/stream-entry'

/** An entry whose event can be read. */
export interface ReceivedEvent {
  readonly entry: StreamEntry
  readonly text: string
  readonly event: InboundEvent
}

/** The entries of one read and what stands in them. */
export interface ReadEntries {
  readonly entries: readonly StreamEntry[]
  readonly events: readonly ReceivedEvent[]
  readonly dead: readonly DeadEntry[]
}

/**
 * Reads what stands in the entries. Entries that were trimmed while they were pending hold nothing any more and are only
 * acknowledged. One that was handed out more than `maxDeliveries` times ends whoever takes it: it is a dead letter.
 */
export function readEntries(
  entries: readonly StreamEntry[],
  limits: { readonly maxEventBytes: number; readonly maxDeliveries: number },
): ReadEntries {
  const events: ReceivedEvent[] = []
  const dead: DeadEntry[] = []
  for (const entry of entries) {
    if (entry.fields === null) continue
    const text = fieldOf(entry, EVENT_FIELD)
    if (text === undefined) {
      const names = entry.fields.filter((_, i) => i % 2 === 0).join(', ')
      const detail = `the entry has no field ${EVENT_FIELD}, only ${names}`
      dead.push({ entry, received: JSON.stringify(entry.fields), error: 'missing_field', detail })
      continue
    }
    if ((entry.deliveries ?? 1) > limits.maxDeliveries) {
      const detail = `handed out ${entry.deliveries} times and never acknowledged: taking it ends the process`
      dead.push({ entry, received: text, error: 'processing_failed', detail })
      continue
    }
    const parsed = parseEvent(text, limits.maxEventBytes)
    if (parsed.ok) events.push({ entry, text, event: parsed.event })
    else dead.push({ entry, received: text, error: parsed.error, detail: parsed.detail })
  }
  return { entries, events, dead }
}
