import type { StepJob } from '@dwell/contracts/jobs'
import type { Queue } from 'bullmq'
import { fairPriorities, type Turns } from './priorities'

/** What a claim gives a job: `ClaimedStep` of the database has it. */
export interface StepToDo {
  readonly id: string
  readonly accountId: number
  readonly lockToken: string
}

/** One job per claimed step; accounts take turns. Rejects when Redis refuses: then the caller gives the claims back. */
export async function enqueueStepJobs(queue: Queue, steps: readonly StepToDo[], turns: Turns): Promise<void> {
  const priorities = fairPriorities(
    steps.map(({ accountId }) => ({ accountId, immediate: false })),
    turns,
  )
  await queue.addBulk(
    steps.map((step, i) => ({
      name: 'step',
      data: { step_id: step.id, account_id: step.accountId, lock_token: step.lockToken } satisfies StepJob,
      opts: { jobId: stepJobId(step), priority: priorities[i] ?? 1 },
    })),
  )
}

/** The token makes the id unique per claim: a kept job of an earlier claim cannot swallow this one. */
export function stepJobId({ id, lockToken }: Pick<StepToDo, 'id' | 'lockToken'>): string {
  return `${id}-${lockToken}`
}

/** Steps that wait in the queue for a worker. */
export async function waitingSteps(queue: Queue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'prioritized')
}
