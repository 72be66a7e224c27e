import { z } from 'zod'
import { instantSchema } from './answers'

/** A queue as it is at this moment. */
export const queueAnswer = z
  .object({
    name: z.string(),
    about: z.string(),
    counts: z.object({
      waiting: z.int().meta({ description: 'Ready for a worker, those with a priority among them.' }),
      active: z.int(),
      delayed: z.int(),
      completed: z.int().meta({ description: 'Kept for a look; see the queue for how many and for how long.' }),
      failed: z.int(),
    }),
    paused: z.boolean(),
    workers: z.int().meta({ description: 'Processes that take its jobs.' }),
    oldest_waiting: z.object({ since: instantSchema, seconds: z.number() }).nullable().meta({
      description: 'Since when the longest waiting of the next hundred jobs stands there, by the real clock.',
    }),
    board_path: z.string().meta({ description: 'Of its page on the board, on this host.' }),
  })
  .meta({ id: 'Queue' })
export type QueueAnswer = z.output<typeof queueAnswer>

export const queuesAnswer = z.object({
  payload: z.array(queueAnswer),
  meta: z.object({ next_cursor: z.null() }),
})
