import { setTimeout as pause } from 'node:timers/promises'
import type { Micros } from '@dwell/contracts/instant'
import {
  type ClaimedStep,
  claimReadySteps,
  heldSteps,
  nextStepAt,
  releaseSteps,
  STEP_BATCH,
} from '@dwell/database/automations/step-claims'
import type { Pool } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'

/** What is known of a step that was sent off. */
export type HeldStep = Pick<ClaimedStep, 'id' | 'lockToken'>

export interface StepSweepDependencies {
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: Logger
  readonly enqueueSteps: (steps: readonly ClaimedStep[], turns: Map<number, number>) => Promise<void>
  /** Steps that wait in the queue already. */
  readonly waitingSteps: () => Promise<number>
  /** Whether the job of this claim has ended, one way or another. */
  readonly stepHasEnded: (claim: HeldStep) => Promise<boolean>
}

/** More than this is not claimed ahead of the workers: locks of steps that only wait in a queue would run out. */
const MAX_WAITING = 1_000
const LOOK_MS = 10
const LOOKS_PER_JOB_CHECK = 25
const LIMIT_MS = 100_000
/** How often it is asked whether a full queue has room again. */
const FULL_QUEUE_MS = 100
/** µs after which a sweep looks again when the queue was full. */
const BEHIND = 250_000

/**
 * Claims and enqueues what is ready, batch after batch until one is not full. Knows no kill switch, no limit and no expiry:
 * those are about rules; an overdue step still runs.
 */
export async function sweepSteps(deps: StepSweepDependencies): Promise<ClaimedStep[]> {
  const enqueued: ClaimedStep[] = []
  const turns = new Map<number, number>()
  let room = MAX_WAITING - (await deps.waitingSteps())
  while (room > 0) {
    const now = await deps.clock.now()
    const limit = Math.min(room, STEP_BATCH)
    const batch = await claimReadySteps(deps.pool, now, limit)
    if (batch.length === 0) break
    try {
      await deps.enqueueSteps(batch, turns)
    } catch (error) {
      deps.logger.error('claimed steps could not be enqueued', {
        event: 'sweep.enqueue_failed',
        count: batch.length,
        error,
      })
      await releaseSteps(deps.pool, batch, now)
      break
    }
    enqueued.push(...batch)
    room -= batch.length
    if (batch.length < limit) break
  }
  return enqueued
}

/** When the next sweep is needed for steps: at a ready time or when a lock ends; soon where the queue was full. */
export async function nextStepWake(pool: Pool, now: Micros): Promise<Micros | null> {
  const at = await nextStepAt(pool)
  if (at === null) return null
  return at > now ? at : ((now + BEHIND) as Micros)
}

/** Waits until these steps have ended, all that became ready through them, and all that a full queue had no room for. */
export async function awaitSteps(
  deps: StepSweepDependencies,
  first: readonly HeldStep[],
  signal: AbortSignal,
): Promise<number> {
  const deadline = performance.now() + LIMIT_MS
  const isOver = () => signal.aborted || performance.now() > deadline
  let steps: readonly HeldStep[] = first
  let total = 0
  while (!isOver() && (steps.length > 0 || (await someAreReady(deps)))) {
    total += steps.length
    for (let look = 1; !(await haveEnded(deps, steps, look % LOOKS_PER_JOB_CHECK === 0)); look += 1) {
      if (isOver()) return total
      await pause(LOOK_MS)
    }
    if (steps.length === 0) await pause(FULL_QUEUE_MS)
    steps = await sweepSteps(deps)
  }
  return total
}

/** Whether steps that nobody holds are ready: they were not claimed because those of a former sweep fill the queue. */
async function someAreReady({ pool, clock }: StepSweepDependencies): Promise<boolean> {
  const at = await nextStepAt(pool)
  return at !== null && at <= (await clock.now())
}

async function haveEnded(deps: StepSweepDependencies, steps: readonly HeldStep[], askJobs: boolean): Promise<boolean> {
  const held = await heldSteps(
    deps.pool,
    steps.map(({ id }) => id),
  )
  if (held.size === 0 || !askJobs) return held.size === 0
  const ended = await Promise.all(steps.filter(({ id }) => held.has(id)).map(deps.stepHasEnded))
  return ended.every(Boolean)
}
