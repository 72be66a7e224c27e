import type { MailSender } from '@dwell/mail/smtp-sender'
import type { DeliveryTarget } from './target'

export interface SmtpTargetOptions {
  /** Null where no mail server is configured. */
  readonly sender: MailSender | null
  /** Domain of Message-IDs: that of the sender's address. */
  readonly domain: string
}

/**
 * `send_email_to_team` and `send_email_transcript`: one mail of one delivery. A mail server cannot deduplicate; the
 * Message-ID made of the delivery's id at least lets a person, or a mailbox, see that two mails are one.
 */
export function createSmtpTarget({ sender, domain }: SmtpTargetOptions): DeliveryTarget {
  return {
    async deliver({ id, payload }, signal) {
      const { to, subject, text } = payload
      if (typeof to !== 'string' || typeof subject !== 'string' || typeof text !== 'string') {
        return { outcome: 'failed', error: 'the delivery has no address, subject or text' }
      }
      if (sender === null) return { outcome: 'failed', error: 'no mail server is configured: set SMTP_URL' }
      return sender.send({ messageId: `dwell.${id}@${domain}`, to, subject, text }, signal)
    },
  }
}
