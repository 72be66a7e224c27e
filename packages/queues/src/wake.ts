import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import type { Queue } from 'bullmq'
import type { Cluster, Redis } from 'ioredis'
import { QUEUE_PREFIX } from './names'

/** Only the earlier instant stays; answers 1 when it was set. */
const SET_IF_EARLIER = `
  local known = redis.call('GET', KEYS[1])
  if known and tonumber(known) <= tonumber(ARGV[1]) then return 0 end
  redis.call('SET', KEYS[1], ARGV[1])
  return 1`

const CLEAR_IF_SAME = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
  return 1`

const KEY = `${QUEUE_PREFIX}:wake`
const JOB_PREFIX = 'wake-'
/** Rows due within one such slice fire together. */
const SLICE_MS = 25

/**
 * The one job that runs a sweep at the next due time, however many rows wait. Bringing it forward is a compare in Redis:
 * ten thousand arms due later than the wake cost nothing but one read per batch.
 */
export class Wake {
  /** What this process last saw or set, so that most calls do not even ask Redis. */
  private known: Micros | null = null

  constructor(
    private readonly sweepQueue: Queue,
    private readonly redis: Redis | Cluster,
  ) {}

  /** Makes sure a sweep runs at `dueAt` (at once when that has passed). */
  async bringForward(dueAt: Micros, now: Micros): Promise<void> {
    const at = sliceOf(dueAt, now)
    if (this.known !== null && this.known > now && this.known <= at) return
    const previous = await this.redis.get(KEY)
    const wasSet = await this.redis.eval(SET_IF_EARLIER, 1, KEY, String(at))
    this.known = at
    if (wasSet !== 1) return
    await this.sweepQueue.add(
      'wake',
      {},
      {
        jobId: `${JOB_PREFIX}${at}`,
        delay: Math.max(0, Math.ceil((at - now) / MICROS_PER_MILLISECOND)),
        removeOnComplete: true,
        removeOnFail: true,
      },
    )
    if (previous !== null) await this.sweepQueue.remove(`${JOB_PREFIX}${previous}`).catch(() => undefined)
  }

  /** The wake has fired, or a sweep has taken what it was set for: whoever comes next sets it anew. */
  async clear(at: string): Promise<void> {
    this.known = null
    await this.redis.eval(CLEAR_IF_SAME, 1, KEY, at)
  }

  /** Before a sweep looks for the next due time: forget what is past. */
  async clearPast(now: Micros): Promise<void> {
    const known = await this.redis.get(KEY)
    if (known !== null && Number(known) <= now) await this.clear(known)
    this.known = null
  }
}

function sliceOf(dueAt: Micros, now: Micros): Micros {
  const slice = SLICE_MS * MICROS_PER_MILLISECOND
  return (Math.ceil(Math.max(dueAt, now) / slice) * slice) as Micros
}
