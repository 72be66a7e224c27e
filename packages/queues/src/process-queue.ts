import type { ProcessJob } from '@dwell/contracts/jobs'
import type { Queue } from 'bullmq'
import { fairPriorities, type Turns } from './priorities'

/** What a claim gives a job: `ClaimedExecution` of the database has it. */
export interface Claim {
  readonly id: number
  readonly accountId: number
  readonly claimToken: string
  readonly immediate: boolean
}

/** BullMQ sends a bulk as one pipeline; more at once costs memory and holds Redis up. */
const CHUNK = 1_000

/**
 * One job per claimed row. `turns` goes with all batches of one sweep, so that the accounts' turns run on. Rejects when
 * Redis refuses; then some of the jobs may stand in the queue all the same, so the caller gives the claims back and those
 * jobs find their token superseded.
 */
export async function enqueueProcessJobs(
  queue: Queue,
  claims: readonly Claim[],
  turns: Turns = new Map(),
): Promise<void> {
  const priorities = fairPriorities(claims, turns)
  for (let start = 0; start < claims.length; start += CHUNK) {
    await queue.addBulk(
      claims.slice(start, start + CHUNK).map((claim, i) => ({
        name: 'process',
        data: {
          pending_execution_id: claim.id,
          account_id: claim.accountId,
          claim_token: claim.claimToken,
        } satisfies ProcessJob,
        opts: { jobId: processJobId(claim), priority: priorities[start + i] ?? 1 },
      })),
    )
  }
}

/** The token makes the id unique per claim: a kept job of an earlier claim cannot swallow this one. */
export function processJobId(claim: Pick<Claim, 'id' | 'claimToken'>): string {
  return `${claim.id}-${claim.claimToken}`
}
