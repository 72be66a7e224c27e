import type { Micros } from '@dwell/contracts/instant'
import type { ProjectedMember } from '../member'
import type { CompiledEmail, EmailField } from './compile-email'
import { emailScope } from './email-scope'
import { layOut } from './lay-out'
import type { MailLinks } from './mail-links'

export interface MailFacts {
  readonly account: {
    readonly id: number
    readonly name: string
    /** `timezone`, `mail_from`, `mail_reply_to`, `track_opens`, `track_clicks` */
    readonly settings: Readonly<Record<string, unknown>>
  }
  readonly automation: { readonly id: string; readonly name: string }
  readonly member: ProjectedMember
  readonly links: MailLinks
}

/** A mail without its receiver and its Message-ID. Left out: the installation's sender, no other address for answers. */
export interface ComposedMail {
  readonly from?: string
  readonly replyTo?: string
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export type MailComposition =
  | { readonly ok: true; readonly mail: ComposedMail }
  | { readonly ok: false; readonly field: EmailField; readonly error: string }

/**
 * The mail a member gets, with a way out by one click (RFC 8058). Opens and clicks are counted by us where the account has
 * switched that on, unless the mail is only a test.
 */
export function composeMail(
  email: CompiledEmail,
  { account, automation, member, links }: MailFacts,
  { now, isTest }: { readonly now: Micros; readonly isTest: boolean },
): MailComposition {
  const { settings } = account
  const scope = emailScope({ account, automation, member, unsubscribeUrl: links.unsubscribe })
  const rendering = email.render(scope, { now, timeZone: textOf(settings.timezone) ?? 'UTC' })
  if (!rendering.ok) return rendering
  const { subject, html, text } = layOut(rendering.email, {
    unsubscribeUrl: links.unsubscribe,
    hasUnsubscribeLink: email.usesUnsubscribeUrl,
    trackedLink: settings.track_clicks === true && !isTest ? links.click : null,
    pixelUrl: settings.track_opens === true && !isTest ? links.pixel : null,
  })
  const from = textOf(settings.mail_from)
  const replyTo = textOf(settings.mail_reply_to)
  return {
    ok: true,
    mail: {
      subject,
      html,
      text,
      headers: {
        'List-Unsubscribe': `<${links.unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
      ...(from === null ? {} : { from }),
      ...(replyTo === null ? {} : { replyTo }),
    },
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
