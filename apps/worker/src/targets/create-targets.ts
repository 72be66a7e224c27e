import { accountSettings } from '@dwell/database/account-settings'
import type { Pool } from '@dwell/database/pool'
import { mailDomain } from '@dwell/mail/mail-domain'
import { createSmtpSender, type MailSender } from '@dwell/mail/smtp-sender'
import type { Clock } from '@dwell/runtime/clock'
import type { WorkerConfig } from '@dwell/runtime/config'
import { createSmtpTarget } from './smtp'
import type { DeliveryTarget } from './target'
import { createWebhookTarget } from './webhook'

/** A mail is waited for while the process shuts down: shorter than the deadline of that. */
const MAIL_TIMEOUT_MS = 20_000

/** Null where no mail server is configured. */
export function createMailSender({ smtpUrl, mailFrom }: Pick<WorkerConfig, 'smtpUrl' | 'mailFrom'>): MailSender | null {
  return smtpUrl === undefined ? null : createSmtpSender({ url: smtpUrl, from: mailFrom, timeoutMs: MAIL_TIMEOUT_MS })
}

/** The slow targets this process serves. */
export function createTargets(
  config: Pick<WorkerConfig, 'webhookTimeoutMs' | 'allowPrivateWebhooks' | 'mailFrom'>,
  { pool, clock, sender }: { readonly pool: Pool; readonly clock: Clock; readonly sender: MailSender | null },
): Readonly<Record<'webhook' | 'smtp', DeliveryTarget>> {
  return {
    smtp: createSmtpTarget({
      sender,
      domain: mailDomain(config.mailFrom),
    }),
    webhook: createWebhookTarget({
      clock,
      timeoutMs: config.webhookTimeoutMs,
      allowPrivateAddresses: config.allowPrivateWebhooks,
      async secretsOf(accountId) {
        const { webhook_secrets: secrets } = await accountSettings(pool, accountId)
        return Array.isArray(secrets) ? secrets : []
      },
    }),
  }
}
