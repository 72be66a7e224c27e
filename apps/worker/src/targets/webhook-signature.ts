import { createHmac } from 'node:crypto'
import { MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'

export interface SignedMessage {
  /** The idempotency key of the message. */
  readonly id: string
  readonly now: Micros
  readonly body: string
  /** One signature each: while a secret is being replaced, receivers verify with the old or the new one. */
  readonly keys: readonly Uint8Array[]
}

/** The headers of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks. */
export function webhookHeaders({ id, now, body, keys }: SignedMessage): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / MICROS_PER_SECOND))
  const signed = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' '),
  }
}
