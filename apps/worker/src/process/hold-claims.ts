import type { Micros } from '@dwell/contracts/instant'
import { claimByIds, STALE_CLAIM } from '@dwell/database/pending-executions/claim'
import { DUE_WINDOW } from '@dwell/database/pending-executions/sweep-steps'
import {
  claimKey,
  type ExecutionState,
  type HeldClaim,
  readStates,
  takeOver,
} from '@dwell/database/pending-executions/take-over'
import type { Pool } from '@dwell/database/pool'
import { LOST, type ProcessOutcome } from './outcome'

/** What a job shows. */
export interface JobClaim extends HeldClaim {
  /**
   * The job began before and did not come to its end: it failed and somebody runs it again, or its worker died. Whoever
   * holds the row is most likely that first try, so its claim need not grow old before it is taken.
   */
  readonly repeated?: boolean
}

export interface HeldClaims {
  /** By the claim of the job: the one under which this batch holds the row. */
  readonly held: ReadonlyMap<JobClaim, HeldClaim>
  /** Jobs that hold nothing, and why. */
  readonly others: ReadonlyMap<JobClaim, ProcessOutcome>
}

/**
 * Takes over what the jobs of a batch hold claims on. Jobs whose claim is gone: rows that ended say so; rows that wait and
 * are due, or whose claim has expired or is that of the job's own first try, are claimed anew. That makes the replay of an old job harmless and useful:
 * docs/replay.md. Of several jobs of one row at most one holds it, whichever token is the valid one.
 */
export async function holdClaims(pool: Pool, claims: readonly JobClaim[], now: Micros): Promise<HeldClaims> {
  const held = new Map<JobClaim, HeldClaim>()
  const heldIds = new Set<number>()
  const hold = (job: JobClaim, ours: HeldClaim | undefined) => {
    if (ours === undefined || heldIds.has(job.id)) return
    held.set(job, ours)
    heldIds.add(job.id)
  }
  const taken = await takeOver(pool, claims, now)
  for (const job of claims) hold(job, taken.get(claimKey(job)))

  const orphans = claims.filter(({ id }) => !heldIds.has(id))
  const states = await readStates(pool, [...new Set(orphans.map(({ id }) => id))])
  const repeated = new Set(orphans.filter((job) => job.repeated === true).map(({ id }) => id))
  const processing = [...states.values()].filter(({ status }) => status === 'processing').map(({ id }) => id)
  const ofFirstTry = processing.filter((id) => repeated.has(id))
  const claimable = [...states.values()].filter((state) => isClaimable(state, now)).map(({ id }) => id)
  const claimed = [
    ...(await claimByIds(pool, { ids: ofFirstTry, now, fromHolders: true })),
    ...(await claimByIds(pool, { ids: claimable.filter((id) => !ofFirstTry.includes(id)), now })),
  ]
  const anew = new Map(claimed.map((claim) => [claim.id, claim]))
  for (const job of orphans) hold(job, anew.get(job.id))

  const rest = claims.filter((job) => !held.has(job))
  return { held, others: new Map(rest.map((job) => [job, outcomeOf(states.get(job.id))])) }
}

/** A delayed row beyond the window is the sweep's, which expires it. */
function isClaimable({ status, claimedAt, dueAt, immediate }: ExecutionState, now: Micros): boolean {
  if (status === 'pending') return dueAt <= now && (immediate || dueAt >= now - DUE_WINDOW)
  return status === 'processing' && claimedAt !== null && claimedAt < now - STALE_CLAIM
}

function outcomeOf(state: ExecutionState | undefined): ProcessOutcome {
  if (state?.status === 'executed') return { outcome: 'already executed' }
  if (state?.status === 'skipped' && state.skipReason !== null)
    return { outcome: 'already skipped', reason: state.skipReason }
  return LOST
}
