import type { ReceivedEvent } from './read-entry'

/** More text than this in one transaction would cost memory on both sides and win nothing. */
const MAX_BATCH_CHARACTERS = 4_194_304
/** After so many attempts that nobody survived, an event is taken alone: only itself can end the process then. */
const SUSPECT_AFTER_DELIVERIES = 3

/**
 * Cuts events into the batches of one transaction each, in order of occurrence, so that a conversation's events stay in
 * order across them as well.
 */
export function cutBatches(events: readonly ReceivedEvent[], maxEvents: number): ReceivedEvent[][] {
  const batches: ReceivedEvent[][] = []
  let open: ReceivedEvent[] = []
  let characters = 0
  const close = () => {
    if (open.length > 0) batches.push(open)
    open = []
    characters = 0
  }
  for (const received of events.toSorted((a, b) => a.event.occurred_at - b.event.occurred_at)) {
    const suspect = (received.entry.deliveries ?? 1) > SUSPECT_AFTER_DELIVERIES
    const full = open.length >= maxEvents || characters + received.text.length > MAX_BATCH_CHARACTERS
    if (suspect || full) close()
    open.push(received)
    characters += received.text.length
    if (suspect) close()
  }
  close()
  return batches
}
