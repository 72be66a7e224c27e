import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import { EVENT_FIELD } from '@dwell/contracts/events'
import type { RedisConnection } from '@dwell/runtime/redis'
import type { EntryPage } from './http/entry-cursor'

/** An entry of `dwell:dead-events`, as ingest wrote it. */
export interface DeadLetter {
  readonly id: string
  readonly event: string
  readonly error: string
  readonly detail: string
  readonly entryId: string
  readonly failedAt: string | null
}

export interface DeadLetters {
  readonly letters: readonly DeadLetter[]
  /** The `before` of the next page; null when nothing follows. */
  readonly next: string | null
  readonly total: number
}

type Entry = [id: string, fields: string[]]

const READ_AT_ONCE = 500
/** Entries that one request looks through for a reason: beyond that the page ends early and the next one goes on. */
const MOST_LOOKED_THROUGH = 20_000

/** The newest first, with `error` only those of that reason. */
export async function listDeadLetters(
  redis: RedisConnection,
  { before, limit }: EntryPage,
  error: string | undefined,
): Promise<DeadLetters> {
  const letters: DeadLetter[] = []
  let end = before === null ? '+' : `(${before}`
  let next: string | null = null
  let looked = 0
  for (let more = true; more; ) {
    const entries = (await redis.xrevrange(DEAD_EVENTS_STREAM, end, '-', 'COUNT', READ_AT_ONCE)) as Entry[]
    for (const entry of entries) {
      const letter = letterOf(entry)
      if (error !== undefined && letter.error !== error) continue
      if (letters.length === limit) {
        next = letters.at(-1)?.id ?? null
        break
      }
      letters.push(letter)
    }
    looked += entries.length
    const last = entries.at(-1)?.[0]
    more = next === null && last !== undefined && entries.length === READ_AT_ONCE
    if (more && looked >= MOST_LOOKED_THROUGH && last !== undefined) {
      next = last
      more = false
    }
    end = `(${last}`
  }
  return { letters, next, total: await redis.xlen(DEAD_EVENTS_STREAM) }
}

export async function findDeadLetter(redis: RedisConnection, id: string): Promise<DeadLetter | null> {
  const [entry] = (await redis.xrange(DEAD_EVENTS_STREAM, id, id)) as Entry[]
  return entry === undefined ? null : letterOf(entry)
}

/** KEYS: dead letters, events. ARGV: id, name of the field, the text instead or ''. Answers where it stands now, or nothing. */
const PUBLISH = `
  local found = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])
  if #found == 0 then return false end
  local text = ARGV[3]
  if text == '' then
    local fields = found[1][2]
    for i = 1, #fields, 2 do
      if fields[i] == ARGV[2] then text = fields[i + 1] end
    end
  end
  local id = redis.call('XADD', KEYS[2], '*', ARGV[2], text)
  redis.call('XDEL', KEYS[1], ARGV[1])
  return id`

/**
 * Puts a dead letter back on the inbound stream, byte for byte or with another text, and takes it from where it is: both or
 * neither. Null when it is gone, so of two that try only one does. A cluster keeps the streams on different nodes: there it
 * is written first and in the worst case twice, which takes effect once like every event that comes twice.
 */
export async function publishDeadLetter(
  redis: RedisConnection,
  stream: string,
  letter: DeadLetter,
  instead: string | undefined,
): Promise<string | null> {
  if (redis.isCluster) {
    if ((await findDeadLetter(redis, letter.id)) === null) return null
    const id = await redis.xadd(stream, '*', EVENT_FIELD, instead ?? letter.event)
    await redis.xdel(DEAD_EVENTS_STREAM, letter.id)
    return id
  }
  const keys = [DEAD_EVENTS_STREAM, stream]
  return (await redis.eval(PUBLISH, keys.length, ...keys, letter.id, EVENT_FIELD, instead ?? '')) as string | null
}

/** False when it is gone already. */
export async function removeDeadLetter(redis: RedisConnection, id: string): Promise<boolean> {
  return (await redis.xdel(DEAD_EVENTS_STREAM, id)) > 0
}

function letterOf([id, fields]: Entry): DeadLetter {
  const field = (name: string): string | undefined => {
    const at = fields.findIndex((text, i) => i % 2 === 0 && text === name)
    return at < 0 ? undefined : fields[at + 1]
  }
  return {
    id,
    event: field(EVENT_FIELD) ?? '',
    error: field('error') ?? '',
    detail: field('detail') ?? '',
    entryId: field('entry_id') ?? '',
    failedAt: field('failed_at') ?? null,
  }
}
