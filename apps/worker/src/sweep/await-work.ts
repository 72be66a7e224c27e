import { setTimeout as pause } from 'node:timers/promises'
import { countUnfinished } from '@dwell/database/deliveries/attempts'
import { readStates } from '@dwell/database/pending-executions/take-over'
import type { Pool } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'

export interface AwaitDependencies {
  readonly pool: Pool
  readonly clock: Clock
  /** Whether the job of this claim has ended, one way or another. */
  readonly hasEnded: (claim: { readonly id: number; readonly claimToken: string }) => Promise<boolean>
}

/** What a sweep sent off: claims of rows, and deliveries that were due. */
export interface SentOff {
  readonly claims: readonly { readonly id: number; readonly claimToken: string }[]
  readonly deliveryIds: readonly string[]
}

/** The state of a database cannot be waited for; this is how often it is looked at. */
const LOOK_MS = 10
/** Rows end about in the order in which they were claimed, so they are waited for a part at a time. */
const PART = 500
/** Jobs are asked one by one, and only matter where one ended without ending its row. */
const LOOKS_PER_JOB_CHECK = 25
/** A worker that dies with a job is noticed after half a minute; beyond this the answer comes without the rest. */
const LIMIT_MS = 100_000

/**
 * Waits until all that a sweep started has come to an end: its jobs, wherever they run, and the deliveries that they
 * decided or that were due. A row that an error left `processing` counts as ended with its job.
 */
export async function awaitWork(deps: AwaitDependencies, sent: SentOff, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  const until = async (condition: (look: number) => Promise<boolean>) => {
    for (let look = 1; performance.now() < deadline && !signal.aborted; look += 1) {
      if (await condition(look)) return
      await pause(LOOK_MS)
    }
  }
  for (const claims of parts(sent.claims)) {
    await until((look) => rowsEnded(deps, claims, look % LOOKS_PER_JOB_CHECK === 0))
    await until(() => deliveriesEnded(deps, { executionIds: claims.map(({ id }) => id), deliveryIds: [] }))
  }
  for (const deliveryIds of parts(sent.deliveryIds)) {
    await until(() => deliveriesEnded(deps, { executionIds: [], deliveryIds }))
  }
}

async function rowsEnded(deps: AwaitDependencies, claims: SentOff['claims'], askJobs: boolean): Promise<boolean> {
  const states = await readStates(
    deps.pool,
    claims.map(({ id }) => id),
  )
  const open = claims.filter(({ id }) => states.get(id)?.status === 'processing')
  if (open.length === 0 || !askJobs) return open.length === 0
  const ended = await Promise.all(open.map(deps.hasEnded))
  return ended.every(Boolean)
}

async function deliveriesEnded(
  { pool, clock }: AwaitDependencies,
  scope: Parameters<typeof countUnfinished>[1],
): Promise<boolean> {
  return (await countUnfinished(pool, scope, await clock.now())) === 0
}

function parts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / PART) }, (_, i) => all.slice(i * PART, (i + 1) * PART))
}
