import type { Micros } from '@dwell/contracts/instant'
import type { JsonObject } from '@dwell/domain/rules/planned-delivery'

/** A delivery of the outbox on its way to a slow target. */
export interface OutgoingDelivery {
  /** The idempotency key: the same in every attempt. */
  readonly id: string
  readonly accountId: number
  /** As planned: see `@dwell/domain/rules/planned-delivery`. */
  readonly payload: JsonObject
}

/** What one attempt came to. The caller keeps it with the delivery and decides by it. */
export type DeliveryOutcome =
  | { readonly outcome: 'delivered' }
  /** For good. `gone`: the receiver wants nothing more under this address. */
  | { readonly outcome: 'failed'; readonly error: string; readonly gone?: true }
  /** A passing fault; `retryAfter` is what the target asked for, µs. */
  | { readonly outcome: 'retry'; readonly error: string; readonly retryAfter: Micros | null }
  /** It may have been taken and the target cannot tell: never repeated unless a person says so. */
  | { readonly outcome: 'unknown'; readonly error: string }

/** The port of everything that leaves by itself: webhooks, mail, adapters for a host. */
export interface DeliveryTarget {
  /**
   * Makes one attempt. Faults of the target are outcomes; it throws only the signal's reason, and only when the attempt
   * may be repeated without harm.
   */
  deliver(delivery: OutgoingDelivery, signal: AbortSignal): Promise<DeliveryOutcome>
}
