/** One entry of a stream, as this consumer was handed it. */
export interface StreamEntry {
  readonly stream: string
  readonly id: string
  /** Name, value, name, value, …; null when the entry was trimmed or deleted while it was pending. */
  readonly fields: readonly string[] | null
  /** How often it was handed out, this time included; left out where that was not asked for. */
  readonly deliveries?: number
}

/** As Redis answers a read: per stream its entries. */
export type ReadReply = readonly (readonly [stream: string, entries: readonly RawEntry[]])[] | null
export type RawEntry = readonly [id: string, fields: readonly string[] | null]

export function entriesOf(reply: ReadReply): StreamEntry[] {
  return (reply ?? []).flatMap(([stream, entries]) => entries.map(([id, fields]) => ({ stream, id, fields })))
}

/** A field's value; undefined when the entry has no such field. */
export function fieldOf(entry: StreamEntry, name: string): string | undefined {
  const { fields } = entry
  if (fields === null) return undefined
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i] === name) return fields[i + 1]
  }
  return undefined
}

/** Entry ids are `<milliseconds>-<sequence>`, both possibly beyond what a number holds. */
export function compareEntryIds(a: string, b: string): number {
  const [millisA, sequenceA] = parts(a)
  const [millisB, sequenceB] = parts(b)
  return compare(millisA, millisB) || compare(sequenceA, sequenceB)
}

/** The smallest id that is greater. */
export function nextEntryId(id: string): string {
  const [millis, sequence] = parts(id)
  return `${millis}-${sequence + 1n}`
}

function parts(id: string): [bigint, bigint] {
  const [millis = '0', sequence = '0'] = id.split('-')
  return [BigInt(millis), BigInt(sequence)]
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
