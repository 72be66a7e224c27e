import { Queue } from 'bullmq'
import type { Cluster, Redis } from 'ioredis'
import { QUEUE_PREFIX, type QueueName } from './names'
import { QUEUE_SPECS } from './specs'

/**
 * A queue to put jobs into. The caller owns the connection and closes it last; the queue's own errors are the
 * connection's, which its owner reports.
 */
export function openQueue(name: QueueName, connection: Redis | Cluster): Queue {
  const queue = new Queue(name, {
    connection,
    prefix: QUEUE_PREFIX,
    defaultJobOptions: QUEUE_SPECS[name].options,
  })
  queue.on('error', () => undefined)
  // One listener for every caller that waits for a job of its own.
  queue.setMaxListeners(0)
  return queue
}
