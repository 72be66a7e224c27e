import { createHmac } from 'node:crypto'
import { formatInstant, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import type { ProviderWebhook } from './provider-webhook'
import { isSameText, isWithinWindow, timestampOf, valueIn } from './signing'

/**
 * Mailgun signs time and a token, which stand in the body, and not what it reports. So a token is good once: else whoever saw
 * one could report anything with it.
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const mailgun: ProviderWebhook = {
  isGenuine({ body }, secrets, now) {
    const signed = valueIn(jsonOf(body), 'signature')
    const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((key) => valueIn(signed, key))
    if (typeof token !== 'string' || token === '' || typeof signature !== 'string') return false
    if (!isWithinWindow(timestampOf(timestamp), now)) return false
    return secrets.some((secret) =>
      isSameText(signature, createHmac('sha256', secret).update(`${timestamp}${token}`).digest('hex')),
    )
  },
  events(body) {
    const data = valueIn(body, 'event-data')
    const type = typeOf(data)
    if (type === null) return []
    const at = valueIn(data, 'timestamp')
    return [
      {
        message_id: valueIn(data, 'message', 'headers', 'message-id'),
        type,
        at: isTime(at) ? formatInstant(Math.round(at * MICROS_PER_SECOND) as Micros) : at,
        ...(type === 'clicked' ? { url: valueIn(data, 'url') } : {}),
      },
    ]
  },
  once(body) {
    const token = valueIn(body, 'signature', 'token')
    return typeof token === 'string' ? token : null
  },
}

/** A failure that will be tried again tells nothing yet; a click on Mailgun's own unsubscribe link is no complaint. */
function typeOf(data: unknown): string | null {
  const event = valueIn(data, 'event')
  if (event === 'failed') return valueIn(data, 'severity') === 'permanent' ? 'bounced' : null
  return typeof event === 'string' && ['delivered', 'opened', 'clicked', 'complained'].includes(event) ? event : null
}

/** Seconds with fractions, until the year 2255. */
function isTime(at: unknown): at is number {
  return typeof at === 'number' && at >= 0 && at * MICROS_PER_SECOND <= Number.MAX_SAFE_INTEGER
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}
