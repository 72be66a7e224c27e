import type { Queryable } from '../pool'

const DISABLE = `
  UPDATE accounts SET rules_version = rules_version + 1,
    settings = jsonb_set(settings, '{disabled_webhooks}', coalesce(settings -> 'disabled_webhooks', '[]') || to_jsonb($2::text))
  WHERE id = $1 AND NOT coalesce(settings -> 'disabled_webhooks', '[]') ? $2`

/** The receiver answered 410: nothing more is sent to this address until it is taken out of the account's settings. */
export async function disableWebhook(db: Queryable, accountId: number, url: string): Promise<void> {
  await db.query({ name: 'webhook-disable', text: DISABLE, values: [accountId, url] })
}
