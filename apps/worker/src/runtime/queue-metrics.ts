import type { QueueName } from '@dwell/queues/names'
import type { openQueue } from '@dwell/queues/queue-connection'

const STATES = ['active', 'waiting', 'prioritized', 'delayed', 'completed', 'failed'] as const

/** How many jobs each queue holds, in the text format of metrics: one series per queue and state, under one heading. */
export async function queueMetrics(queues: Readonly<Record<QueueName, ReturnType<typeof openQueue>>>): Promise<string> {
  const lines = await Promise.all(
    Object.entries(queues).map(async ([name, queue]) => {
      const counts = await queue.getJobCounts(...STATES)
      return STATES.map((state) => `dwell_queue_jobs{queue="${name}",state="${state}"} ${counts[state] ?? 0}`)
    }),
  )
  return ['# HELP dwell_queue_jobs Jobs by queue and state.', '# TYPE dwell_queue_jobs gauge', ...lines.flat()].join(
    '\n',
  )
}
