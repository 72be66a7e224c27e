import type { DeliverJob } from '@dwell/contracts/jobs'
import type { Queue } from 'bullmq'

const CHUNK = 1_000

/** One job per attempt: under the same id a second one is ignored, so an attempt cannot be made twice at once. */
export async function enqueueDeliverJobs(
  queue: Queue,
  deliveries: readonly { readonly id: string; readonly accountId: number; readonly attempt: number }[],
): Promise<void> {
  for (let start = 0; start < deliveries.length; start += CHUNK) {
    await queue.addBulk(
      deliveries.slice(start, start + CHUNK).map(({ id, accountId, attempt }) => ({
        name: 'deliver',
        data: { delivery_id: id, account_id: accountId } satisfies DeliverJob,
        opts: { jobId: `${id}-attempt-${attempt}` },
      })),
    )
  }
}
