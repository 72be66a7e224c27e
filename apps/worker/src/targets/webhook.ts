import { judgeWebhookStatus, retryAfterOf } from '@dwell/domain/rules/delivery-retry'
import { webhookKey } from '@dwell/domain/rules/webhook-secret'
import type { Clock } from '@dwell/runtime/clock'
import { post, type Resolve } from './http-post'
import type { DeliveryOutcome, DeliveryTarget } from './target'
import { webhookHeaders } from './webhook-signature'

export interface WebhookTargetOptions {
  readonly clock: Clock
  /** The account's signing secrets `whsec_…`, the one that signs first in front. */
  readonly secretsOf: (accountId: number) => Promise<readonly unknown[]>
  readonly timeoutMs: number
  readonly allowPrivateAddresses: boolean
  readonly resolve?: Resolve
}

/**
 * `send_webhook_event`: one POST, signed as Standard Webhooks wants it. Receivers know repeats by `webhook-id`, so an
 * attempt whose answer was lost is made again; 410 ends the address for good.
 */
export function createWebhookTarget(options: WebhookTargetOptions): DeliveryTarget {
  const { clock, secretsOf, timeoutMs, allowPrivateAddresses, resolve } = options
  return {
    async deliver(delivery, signal) {
      const { url, body } = delivery.payload
      if (typeof url !== 'string') return { outcome: 'failed', error: 'the delivery has no address' }
      const keys = (await secretsOf(delivery.accountId)).map(webhookKey).filter((key) => key !== null)
      if (keys.length === 0) {
        return { outcome: 'failed', error: 'the settings of the account have no valid secret under webhook_secrets' }
      }
      const text = JSON.stringify(body)
      const headers = webhookHeaders({ id: delivery.id, now: await clock.now(), body: text, keys })
      const answer = await post(
        {
          url,
          headers: { 'content-type': 'application/json', 'user-agent': 'Dwell', ...headers },
          body: text,
          timeoutMs,
          allowPrivateAddresses,
          ...(resolve === undefined ? {} : { resolve }),
        },
        signal,
      )
      switch (answer.kind) {
        case 'refused':
          return { outcome: 'failed', error: answer.error }
        case 'no_answer':
          return { outcome: 'retry', error: answer.error, retryAfter: null }
        case 'answer':
          return outcomeOf(answer.status, retryAfterOf(answer.headers['retry-after'], await clock.now()))
      }
    },
  }
}

function outcomeOf(status: number, retryAfter: ReturnType<typeof retryAfterOf>): DeliveryOutcome {
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  const error = `the receiver answered ${status}${redirect}`
  switch (judgeWebhookStatus(status)) {
    case 'delivered':
      return { outcome: 'delivered' }
    case 'gone':
      return { outcome: 'failed', error, gone: true }
    case 'failed':
      return { outcome: 'failed', error }
    case 'retry':
      return { outcome: 'retry', error, retryAfter }
  }
}
