import type { Micros } from '@dwell/contracts/instant'
import type { HeldStep } from '@dwell/database/automations/load-step'
import { type CompiledEmail, compileEmail } from '@dwell/domain/automations/email/compile-email'
import { composeMail } from '@dwell/domain/automations/email/compose-mail'
import { mailLinks } from '@dwell/domain/automations/email/mail-links'
import type { ProjectedMember } from '@dwell/domain/automations/member'
import type { OutgoingMail } from '@dwell/mail/smtp-sender'

export interface MailSettings {
  /** Signs the addresses in mails. */
  readonly key: Uint8Array
  /** Base of those addresses. */
  readonly publicUrl: string
}

/** Without its Message-ID, which the send record gives. */
export interface StepMail {
  readonly mail: Omit<OutgoingMail, 'messageId'>
  /** By us, or where nothing is said by whoever reports it; false only where the account has switched it off. */
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
}

const MAX_COMPILED = 500
const compiled = new Map<string, CompiledEmail>()

/** Renders the queued content for the member as known now. A text: it cannot be rendered, and why. */
export function stepMail(
  step: HeldStep,
  member: ProjectedMember,
  to: string,
  { key, publicUrl }: MailSettings,
  now: Micros,
): StepMail | string {
  const email = compiledEmail(step)
  if (typeof email === 'string') return email
  const { settings } = step.account
  const links = mailLinks(publicUrl, key, { accountId: step.accountId, memberId: step.memberId, emailId: step.id })
  const facts = { account: step.account, automation: step.automation, member, links }
  const composition = composeMail(email, facts, { now, isTest: false })
  if (!composition.ok) return `the e-mail cannot be rendered: ${composition.error}`
  return {
    mail: { to, ...composition.mail },
    tracksOpens: settings.track_opens !== false,
    tracksClicks: settings.track_clicks !== false,
  }
}

/** A revision never changes, so what it was compiled to is kept. */
function compiledEmail({ email, revisionId }: HeldStep): CompiledEmail | string {
  const known = compiled.get(revisionId)
  if (known !== undefined) return known
  if (email === null) return 'the step has no e-mail'
  const compilation = compileEmail(email)
  if (!compilation.ok)
    return `the e-mail cannot be rendered: ${compilation.faults.map(({ error }) => error).join('; ')}`
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  compiled.set(revisionId, compilation.email)
  return compilation.email
}
