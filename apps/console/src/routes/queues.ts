import { formatInstant, MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { type QueueAnswer, queuesAnswer } from '@dwell/contracts/rest/queues'
import type { NamedQueueState } from '../dependencies'
import { type Endpoint, installationEndpoint } from '../endpoint'

export const queueEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/queues',
    operation: 'listQueues',
    tag: 'Queues',
    summary: 'What stands in the queues at this moment, and where each is on the board.',
    answer: { status: 200, description: 'The queues.', schema: queuesAnswer },
    handle: async ({ deps }) => ({
      payload: (await deps.work.queues()).map((queue) => viewQueue(queue, Date.now())),
      meta: { next_cursor: null },
    }),
  }),
]

function viewQueue({ name, about, state }: NamedQueueState, nowMs: number): QueueAnswer {
  const { waiting, active, delayed, completed, failed, paused, workers, oldestWaitingAt } = state
  return {
    name,
    about,
    counts: { waiting, active, delayed, completed, failed },
    paused,
    workers,
    oldest_waiting:
      oldestWaitingAt === null
        ? null
        : {
            since: formatInstant((oldestWaitingAt * MICROS_PER_MILLISECOND) as Micros),
            seconds: Math.max(0, nowMs - oldestWaitingAt) / 1_000,
          },
    board_path: `/admin/queues/queue/${name}`,
  }
}
