import { createHmac } from 'node:crypto'
import { webhookKey } from '../../rules/webhook-secret'
import type { ProviderWebhook } from './provider-webhook'
import { isSameText, isWithinWindow, timestampOf } from './signing'

/**
 * Standard Webhooks, with the events as `POST …/email_events` takes them: for every sender that has no form of its own here.
 * https://github.com/standard-webhooks/standard-webhooks
 */
export const standard: ProviderWebhook = {
  isGenuine({ header, body }, secrets, now) {
    const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
    if (id === null || timestamp === null || signatures === null) return false
    if (!isWithinWindow(timestampOf(timestamp), now)) return false
    return secrets.some((secret) => {
      const key = webhookKey(secret)
      if (key === null) return false
      const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
      return signatures.split(' ').some((given) => isSameText(given, signature))
    })
  },
  events: (body) => (Array.isArray(body) ? body : [body]),
}
