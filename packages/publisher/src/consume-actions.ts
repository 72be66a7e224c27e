import { ACTIONS_STREAM, type ActionEnvelope } from '@dwell/contracts/action'
import { type RawEntry, readAction } from './action-entry'
import type { RedisClient } from './send-entries'

/** How this action reached the handler. */
export interface ActionDelivery {
  readonly entryId: string
  /** 1 for the first time that the group was given it. */
  readonly attempt: number
}

/** Resolving acknowledges the action; rejecting leaves it pending, to be delivered again. */
export type ActionHandler = (action: ActionEnvelope, delivery: ActionDelivery) => Promise<void> | void

export interface ActionProblem {
  /** `handler`: it rejected. `unreadable`: an entry is no action. `redis`: reading or acknowledging failed. */
  readonly kind: 'handler' | 'unreadable' | 'redis'
  readonly error: unknown
  readonly entryId?: string
  readonly action?: ActionEnvelope
  readonly attempt?: number
}

export interface ConsumeOptions {
  /** Consumers of one group share the actions; every group gets them all. */
  readonly group: string
  /** Unique within the group, and the same after a restart. */
  readonly consumer: string
  /** Actions read at once; 100 unless given. */
  readonly batch?: number
  /** Aborting is the same as `stop()`. */
  readonly signal?: AbortSignal
  /** Told about everything that goes wrong; without it a line is written to standard error. */
  readonly onProblem?: (problem: ActionProblem) => void
  /** An action not acknowledged for so long is delivered again, to whoever asks first. 60,000 ms unless given. */
  readonly redeliverAfterMs?: number
  /** Where a group begins that does not exist yet: `0` (unless given) is everything that still stands on the stream. */
  readonly startFrom?: '0' | '$'
  readonly stream?: string
}

export interface ActionConsumer {
  /** Lets the action under way end, leaves the others pending and resolves when nothing of it is left running. */
  stop(): Promise<void>
  /** Resolves when it has stopped, by `stop()` or by the signal. Never rejects. */
  readonly stopped: Promise<void>
}

const BLOCK_MS = 2_000
const PAUSE_AFTER_FAILURE_MS = 500

/** Starts reading on `connection`, which is used for nothing else and closed in the end. */
export function startConsumer(
  connection: RedisClient,
  handler: ActionHandler,
  options: ConsumeOptions,
): ActionConsumer {
  const consumer = new Consumer(connection, handler, options)
  const stopped = consumer.run()
  const stop = () => {
    consumer.stop()
    return stopped
  }
  if (options.signal?.aborted) consumer.stop()
  else options.signal?.addEventListener('abort', consumer.stop, { once: true })
  return { stop, stopped }
}

interface Taken {
  readonly entries: readonly RawEntry[]
  readonly isNew: boolean
}

class Consumer {
  private readonly stream: string
  private readonly batch: number
  private readonly redeliverAfterMs: number
  private readonly report: (problem: ActionProblem) => void
  private stopping = false
  private handling = false
  private endPause = () => {}
  private nextTakeover = 0
  /** Position in what this consumer left pending in an earlier life; null when all of it was seen. */
  private leftovers: string | null = '0'

  constructor(
    private readonly redis: RedisClient,
    private readonly handler: ActionHandler,
    private readonly options: ConsumeOptions,
  ) {
    this.stream = options.stream ?? ACTIONS_STREAM
    this.batch = options.batch ?? 100
    this.redeliverAfterMs = options.redeliverAfterMs ?? 60_000
    this.report = reportingTo(options.onProblem ?? reportToStandardError)
  }

  readonly stop = (): void => {
    this.stopping = true
    this.endPause()
    // A read that waits for new actions is cut off; what Redis may have handed out at this very moment stays pending.
    if (!this.handling) this.redis.disconnect()
  }

  async run(): Promise<void> {
    let haveGroup = false
    while (!this.stopping) {
      try {
        if (!haveGroup) await this.createGroup()
        haveGroup = true
        const taken = await this.take()
        if (taken.entries.length > 0) await this.handle(taken)
      } catch (error) {
        if (this.stopping) break
        // The stream is gone, as after a flush: the group is made again.
        if (error instanceof Error && error.message.startsWith('NOGROUP')) haveGroup = false
        this.report({ kind: 'redis', error })
        await this.pause()
      }
    }
    this.options.signal?.removeEventListener('abort', this.stop)
    if (this.redis.status === 'ready') await this.redis.quit().catch(() => this.redis.disconnect())
    else this.redis.disconnect()
  }

  private async createGroup(): Promise<void> {
    const start = this.options.startFrom ?? '0'
    try {
      await this.redis.xgroup('CREATE', this.stream, this.options.group, start, 'MKSTREAM')
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('BUSYGROUP'))) throw error
    }
  }

  /** First what is left from an earlier life, then from time to time what others abandoned, else what is new. */
  private async take(): Promise<Taken> {
    if (this.leftovers !== null) {
      const entries = await this.read(this.leftovers)
      this.leftovers = entries.at(-1)?.[0] ?? null
      if (entries.length > 0) return { entries, isNew: false }
    }
    if (performance.now() >= this.nextTakeover) {
      const entries = await this.takeAbandoned()
      if (entries.length > 0) return { entries, isNew: false }
      this.nextTakeover = performance.now() + this.redeliverAfterMs / 2
    }
    return { entries: await this.read('>'), isNew: true }
  }

  private async read(from: string): Promise<RawEntry[]> {
    const { group, consumer } = this.options
    const blockMs = Math.min(BLOCK_MS, Math.max(1, Math.ceil(this.nextTakeover - performance.now())))
    const answer = await this.redis.xreadgroup(
      'GROUP',
      group,
      consumer,
      'COUNT',
      this.batch,
      'BLOCK',
      blockMs,
      'STREAMS',
      this.stream,
      from,
    )
    return (answer as [string, RawEntry[]][] | null)?.[0]?.[1] ?? []
  }

  /** Includes our own: an action whose handler rejected becomes idle like one of a consumer that died. */
  private async takeAbandoned(): Promise<RawEntry[]> {
    const { group, consumer } = this.options
    for (let from = '0'; ; ) {
      const answer = await this.redis.xautoclaim(
        this.stream,
        group,
        consumer,
        this.redeliverAfterMs,
        from,
        'COUNT',
        this.batch,
      )
      const [next, entries] = answer as [string, RawEntry[]]
      if (entries.length > 0 || next === '0-0') return entries
      from = next
    }
  }

  private async handle({ entries, isNew }: Taken): Promise<void> {
    const attempts = isNew ? new Map<string, number>() : await this.deliveryCounts(entries)
    const open = new Set(entries.map(([id]) => id))
    const acknowledged: Promise<unknown>[] = []
    const acknowledge = (entryId: string) => {
      acknowledged.push(
        this.redis
          .xack(this.stream, this.options.group, entryId)
          .catch((error: unknown) => this.report({ kind: 'redis', error, entryId })),
      )
    }
    const heartbeat = setInterval(() => this.keep(open), this.redeliverAfterMs / 3)
    this.handling = true
    try {
      for (const [entryId, fields] of entries) {
        if (this.stopping) break
        // Without fields it was deleted from the stream while it was pending: nothing is left to do.
        if (fields === null || (await this.handleOne(entryId, fields, attempts.get(entryId) ?? 1))) acknowledge(entryId)
        open.delete(entryId)
      }
      if (this.stopping && this.redis.status !== 'ready') this.redis.disconnect()
      await Promise.all(acknowledged)
    } finally {
      clearInterval(heartbeat)
      this.handling = false
    }
  }

  private async handleOne(entryId: string, fields: readonly string[], attempt: number): Promise<boolean> {
    let action: ActionEnvelope
    try {
      action = readAction(entryId, fields)
    } catch (error) {
      this.report({ kind: 'unreadable', error, entryId, attempt })
      return false
    }
    try {
      await this.handler(action, { entryId, attempt })
      return true
    } catch (error) {
      this.report({ kind: 'handler', error, entryId, action, attempt })
      return false
    }
  }

  /** So that nobody takes over what is still being worked on here, however long the handler takes. */
  private keep(entryIds: ReadonlySet<string>): void {
    if (entryIds.size === 0) return
    const { group, consumer } = this.options
    this.redis
      .call('XCLAIM', this.stream, group, consumer, 0, ...entryIds, 'JUSTID')
      .catch((error: unknown) => this.report({ kind: 'redis', error }))
  }

  private async deliveryCounts(entries: readonly RawEntry[]): Promise<Map<string, number>> {
    const [first, last] = [entries[0]?.[0] ?? '-', entries.at(-1)?.[0] ?? '+']
    const { group, consumer } = this.options
    const pending = await this.redis.xpending(this.stream, group, first, last, this.batch, consumer)
    return new Map((pending as [string, string, number, number][]).map(([id, , , count]) => [id, count]))
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_AFTER_FAILURE_MS)
      this.endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** A reporter that throws must not end the reading. */
function reportingTo(report: (problem: ActionProblem) => void): (problem: ActionProblem) => void {
  return (problem) => {
    try {
      report(problem)
    } catch (error) {
      reportToStandardError(problem)
      console.error('dwell: onProblem threw:', error)
    }
  }
}

function reportToStandardError({ kind, error, entryId, action }: ActionProblem): void {
  const what = action ? `action ${action.id}` : (entryId ?? 'the stream of actions')
  console.error(`dwell: ${kind} problem with ${what}:`, error)
}
