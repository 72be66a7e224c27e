import { accountSettings } from '@dwell/database/account-settings'
import type { Pool } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'
import type { WorkerConfig } from '@dwell/runtime/config'
import type { DeliveryTarget } from './target'
import { createWebhookTarget } from './webhook'

/** The slow targets this process serves. */
export function createTargets(
  config: Pick<WorkerConfig, 'webhookTimeoutMs' | 'allowPrivateWebhooks'>,
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
): Readonly<Record<'webhook', DeliveryTarget>> {
  return {
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
