import { emailPreviewBody, emailPreviewsAnswer } from '@dwell/contracts/rest/automation-saves'
import { compileEmail } from '@dwell/domain/automations/email/compile-email'
import { emailFaults, SAMPLES } from '@dwell/domain/automations/email/email-faults'
import { accountEndpoint, type Endpoint } from '../endpoint'
import { checked } from '../http/body'
import { invalid } from '../http/problem'

export const automationEmailEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/automation_emails/preview',
    operation: 'previewAutomationEmail',
    tag: 'Automations',
    summary: 'Renders an e-mail for a made-up member, as a step would. Nothing is stored or sent.',
    body: checked(emailPreviewBody),
    answer: { status: 200, description: 'Subject, HTML and text.', schema: emailPreviewsAnswer },
    handle: async ({ body, change }) => {
      const compilation = compileEmail(body)
      const [sample] = SAMPLES
      if (!compilation.ok || sample === undefined) throw invalid(emailFaults(body, '', false))
      const rendering = compilation.email.render(sample, { now: change.now, timeZone: 'UTC' })
      if (!rendering.ok) {
        throw invalid([{ pointer: `/${rendering.field}`, code: 'email_unrenderable', message: rendering.error }])
      }
      const { subject, html, text } = rendering.email
      return { automation_email_previews: [{ email_subject: subject, email_html: html, email_text: text }] }
    },
  }),
]
