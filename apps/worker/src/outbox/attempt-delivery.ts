import { formatInstant } from '@dwell/contracts/instant'
import type { DeliveryStatus, DeliveryTarget as TargetName } from '@dwell/contracts/pending-execution'
import {
  beginUnrepeatable,
  type DeliveryToAttempt,
  deliveryStatus,
  endAttempt,
  loadForAttempt,
} from '@dwell/database/deliveries/attempts'
import { disableWebhook } from '@dwell/database/deliveries/disable-webhook'
import type { Pool } from '@dwell/database/pool'
import { nextAttemptAt } from '@dwell/domain/rules/delivery-retry'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { DeliveryOutcome, DeliveryTarget } from '../targets/target'
import type { WorkerMetrics } from '../worker-metrics'

export interface AttemptDependencies {
  readonly pool: Pool
  readonly clock: Clock
  /** Targets by name; one that is not configured is left out, and its deliveries fail with that reason. */
  readonly targets: Readonly<Partial<Record<TargetName, DeliveryTarget>>>
  /** 0..1; spreads retries. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: WorkerMetrics
}

/** `not due`: a later attempt is planned. `already …`: nothing is to be done, a person has to say so first. */
export type AttemptResult =
  | { readonly outcome: DeliveryOutcome['outcome']; readonly attempt: number }
  | { readonly outcome: 'not due' | 'gone' | `already ${DeliveryStatus}` }

/** A webhook receiver deduplicates by the delivery's id; a mail server does not. */
const REPEATABLE: ReadonlySet<TargetName> = new Set(['webhook'])

/**
 * Makes the attempt of one delivery that is due, and keeps what it came to. Of a target that cannot deduplicate the attempt
 * is written down before it is made: if this worker dies the delivery stays `unknown` and waits for a person.
 */
export async function attemptDelivery(
  deps: AttemptDependencies,
  id: string,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const beganAt = await deps.clock.now()
  const delivery = await loadForAttempt(deps.pool, id, beganAt)
  if (delivery === null) return nothingToDo(deps.pool, id)
  signal.throwIfAborted()
  const begun = !REPEATABLE.has(delivery.target)
  if (begun && !(await beginUnrepeatable(deps.pool, delivery, beganAt, formatInstant(beganAt))))
    return nothingToDo(deps.pool, id)
  const outcome = await attempt(deps, delivery, signal)
  await keep(deps, delivery, outcome, begun)
  deps.metrics.deliveries.add({ queue: delivery.target, outcome: outcome.outcome })
  return { outcome: outcome.outcome, attempt: delivery.attempts.length + 1 }
}

async function nothingToDo(pool: Pool, id: string): Promise<AttemptResult> {
  const status = await deliveryStatus(pool, id)
  if (status === null) return { outcome: 'gone' }
  return { outcome: status === 'pending' ? 'not due' : `already ${status}` }
}

async function attempt(
  deps: AttemptDependencies,
  delivery: DeliveryToAttempt,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const target = deps.targets[delivery.target]
  if (target === undefined) return { outcome: 'failed', error: `no target for ${delivery.target} is configured` }
  try {
    return await target.deliver({ id: delivery.id, accountId: delivery.accountId, payload: delivery.payload }, signal)
  } catch (error) {
    // The port says that such an attempt may be repeated without harm: the shutdown interrupted it, or it never began.
    return { outcome: 'retry', error: error instanceof Error ? error.message : String(error), retryAfter: null }
  }
}

async function keep(
  deps: AttemptDependencies,
  delivery: DeliveryToAttempt,
  outcome: DeliveryOutcome,
  begun: boolean,
): Promise<void> {
  const now = await deps.clock.now()
  const attempts = delivery.attempts.length + 1
  const again =
    outcome.outcome === 'retry'
      ? nextAttemptAt({ attempts, now, retryAfter: outcome.retryAfter, random: deps.random() })
      : null
  const error = outcome.outcome === 'delivered' ? null : outcome.error
  const attemptOutcome = outcome.outcome === 'retry' ? 'failed' : outcome.outcome
  const status: DeliveryStatus = again === null ? attemptOutcome : 'pending'
  const kept = await endAttempt(
    deps.pool,
    delivery,
    {
      status,
      error,
      nextAttemptAt: again,
      attempt: { at: formatInstant(now), outcome: attemptOutcome, ...(error === null ? {} : { error }) },
      begun,
    },
    now,
  )
  if (!kept) {
    deps.logger.warn('outcome of an attempt was not kept: somebody decided about the delivery meanwhile', {
      event: 'delivery.moved_on',
      delivery_id: delivery.id,
      outcome: outcome.outcome,
    })
  }
  if (outcome.outcome === 'failed' && outcome.gone === true) {
    await disableWebhook(deps.pool, delivery.accountId, String(delivery.payload.url))
  }
}
