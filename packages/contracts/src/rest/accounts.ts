import { z } from 'zod'
import { DELAYED_AUTOMATIONS } from '../pending-execution'
import { idSchema, instantSchema, nameSchema } from './answers'

export const ACCOUNT_FEATURES = [DELAYED_AUTOMATIONS] as const

/** Above it the ids that the database gives out would soon be out of reach of a JSON number. */
const MAX_CHOSEN_ID = 999_999_999_999

const features = z.array(z.enum(ACCOUNT_FEATURES)).transform((names) => [...new Set(names)])

const timezone = z
  .string()
  .refine(isTimeZone, 'must be a time zone of the IANA database, e.g. Europe/Berlin')
  .meta({ example: 'Europe/Berlin' })

const teamEmails = z
  .record(z.string().regex(/^[1-9]\d{0,14}$/, 'must be the id of a team'), z.array(z.email()).min(1).max(100))
  .meta({ description: 'Addresses by team id, for the action send_email_to_team.' })

/** Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
const webhookSecrets = z
  .array(
    z.string().regex(/^whsec_(?=.{32,88}$)(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, {
      message: 'must be whsec_ and 24 to 64 bytes in base64',
    }),
  )
  .min(1)
  .max(10)
  .meta({
    description:
      'Sign webhooks, the first in front; while a receiver changes over keep the old one behind the new. ' +
      'Every account is created with one. Only administrators see them.',
  })

const disabledWebhooks = z
  .array(z.url().max(2_000))
  .max(1_000)
  .meta({ description: 'Addresses that are called no more, because their receiver answered 410 Gone.' })

const maxMessages = z.int().min(1).max(10_000).meta({
  description: 'Messages (send_message) to one conversation in one minute of the clock; unlimited unless given.',
})

const maxMails = z.int().min(1).max(10_000_000).meta({
  description: 'Mails of rules in one day by the time zone of the account; unlimited unless given.',
})

const mailFrom = z
  .string()
  .max(320)
  .regex(/^(?:[^<>@\r\n]{1,190} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an address, or Name <address>')
  .meta({
    description: 'Sender of e-mails of automations; the installation’s unless given.',
    example: 'Acme <hello@acme.example>',
  })

const mailReplyTo = z.email().meta({ description: 'Where answers to e-mails of automations go.' })

const trackOpens = z.boolean().meta({
  description:
    'true: opens of e-mails are counted by a pixel. false: they are not tracked at all, whatever is reported. Left out: ' +
    'no pixel, what a provider reports is counted.',
})
const trackClicks = z.boolean().meta({
  description:
    'true: links in e-mails lead through an address that counts. false: clicks are not tracked at all, whatever is ' +
    'reported. Left out: links stay as they are, what a provider reports is counted.',
})

const signingSecrets = z.array(z.string().min(8).max(500)).min(1).max(10)

const mailWebhookSecrets = z
  .strictObject({
    standard: webhookSecrets.meta({ description: 'Secrets of Standard Webhooks.' }),
    mailgun: signingSecrets.meta({ description: 'HTTP webhook signing keys of Mailgun.' }),
    sendgrid: signingSecrets.meta({ description: 'Verification keys (public) of SendGrid’s signed event webhook.' }),
  })
  .partial()
  .meta({
    description:
      'What providers of e-mail sign their reports with, by provider; several of one while it is changed. Without one a ' +
      'provider may not report. Only administrators see them.',
  })

/** What an account may set. */
export const accountSettings = z
  .strictObject({
    timezone: timezone.meta({ description: 'Zone in which dates of conditions are judged; UTC unless given.' }),
    team_emails: teamEmails,
    webhook_secrets: webhookSecrets,
    disabled_webhooks: disabledWebhooks,
    mail_from: mailFrom,
    mail_reply_to: mailReplyTo,
    track_opens: trackOpens,
    track_clicks: trackClicks,
    mail_webhook_secrets: mailWebhookSecrets,
    max_messages_per_conversation_per_minute: maxMessages,
    max_mails_per_account_per_day: maxMails,
  })
  .partial()
  .meta({ id: 'AccountSettings' })
export type AccountSettings = z.output<typeof accountSettings>

export const createAccountBody = z
  .strictObject({
    id: idSchema.max(MAX_CHOSEN_ID).optional().meta({ description: 'The id the upstream application knows it by.' }),
    name: nameSchema,
    features: features.optional(),
    settings: accountSettings.optional(),
  })
  .meta({ id: 'AccountToCreate' })
export type CreateAccountBody = z.output<typeof createAccountBody>

/** Settings are merged key by key; null removes one. */
export const updateAccountBody = z
  .strictObject({
    name: nameSchema,
    features: features.meta({ description: 'The whole list. Only the admin token may change it.' }),
    settings: z
      .strictObject({
        timezone: timezone.nullable(),
        team_emails: teamEmails.nullable(),
        webhook_secrets: webhookSecrets,
        disabled_webhooks: disabledWebhooks.nullable(),
        mail_from: mailFrom.nullable(),
        mail_reply_to: mailReplyTo.nullable(),
        track_opens: trackOpens.nullable(),
        track_clicks: trackClicks.nullable(),
        mail_webhook_secrets: mailWebhookSecrets.nullable(),
        max_messages_per_conversation_per_minute: maxMessages.nullable(),
        max_mails_per_account_per_day: maxMails.nullable(),
      })
      .partial(),
  })
  .partial()
  .meta({ id: 'AccountChange' })
export type UpdateAccountBody = z.output<typeof updateAccountBody>

export const accountAnswer = z
  .object({
    id: idSchema,
    name: z.string(),
    features: z.array(z.string()),
    settings: z.record(z.string(), z.unknown()),
    created_at: instantSchema,
    updated_at: instantSchema,
  })
  .meta({ id: 'Account' })
export type AccountAnswer = z.output<typeof accountAnswer>

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
