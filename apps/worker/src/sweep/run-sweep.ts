import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import type { SweepSummary } from '@dwell/contracts/jobs'
import { type DueDelivery, dueDeliveries } from '@dwell/database/deliveries/attempts'
import { type ClaimedExecution, claimDue, releaseClaims } from '@dwell/database/pending-executions/claim'
import {
  countDue,
  expireOverdue,
  flagDisabledAccounts,
  reclaimStale,
  skipFlagDisabled,
} from '@dwell/database/pending-executions/sweep-steps'
import type { Pool } from '@dwell/database/pool'
import { readConfigs, type SweepTrigger, storeSweep } from '@dwell/database/sweeps'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { StreamRelay } from '../outbox/stream-relay'
import type { WorkerMetrics } from '../worker-metrics'

export interface SweepDependencies {
  readonly pool: Pool
  readonly clock: Clock
  readonly relay: Pick<StreamRelay, 'relayPending'>
  readonly enqueue: (claims: readonly ClaimedExecution[]) => Promise<void>
  readonly enqueueDeliveries: (deliveries: readonly DueDelivery[]) => Promise<void>
  readonly logger: Logger
  readonly metrics: WorkerMetrics
}

export interface Sweep {
  readonly startedAt: Micros
  readonly summary: SweepSummary
  readonly claims: readonly ClaimedExecution[]
  readonly deliveries: readonly DueDelivery[]
}

const CLAIM_BATCH = 1_000
const DELIVERY_BATCH = 1_000

/**
 * Moves everything whose time has come: kill switch → reclaim → expire → skip accounts whose feature is off → claim in due
 * order up to the limit and enqueue → summary. What is due is decided by the clock, never by the tick's nominal time.
 * Immediate rows (`event:…`) that were left waiting go on under the kill switch and without the feature.
 */
export async function runSweep(deps: SweepDependencies, trigger: SweepTrigger): Promise<Sweep> {
  const { pool } = deps
  const began = performance.now()
  const now = await deps.clock.now()
  const configs = await readConfigs(pool)
  const delayed = !configs.DISABLE_DELAYED_AUTOMATIONS
  const pauses = configs.DELAYED_AUTOMATIONS_WHEN_DISABLED === 'pause'
  const disabledAccounts = delayed ? await flagDisabledAccounts(pool) : []
  const pausedAccounts = pauses ? disabledAccounts : []

  const reclaimed = await reclaimStale(pool, now, delayed)
  const expired = delayed ? await expireOverdue(pool, now, pausedAccounts) : 0
  const flagDisabled = pauses ? 0 : await skipFlagDisabled(pool, now, disabledAccounts)
  const scope = { now, delayed, pausedAccounts }
  const limit = configs.AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT
  const claims = await claimAndEnqueue(deps, scope, limit)
  const remaining = await countDue(pool, scope)
  await deps.relay.relayPending().catch((error) => deps.logger.error('relay failed', { event: 'relay.failed', error }))
  const deliveries = await enqueueDueDeliveries(deps, now)

  const summary: SweepSummary = {
    event: delayed ? 'completed' : 'disabled',
    due: claims.length + remaining,
    enqueued: claims.length,
    capped: remaining > 0 && claims.length >= limit,
    remaining,
    expired,
    reclaimed,
    flag_disabled: flagDisabled,
    duration_ms: Math.round((performance.now() - began) * MICROS_PER_MILLISECOND) / MICROS_PER_MILLISECOND,
  }
  await storeSweep(pool, now, trigger, summary)
  observe(deps, trigger, summary)
  return { startedAt: now, summary, claims, deliveries }
}

/** The next batch is claimed while the last one is being enqueued. A batch that Redis refuses is given back. */
async function claimAndEnqueue(
  deps: SweepDependencies,
  scope: { readonly now: Micros; readonly delayed: boolean; readonly pausedAccounts: readonly number[] },
  limit: number,
): Promise<ClaimedExecution[]> {
  const enqueued: ClaimedExecution[] = []
  let enqueueing: Promise<boolean> = Promise.resolve(true)
  let claimed = 0
  while (claimed < limit) {
    const batch = await claimDue(deps.pool, { ...scope, limit: Math.min(CLAIM_BATCH, limit - claimed) })
    const isLast = batch.length < CLAIM_BATCH
    claimed += batch.length
    const previousWorked = await enqueueing
    enqueueing = previousWorked ? enqueueOrGiveBack(deps, batch, enqueued, scope.now) : giveBack(deps, batch, scope.now)
    if (isLast || !previousWorked) break
  }
  await enqueueing
  return enqueued
}

async function enqueueOrGiveBack(
  deps: SweepDependencies,
  batch: readonly ClaimedExecution[],
  enqueued: ClaimedExecution[],
  now: Micros,
): Promise<boolean> {
  if (batch.length === 0) return true
  try {
    await deps.enqueue(batch)
    enqueued.push(...batch)
    return true
  } catch (error) {
    deps.logger.error('claimed rows could not be enqueued', {
      event: 'sweep.enqueue_failed',
      count: batch.length,
      error,
    })
    return giveBack(deps, batch, now)
  }
}

async function giveBack(deps: SweepDependencies, batch: readonly ClaimedExecution[], now: Micros): Promise<boolean> {
  await releaseClaims(deps.pool, batch, now)
  return false
}

async function enqueueDueDeliveries(deps: SweepDependencies, now: Micros): Promise<readonly DueDelivery[]> {
  const due = await dueDeliveries(deps.pool, now, DELIVERY_BATCH)
  try {
    await deps.enqueueDeliveries(due)
    return due
  } catch (error) {
    deps.logger.error('deliveries could not be enqueued', { event: 'deliver.enqueue_failed', count: due.length, error })
    return []
  }
}

function observe({ logger, metrics }: SweepDependencies, trigger: SweepTrigger, summary: SweepSummary): void {
  const { event, ...numbers } = summary
  logger.info('sweep ended', { event: `sweep.${event}`, trigger, ...numbers })
  metrics.sweepDuration.observe({}, summary.duration_ms / 1_000)
  metrics.sweptRows.add({ outcome: 'enqueued' }, summary.enqueued)
  metrics.sweptRows.add({ outcome: 'expired' }, summary.expired)
  metrics.sweptRows.add({ outcome: 'reclaimed' }, summary.reclaimed)
  metrics.sweptRows.add({ outcome: 'flag_disabled' }, summary.flag_disabled)
}
