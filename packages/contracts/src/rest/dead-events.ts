import { z } from 'zod'
import { DEAD_LETTER_ERRORS } from '../dead-letter'
import { instantSchema, pageQuery } from './answers'

export const deadEventsQuery = pageQuery.extend({
  error: z.enum(DEAD_LETTER_ERRORS).optional().meta({ description: 'Only those of this reason.' }),
})

/** Characters of a text that a list shows; the whole stands in the entry itself. */
export const MAX_LISTED_EVENT_LENGTH = 16_384

export const deadEventAnswer = z
  .object({
    id: z.string().meta({ example: '1788256800000-0', description: 'Of the entry of dwell:dead-events.' }),
    event: z.string().meta({ description: 'As it was received; a list shows the beginning of a long one.' }),
    event_length: z.int().meta({ description: 'Characters of the whole text.' }),
    error: z.string(),
    detail: z.string(),
    entry_id: z.string().meta({ description: 'Of the entry of the inbound stream it was.' }),
    failed_at: instantSchema.nullable(),
  })
  .meta({ id: 'DeadEvent' })
export type DeadEventAnswer = z.output<typeof deadEventAnswer>

export const deadEventsAnswer = z.object({
  payload: z.array(deadEventAnswer),
  meta: z.object({
    next_cursor: z.string().nullable(),
    total: z.int().meta({ description: 'All that stand there, whatever is asked for.' }),
  }),
})

export const publishDeadEventBody = z
  .strictObject({
    event: z.string().min(1).optional().meta({
      description: 'The text to publish instead, where what was received has to be corrected.',
    }),
    note: z.string().max(2000).optional().meta({ description: 'Why; kept in the audit log.' }),
  })
  .meta({ id: 'DeadEventToPublish' })

export const publishedDeadEventAnswer = z
  .object({ id: z.string(), entry_id: z.string().meta({ description: 'Where it stands on dwell:events now.' }) })
  .meta({ id: 'PublishedDeadEvent' })
