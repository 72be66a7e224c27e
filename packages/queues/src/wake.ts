import { randomUUID } from 'node:crypto'
import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import type { Queue } from 'bullmq'
import type { Cluster, Redis } from 'ioredis'
import { QUEUE_PREFIX } from './names'
import { nextTick } from './schedule'

/** Where the wake's job id stands: `wake-<µs>-<nonce>`. */
const KEY = `${QUEUE_PREFIX}:wake`

/** ARGV: job id, its instant, now. Keeps a wake that comes first. Answers what stands there now, and what it replaced. */
const REPLACE_IF_EARLIER = `
  local known = redis.call('GET', KEYS[1])
  local at = known and tonumber(string.match(known, '^wake%-(%d+)'))
  local coming = at and at > tonumber(ARGV[3])
  if coming and at <= tonumber(ARGV[2]) then return {known, ''} end
  redis.call('SET', KEYS[1], ARGV[1])
  return {ARGV[1], coming and known or ''}`

const CLEAR_IF_SAME = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
  return 1`

const TO_COME: ReadonlySet<string> = new Set(['delayed', 'waiting', 'prioritized', 'active'])

/** Rows due within one such slice fire together: at most forty wakes per second, however many rows come due. */
const SLICE_MS = 25
/** How long a process trusts what it knows of the wake without asking Redis. */
const TRUST_MS = 1_000

/**
 * The one job that runs a sweep at the next due time, however many rows wait. Bringing it forward is a compare: ten
 * thousand arms due later cost nothing but one read per second and process. What comes due after the next tick needs no
 * wake, the tick's sweep will set it.
 */
export class Wake {
  private known: { readonly at: Micros; readonly until: number } | null = null

  constructor(
    private readonly sweepQueue: Queue,
    private readonly redis: Redis | Cluster,
  ) {}

  /** Makes sure a sweep runs at `dueAt`, at once when that has passed. */
  async bringForward(dueAt: Micros, now: Micros): Promise<void> {
    const at = sliceOf(dueAt, now)
    if (at > nextTick(now)) return
    const { known } = this
    if (known !== null && known.until > performance.now() && known.at > now && known.at <= at) return
    const standingJob = await this.redis.get(KEY)
    const standing = instantOf(standingJob)
    if (standing !== null && standing > now && standing <= at) return this.trust(standing)
    // It is overdue, because sweeps are slow: it will see what is due by then, and set the next wake. Without this every
    // caller would add another one, which again would make sweeps slow.
    if (standingJob !== null && standing !== null && standing <= now && (await this.isToCome(standingJob))) return
    // The job comes first: whoever dies before the compare leaves a sweep too many, never one too few.
    const jobId = `wake-${at}-${randomUUID()}`
    const delay = Math.max(0, Math.ceil((at - now) / MICROS_PER_MILLISECOND))
    await this.sweepQueue.add('wake', {}, { jobId, delay, removeOnComplete: true, removeOnFail: true })
    const [kept, replaced] = (await this.redis.eval(REPLACE_IF_EARLIER, 1, KEY, jobId, String(at), String(now))) as [
      string,
      string,
    ]
    this.trust(instantOf(kept))
    const superfluous = kept === jobId ? replaced : jobId
    // A job that has begun cannot be removed, and need not be.
    if (superfluous !== '') await this.sweepQueue.remove(superfluous).catch(() => undefined)
  }

  /** The wake of this job is none any more: it fires. Whatever comes next sets a new one. */
  async fired(jobId: string): Promise<void> {
    this.known = null
    await this.redis.eval(CLEAR_IF_SAME, 1, KEY, jobId)
  }

  /** A crash of Redis may have taken it. One that has begun but still stands here has read nothing yet. */
  private async isToCome(jobId: string): Promise<boolean> {
    return TO_COME.has(await this.sweepQueue.getJobState(jobId))
  }

  private trust(at: Micros | null): void {
    this.known = at === null ? null : { at, until: performance.now() + TRUST_MS }
  }
}

function instantOf(jobId: string | null): Micros | null {
  const text = jobId === null ? undefined : /^wake-(\d+)-/.exec(jobId)?.[1]
  return text === undefined ? null : (Number(text) as Micros)
}

function sliceOf(dueAt: Micros, now: Micros): Micros {
  const slice = SLICE_MS * MICROS_PER_MILLISECOND
  return (Math.ceil(Math.max(dueAt, now) / slice) * slice) as Micros
}
