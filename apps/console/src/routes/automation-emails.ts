import { randomUUID } from 'node:crypto'
import type { EmailData } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import { emailPreviewBody, emailPreviewsAnswer, emailTestBody } from '@dwell/contracts/rest/automation-saves'
import type { Account } from '@dwell/database/accounts'
import { type CompiledEmail, compileEmail } from '@dwell/domain/automations/email/compile-email'
import { type ComposedMail, composeMail } from '@dwell/domain/automations/email/compose-mail'
import { emailFaults, SAMPLE_MEMBER, SAMPLES } from '@dwell/domain/automations/email/email-faults'
import { mailLinks } from '@dwell/domain/automations/email/mail-links'
import { mailDomain } from '@dwell/mail/mail-domain'
import type { MailSender, OutgoingMail } from '@dwell/mail/smtp-sender'
import type { Dependencies } from '../dependencies'
import { accountEndpoint, type Endpoint } from '../endpoint'
import { checked } from '../http/body'
import { invalid, Problem } from '../http/problem'

const tag = 'Automations'
/** Of none: a test belongs to no automation, its links to no member. */
const NO_ID = '00000000-0000-7000-8000-000000000000'
/** The sender has a limit of its own; this is for the case that it does not keep it. */
const SEND_LIMIT_MS = 60_000

export const automationEmailEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/automation_emails/preview',
    operation: 'previewAutomationEmail',
    tag,
    summary: 'Renders an e-mail for a made-up member, as a step would. Nothing is stored or sent.',
    body: checked(emailPreviewBody),
    answer: { status: 200, description: 'Subject, HTML and text.', schema: emailPreviewsAnswer },
    handle: async ({ body, change }) => {
      const [sample] = SAMPLES
      const rendering = compiled(body).render(sample ?? {}, { now: change.now, timeZone: 'UTC' })
      if (!rendering.ok) throw unrenderable(rendering)
      const { subject, html, text } = rendering.email
      return { automation_email_previews: [{ email_subject: subject, email_html: html, email_text: text }] }
    },
  }),
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/automation_emails/test',
    operation: 'sendTestOfAutomationEmail',
    tag,
    summary:
      'Sends an e-mail to one address, as a step would send it to a made-up member: with the sender of the account, without ' +
      'counting opens and clicks. Nothing is stored.',
    body: checked(emailTestBody),
    answer: { status: 204, description: 'The mail server has taken it.' },
    problems: {
      409: 'The installation has no mail server, or no key for the addresses in mails.',
      502: 'The mail server could not be used, or nobody knows whether it took the mail.',
    },
    handle: async ({ deps, account, body, change }) => {
      const { sender, key } = configured(deps)
      const { address, ...email } = body
      const faults = emailFaults(email, '', true)
      if (faults.length > 0) throw invalid(faults)
      const mail = testMail(compiled(email), { account, address, key, publicUrl: deps.config.publicUrl }, change.now)
      const domain = mailDomain(mail.from ?? deps.config.mailFrom)
      await deliver(sender, { ...mail, to: address, messageId: `test.${randomUUID()}@${domain}` })
      return undefined
    },
  }),
]

function compiled(email: EmailData): CompiledEmail {
  const compilation = compileEmail(email)
  if (!compilation.ok) throw invalid(emailFaults(email, '', false))
  return compilation.email
}

function unrenderable({ field, error }: { readonly field: string; readonly error: string }): Problem {
  return invalid([{ pointer: `/${field}`, code: 'email_unrenderable', message: error }])
}

function configured({ mail, config: { signingKey } }: Dependencies): { sender: MailSender; key: Uint8Array } {
  const missing = [...(mail === null ? ['SMTP_URL'] : []), ...(signingKey === undefined ? ['DWELL_SIGNING_KEY'] : [])]
  if (mail !== null && signingKey !== undefined) return { sender: mail, key: Buffer.from(signingKey, 'utf8') }
  const detail = `This installation cannot send e-mails of automations: ${missing.join(' and ')} must be set.`
  throw new Problem(409, 'mail_not_configured', detail)
}

interface Test {
  readonly account: Account
  readonly address: string
  readonly key: Uint8Array
  readonly publicUrl: string
}

function testMail(email: CompiledEmail, { account, address, key, publicUrl }: Test, now: Micros): ComposedMail {
  const member = { ...SAMPLE_MEMBER, facts: { ...SAMPLE_MEMBER.facts, email: address } }
  const links = mailLinks(publicUrl, key, { accountId: account.id, memberId: '', emailId: NO_ID })
  const facts = { account, automation: { id: NO_ID, name: 'Test' }, member, links }
  const composition = composeMail(email, facts, { now, isTest: true })
  if (!composition.ok) throw unrenderable(composition)
  return composition.mail
}

async function deliver(sender: MailSender, mail: OutgoingMail): Promise<void> {
  const outcome = await sender.send(mail, AbortSignal.timeout(SEND_LIMIT_MS))
  switch (outcome.outcome) {
    case 'delivered':
      return
    case 'failed':
      throw invalid([{ pointer: '/address', code: 'mail_refused', message: `was refused: ${outcome.error}` }])
    case 'retry':
      throw new Problem(502, 'mail_not_sent', `The mail was not sent: ${outcome.error}`)
    case 'unknown':
      throw new Problem(502, 'mail_unknown', `Nobody knows whether the mail was sent: ${outcome.error}`)
  }
}
