import { z } from 'zod'
import { EMAIL_FORMATS, MAX_SUBJECT_CHARACTERS } from '../automations'
import { automationAnswer, automationSummaryAnswer } from './automations'

/** As in a save. */
const MAX_PREVIEW_CHARACTERS = 150_000

/** How saves and readings of automations are wrapped. What a body may hold is said in docs/automations.md. */
export const automationBody = z
  .object({ automations: z.array(z.looseObject({})).meta({ description: 'Exactly one automation.' }) })
  .meta({ id: 'AutomationBody' })

export const automationsAnswer = z.object({ automations: z.array(automationAnswer) })
export const automationSummariesAnswer = z.object({ automations: z.array(automationSummaryAnswer) })

export const emailPreviewBody = z
  .strictObject({
    email_subject: z.string().max(MAX_SUBJECT_CHARACTERS),
    email_body: z.string().max(MAX_PREVIEW_CHARACTERS),
    email_format: z.enum(EMAIL_FORMATS).default('markdown'),
  })
  .meta({ id: 'EmailPreviewBody' })

export const emailTestBody = emailPreviewBody
  .extend({ address: z.email().max(254).meta({ description: 'Who gets it.' }) })
  .meta({ id: 'EmailTestBody' })

export const emailPreviewsAnswer = z.object({
  automation_email_previews: z.array(
    z.object({ email_subject: z.string(), email_html: z.string(), email_text: z.string() }),
  ),
})
