import { countUnfinished } from '@dwell/database/deliveries/attempts'
import { readStates } from '@dwell/database/pending-executions/take-over'
import type { Pool } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'
import type { Sweep } from './run-sweep'

export interface AwaitDependencies {
  readonly pool: Pool
  readonly clock: Clock
  /** Whether the job of this claim has ended, one way or another. */
  readonly hasEnded: (claim: { readonly id: number; readonly claimToken: string }) => Promise<boolean>
}

const POLL_MS = 15
/** A worker that dies with a job is noticed after half a minute; beyond this the answer comes without the rest. */
const LIMIT_MS = 100_000

/**
 * Waits until all that a sweep started has come to an end: its jobs, wherever they run, and the deliveries that they
 * decided or that were due. A row that an error left `processing` counts as ended with its job.
 */
export async function awaitWork(deps: AwaitDependencies, sweep: Sweep, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  const executionIds = sweep.claims.map(({ id }) => id)
  const deliveryIds = sweep.deliveries.map(({ id }) => id)
  while (performance.now() < deadline && !signal.aborted) {
    if ((await rowsEnded(deps, sweep)) && (await deliveriesEnded(deps, executionIds, deliveryIds))) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function rowsEnded(deps: AwaitDependencies, sweep: Sweep): Promise<boolean> {
  const states = await readStates(
    deps.pool,
    sweep.claims.map(({ id }) => id),
  )
  const open = sweep.claims.filter(({ id }) => states.get(id)?.status === 'processing')
  const ended = await Promise.all(open.map(deps.hasEnded))
  return ended.every(Boolean)
}

async function deliveriesEnded(
  deps: AwaitDependencies,
  executionIds: readonly number[],
  deliveryIds: readonly string[],
): Promise<boolean> {
  return (await countUnfinished(deps.pool, { executionIds, deliveryIds }, await deps.clock.now())) === 0
}
