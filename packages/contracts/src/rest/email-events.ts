import { z } from 'zod'
import { EMAIL_EVENT_TYPES } from '../automations'
import { parseInstant } from '../instant'
import { faultSchema } from './problem'

/** RFC 5322 has no limit for a Message-ID, a line of a mail has one. */
const MAX_MESSAGE_ID_CHARACTERS = 998
const MAX_URL_CHARACTERS = 8_192
export const MAX_EMAIL_EVENTS = 1_000

/** What became of a mail, as its provider or the upstream application saw it. DESIGN section 5. */
export const emailEvent = z
  .strictObject({
    message_id: z
      .string()
      .min(1)
      .max(MAX_MESSAGE_ID_CHARACTERS)
      .meta({ description: 'The Message-ID of the mail, with or without its brackets.' }),
    type: z.enum(EMAIL_EVENT_TYPES),
    at: z
      .string()
      .refine((text) => parseInstant(text) !== null, 'must be an instant, e.g. 2026-09-01T10:00:00Z')
      .meta({ format: 'date-time', description: 'When it happened.' }),
    url: z.string().max(MAX_URL_CHARACTERS).nullish().meta({ description: 'Of a click: where it led to.' }),
  })
  .meta({ id: 'EmailEvent' })
export type EmailEventInput = z.output<typeof emailEvent>

/**
 * `recorded`: something new · `duplicate`: known already · `unknown_message`: no mail of the account · `not_tracked`: an open
 * or click of a mail that was sent while the account had switched that off · `invalid`: not an e-mail event
 */
export const EMAIL_EVENT_OUTCOMES = ['recorded', 'duplicate', 'unknown_message', 'not_tracked', 'invalid'] as const
export type EmailEventOutcome = (typeof EMAIL_EVENT_OUTCOMES)[number]

export const emailEventsBody = z
  .array(emailEvent)
  .max(MAX_EMAIL_EVENTS)
  .meta({ id: 'EmailEvents', description: 'Events of mails, in any order; a single one may stand without the list.' })

export const emailEventsAnswer = z
  .object({
    recorded: z.int().meta({ description: 'How many told something new.' }),
    results: z
      .array(z.object({ outcome: z.enum(EMAIL_EVENT_OUTCOMES), errors: z.array(faultSchema).optional() }))
      .meta({ description: 'One per event, in their order.' }),
  })
  .meta({ id: 'EmailEventResults' })
