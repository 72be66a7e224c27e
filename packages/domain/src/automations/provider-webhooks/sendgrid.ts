import { createPublicKey, verify } from 'node:crypto'
import { formatInstant } from '@dwell/contracts/instant'
import type { ProviderWebhook } from './provider-webhook'
import { isWithinWindow, timestampOf, valueIn } from './signing'

const SIGNATURE = 'x-twilio-email-event-webhook-signature'
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp'

/**
 * SendGrid signs time and bytes of the body with a key of its own (ECDSA); the account keeps the public half, as SendGrid
 * shows it.
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export const sendgrid: ProviderWebhook = {
  isGenuine({ header, body }, keys, now) {
    const [signature, timestamp] = [header(SIGNATURE), header(TIMESTAMP)]
    if (signature === null || timestamp === null || !isWithinWindow(timestampOf(timestamp), now)) return false
    const signed = Buffer.concat([Buffer.from(timestamp, 'utf8'), body])
    return keys.some((key) => isSignedWith(key, signed, Buffer.from(signature, 'base64')))
  },
  events: (body) => (Array.isArray(body) ? body.flatMap(eventOf) : []),
}

function isSignedWith(publicKey: string, signed: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return verify('sha256', signed, key, signature)
  } catch {
    // No key, or none for signatures.
    return false
  }
}

const TYPES: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  open: 'opened',
  click: 'clicked',
  bounce: 'bounced',
  // Not even tried, as it had bounced or complained before.
  dropped: 'bounced',
  spamreport: 'complained',
}

/** Others tell of a mail on its way, or of SendGrid's own unsubscribe links: nothing about this mail. */
function eventOf(element: unknown): unknown[] {
  const event = valueIn(element, 'event')
  const type = typeof event === 'string' && Object.hasOwn(TYPES, event) ? TYPES[event] : undefined
  if (type === undefined) return []
  const timestamp = valueIn(element, 'timestamp')
  const at = timestampOf(timestamp)
  return [
    {
      message_id: valueIn(element, 'smtp-id'),
      type,
      at: at === null ? timestamp : formatInstant(at),
      ...(type === 'clicked' ? { url: valueIn(element, 'url') } : {}),
    },
  ]
}
