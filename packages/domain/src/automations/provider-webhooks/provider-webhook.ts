import type { Micros } from '@dwell/contracts/instant'

/** A request as it came: its signature speaks of these bytes. */
export interface WebhookRequest {
  /** Null where there is none; names in any letter case. */
  readonly header: (name: string) => string | null
  readonly body: Uint8Array
}

/** How a sender of mails reports what became of them. */
export interface ProviderWebhook {
  /** Whether it was signed with one of the secrets, and not too long ago. Never throws. */
  isGenuine(request: WebhookRequest, secrets: readonly string[], now: Micros): boolean
  /** What a body that is JSON reports, each in the form of `POST …/email_events`, to be checked like that. */
  events(body: unknown): readonly unknown[]
  /** Something that may be used once, where the signature speaks of less than the whole body. */
  once?(body: unknown): string | null
}
