import type { DeliveryTarget } from '@dwell/contracts/pending-execution'

export type JsonObject = Readonly<Record<string, unknown>>

/** A row of the outbox to be, written in the statement that executes the pending execution. */
export interface PlannedDelivery {
  /**
   * `<execution id>-<position>`, of mails `<execution id>-<position>-<n>`: one delivery per mail, so that each has its own
   * outcome. The idempotency key, the same in every attempt.
   */
  readonly id: string
  readonly position: number
  readonly actionName: string
  readonly target: DeliveryTarget
  /** `failed`: refused before any attempt, `error` says why. */
  readonly status: 'pending' | 'failed'
  /** `stream`: the ActionEnvelope; `webhook`: WebhookPayload; `smtp`: MailPayload. */
  readonly payload: JsonObject
  readonly error: string | null
}

/** What a webhook delivery holds: where the POST goes and its body. */
export interface WebhookPayload {
  readonly url: string
  readonly body: JsonObject
}

/** What a mail delivery holds: one mail to one address. */
export interface MailPayload {
  readonly to: string
  readonly subject: string
  readonly text: string
}
