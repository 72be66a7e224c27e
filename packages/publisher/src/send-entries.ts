import type { Cluster, Redis } from 'ioredis'

export type RedisClient = Redis | Cluster

export interface SendOptions {
  readonly stream: string
  readonly field: string
  /** Trims the stream to about so many entries with each one that is added. */
  readonly maxLen?: number | undefined
  /** Entries that one pipeline carries at most. */
  readonly chunkSize: number
  /** After so many milliseconds without success the sending is given up; 0 tries once. */
  readonly giveUpAfterMs: number
}

/** Thrown by `publish` when Redis did not take everything in time. What it holds may be published again as it is. */
export class PublishError extends Error {
  override readonly name = 'PublishError'

  /**
   * @param entryIds one per event in the given order; null where nobody knows whether Redis took it. Sending those
   *   again is harmless, since an event of the same id has no second effect.
   */
  constructor(
    readonly entryIds: readonly (string | null)[],
    cause: unknown,
  ) {
    const missing = entryIds.filter((id) => id === null).length
    super(`${missing} of ${entryIds.length} events were not acknowledged: ${messageOf(cause)}`, { cause })
  }
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** Answers of Redis that pass by themselves: it loads, fails over, or has no room just now. */
const PASSING_REPLY =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|MISCONF|OOM|MOVED|ASK|UNBLOCKED)\b/

/** Adds one entry per text, in order and pipelined. Resolves with the entries' ids. */
export async function sendEntries(
  redis: RedisClient,
  texts: readonly string[],
  options: SendOptions,
): Promise<string[]> {
  const entryIds: (string | null)[] = texts.map(() => null)
  const until = performance.now() + options.giveUpAfterMs
  for (let from = 0; from < texts.length; from += options.chunkSize) {
    const chunk = texts.slice(from, from + options.chunkSize).map((text, offset) => ({ text, position: from + offset }))
    let missing = chunk
    for (let attempt = 0; ; attempt++) {
      const failure = await sendOnce(redis, missing, entryIds, options)
      missing = missing.filter(({ position }) => entryIds[position] === null)
      if (failure === undefined && missing.length === 0) break
      if (!passesByItself(failure) || performance.now() >= until) throw new PublishError(entryIds, failure)
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS))
    }
  }
  return entryIds.filter((id) => id !== null)
}

/** One pipeline. Notes the ids of what was taken; returns why something was not. */
async function sendOnce(
  redis: RedisClient,
  entries: readonly { readonly text: string; readonly position: number }[],
  entryIds: (string | null)[],
  { stream, field, maxLen }: SendOptions,
): Promise<unknown> {
  const pipeline = redis.pipeline()
  for (const { text } of entries) {
    if (maxLen === undefined) pipeline.xadd(stream, '*', field, text)
    else pipeline.xadd(stream, 'MAXLEN', '~', maxLen, '*', field, text)
  }
  try {
    const results = (await pipeline.exec()) ?? []
    let failure: unknown
    for (const [index, entry] of entries.entries()) {
      const [error, id] = results[index] ?? [new Error('Redis did not answer')]
      if (error) failure ??= error
      else entryIds[entry.position] = String(id)
    }
    return failure
  } catch (error) {
    return error
  }
}

/** Lost connections and time-outs pass; of the answers of Redis only those that say so. */
function passesByItself(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false
  return failure.name !== 'ReplyError' || PASSING_REPLY.test(failure.message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
