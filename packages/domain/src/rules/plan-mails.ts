import type { Action } from '@dwell/contracts/rule'
import { type RenderMoment, renderText, type TemplateScope } from '../liquid'
import { ownValue } from './attributes'
import { isEmailAddress, splitAddresses } from './email-addresses'
import type { MailPayload } from './planned-delivery'
import type { FireFacts } from './template-scope'
import { idOf } from './values'

export const MAX_MAILS_PER_ACTION = 50

/** One mail of an action, or why it cannot be sent; `mail` is then what is known of it. */
export type PlannedMail =
  | { readonly ok: true; readonly mail: MailPayload }
  | { readonly ok: false; readonly error: string; readonly mail: Partial<MailPayload> }

export interface MailInput {
  readonly action: Action
  readonly ruleName: string
  readonly facts: FireFacts & { readonly account: { readonly settings: unknown } }
  readonly scope: TemplateScope
  readonly moment: RenderMoment
}

/** `send_email_to_team`: a mail to each address that the account's settings name for the teams, each address once. */
export function teamMails({ action, ruleName, facts, scope, moment }: MailInput): readonly PlannedMail[] {
  const [param] = action.action_params
  const rendered = renderText(String(ownValue(param, 'message') ?? ''), scope, moment)
  if (!rendered.ok) return [refused(`the text cannot be rendered: ${rendered.error}`)]
  const subject = subjectLine(`${ruleName}: conversation ${facts.conversation.id}`)
  const teams = ownValue(param, 'team_ids')
  const ids = new Set((Array.isArray(teams) ? teams : []).map(idOf))
  const mails: PlannedMail[] = []
  const seen = new Set<string>()
  for (const id of ids) {
    const addresses = addressesOfTeam(facts.account.settings, id)
    if (addresses.length === 0) {
      mails.push(refused(`team ${id} has no e-mail address: add it to the account's settings under team_emails`))
    }
    for (const to of addresses) {
      if (seen.has(to.toLowerCase())) continue
      seen.add(to.toLowerCase())
      mails.push(addressed(to, subject, rendered.text))
    }
  }
  return limited(mails)
}

/** `send_email_transcript`: what Dwell knows of the conversation, to each address of a rendered list. */
export function transcriptMails({ action, facts, scope, moment }: MailInput): readonly PlannedMail[] {
  const rendered = renderText(String(action.action_params[0] ?? ''), scope, moment)
  if (!rendered.ok) return [refused(`the addresses cannot be rendered: ${rendered.error}`)]
  const addresses = splitAddresses(rendered.text)
  if (addresses.length === 0) return [refused('no e-mail address is left after rendering')]
  const subject = subjectLine(`Conversation ${facts.conversation.id}`)
  const text = transcript(facts)
  return limited(addresses.map((to) => addressed(to, subject, text)))
}

function addressesOfTeam(settings: unknown, id: number | null): readonly string[] {
  const addresses = ownValue(ownValue(settings, 'team_emails'), String(id))
  return Array.isArray(addresses) ? addresses.filter((address) => typeof address === 'string') : []
}

function addressed(to: string, subject: string, text: string): PlannedMail {
  if (isEmailAddress(to)) return { ok: true, mail: { to, subject, text } }
  return { ok: false, error: `${to.slice(0, 100)} is no e-mail address`, mail: { to: to.slice(0, 255), subject, text } }
}

function refused(error: string): PlannedMail {
  return { ok: false, error, mail: {} }
}

/** A list of addresses may come from outside by way of a template; it must not turn into a mass mailing. */
function limited(mails: readonly PlannedMail[]): readonly PlannedMail[] {
  return mails.length <= MAX_MAILS_PER_ACTION
    ? mails
    : [refused(`${mails.length} mails are more than the ${MAX_MAILS_PER_ACTION} one action may send`)]
}

function subjectLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 255)
}

/** Dwell keeps no history of messages: the transcript says what is known and holds the triggering message. */
function transcript({ account, conversation, contact, message }: FireFacts): string {
  const { facts } = conversation
  const line = (name: string, value: unknown) => (value === null || value === '' ? [] : [`${name}: ${String(value)}`])
  const who = contact === null ? [] : [contact.facts.name, contact.facts.email, contact.facts.phone_number]
  return [
    `Conversation ${conversation.id} of ${account.name}`,
    '',
    ...line('Contact', who.filter((part) => part !== null && part !== '').join(', ')),
    ...line('Status', facts.status),
    ...line('Priority', facts.priority),
    ...line('Labels', facts.labels.join(', ')),
    ...(message?.facts.content ? ['', 'Message:', message.facts.content] : []),
    '',
  ].join('\n')
}
