import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import type { SweepSummary } from '@dwell/contracts/jobs'
import type { ClaimedStep } from '@dwell/database/automations/step-claims'
import { type DueDelivery, dueDeliveries } from '@dwell/database/deliveries/attempts'
import { type ClaimedExecution, claimDue, releaseClaims } from '@dwell/database/pending-executions/claim'
import type { DueScope } from '@dwell/database/pending-executions/due-scope'
import {
  countDue,
  expireOverdue,
  reclaimStale,
  skipDueOfDisabledAccounts,
  skipWaitingOfDisabledAccounts,
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
  /** `turns` goes with all batches of one sweep: accounts take turns. */
  readonly enqueue: (claims: readonly ClaimedExecution[], turns: Map<number, number>) => Promise<void>
  /** Claims and enqueues the steps of automations that are ready. */
  readonly sweepSteps: () => Promise<readonly ClaimedStep[]>
  readonly enqueueDeliveries: (deliveries: readonly DueDelivery[]) => Promise<void>
  readonly logger: Logger
  readonly metrics: WorkerMetrics
}

export interface Sweep {
  readonly startedAt: Micros
  /** Under which its summary is kept; null where it was no news. */
  readonly id: number | null
  readonly summary: SweepSummary
  readonly claims: readonly ClaimedExecution[]
  readonly steps: readonly ClaimedStep[]
  readonly deliveries: readonly DueDelivery[]
}

const CLAIM_BATCH = 1_000
const DELIVERY_BATCH = 1_000
const BEGINNING = 0 as Micros

/**
 * Moves everything whose time has come: kill switch → reclaim → expire → skip accounts whose feature is off → claim in due
 * order up to the limit and enqueue → summary. What is due is decided by the clock, never by the tick's nominal time.
 * Immediate rows (`event:…`) that were left waiting go on under the kill switch and without the feature.
 * `deliveriesDueAfter` passes over repetitions that an earlier sweep has enqueued.
 */
export async function runSweep(
  deps: SweepDependencies,
  trigger: SweepTrigger,
  deliveriesDueAfter: Micros = BEGINNING,
): Promise<Sweep> {
  const { pool } = deps
  const began = performance.now()
  const now = await deps.clock.now()
  // Rules and automations do not wait for each other's backlog, and no setting is about steps.
  const sweepingSteps = sweepStepsOrReport(deps)
  const configs = await readConfigs(pool)
  const delayed = !configs.DISABLE_DELAYED_AUTOMATIONS
  const pauses = configs.DELAYED_AUTOMATIONS_WHEN_DISABLED === 'pause'
  const limit = configs.AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT
  const scope: DueScope = { now, delayed, pauses }
  const skips = delayed && !pauses

  // A quarter of an hour need not be met to the moment, and there may be dozens of wakes per second.
  const reclaimed = trigger === 'wake' ? 0 : await reclaimStale(pool, scope)
  const expired = delayed ? await expireOverdue(pool, scope) : 0
  let flagDisabled = skips ? await skipDueOfDisabledAccounts(pool, now) : 0
  const claims = await claimAndEnqueue(deps, scope, limit)
  const steps = await sweepingSteps
  const remaining = await countDue(pool, scope)
  // Nothing above waits for these two.
  if (trigger !== 'wake') {
    if (skips) flagDisabled += await skipWaitingOfDisabledAccounts(pool, now)
    await deps.relay
      .relayPending()
      .catch((error) => deps.logger.error('relay failed', { event: 'relay.failed', error }))
  }
  const deliveries = await enqueueDueDeliveries(deps, now, deliveriesDueAfter)

  const summary: SweepSummary = {
    event: delayed ? 'completed' : 'disabled',
    due: claims.length + remaining,
    enqueued: claims.length,
    capped: remaining > 0 && claims.length >= limit,
    remaining,
    expired,
    reclaimed,
    flag_disabled: flagDisabled,
    steps: steps.length,
    ...latenessOf(claims, now),
    duration_ms: Math.round((performance.now() - began) * MICROS_PER_MILLISECOND) / MICROS_PER_MILLISECOND,
  }
  // A wake that found nothing (what it was set for has moved) is no news; there may be many.
  const id = trigger !== 'wake' || isNews(summary) ? await storeSweep(pool, now, trigger, summary) : null
  observe(deps, trigger, summary)
  return { startedAt: now, id, summary, claims, steps, deliveries }
}

/** Immediate rows are left out: they are due when the host says that the event occurred. */
function latenessOf(
  claims: readonly ClaimedExecution[],
  now: Micros,
): Pick<SweepSummary, 'lateness_p50_ms' | 'lateness_max_ms'> {
  const late = claims
    .filter(({ immediate }) => !immediate)
    .map(({ dueAt }) => (now - dueAt) / MICROS_PER_MILLISECOND)
    .sort((a, b) => a - b)
  return { lateness_p50_ms: late[Math.floor((late.length - 1) / 2)] ?? null, lateness_max_ms: late.at(-1) ?? null }
}

function isNews({ due, expired, reclaimed, flag_disabled, steps }: SweepSummary): boolean {
  return due + expired + reclaimed + flag_disabled + steps > 0
}

/** Rules do not stand still because automations do. */
async function sweepStepsOrReport({ sweepSteps, logger }: SweepDependencies): Promise<readonly ClaimedStep[]> {
  try {
    return await sweepSteps()
  } catch (error) {
    logger.error('ready steps could not be claimed', { event: 'sweep.steps_failed', error })
    return []
  }
}

/** The next batch is claimed while the last one is being enqueued. A batch that Redis refuses is given back. */
async function claimAndEnqueue(deps: SweepDependencies, scope: DueScope, limit: number): Promise<ClaimedExecution[]> {
  const enqueued: ClaimedExecution[] = []
  let enqueueing: Promise<boolean> = Promise.resolve(true)
  const turns = new Map<number, number>()
  let claimed = 0
  let last: ClaimedExecution | undefined
  while (claimed < limit) {
    const batch = await claimDue(deps.pool, scope, Math.min(CLAIM_BATCH, limit - claimed), last)
    last = batch.at(-1)
    const isLast = batch.length < CLAIM_BATCH
    claimed += batch.length
    const previousWorked = await enqueueing
    enqueueing = previousWorked
      ? enqueueOrGiveBack(deps, batch, { enqueued, turns, now: scope.now })
      : giveBack(deps, batch, scope.now)
    if (isLast || !previousWorked) break
  }
  await enqueueing
  return enqueued
}

async function enqueueOrGiveBack(
  deps: SweepDependencies,
  batch: readonly ClaimedExecution[],
  { enqueued, turns, now }: { enqueued: ClaimedExecution[]; turns: Map<number, number>; now: Micros },
): Promise<boolean> {
  if (batch.length === 0) return true
  try {
    await deps.enqueue(batch, turns)
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

/** Where even that fails the rows stay claimed, and are reclaimed like those of a dead worker. */
async function giveBack(deps: SweepDependencies, batch: readonly ClaimedExecution[], now: Micros): Promise<false> {
  try {
    await releaseClaims(deps.pool, batch, now)
  } catch (error) {
    deps.logger.error('claims could not be given back', { event: 'sweep.release_failed', count: batch.length, error })
  }
  return false
}

/** An attempt that has its job already is not enqueued twice: the job's id is that of the attempt. */
async function enqueueDueDeliveries(deps: SweepDependencies, now: Micros, after: Micros): Promise<DueDelivery[]> {
  const enqueued: DueDelivery[] = []
  for (let last: Pick<DueDelivery, 'dueAt' | 'id'> | undefined = { dueAt: after, id: '' }; last !== undefined; ) {
    const page = await dueDeliveries(deps.pool, now, last, DELIVERY_BATCH)
    try {
      await deps.enqueueDeliveries(page)
    } catch (error) {
      deps.logger.error('deliveries could not be enqueued', {
        event: 'deliver.enqueue_failed',
        count: page.length,
        error,
      })
      break
    }
    enqueued.push(...page)
    last = page.length < DELIVERY_BATCH ? undefined : page.at(-1)
  }
  return enqueued
}

function observe({ logger, metrics }: SweepDependencies, trigger: SweepTrigger, summary: SweepSummary): void {
  const level = trigger === 'wake' && !isNews(summary) ? 'debug' : 'info'
  logger[level]('sweep ended', { event: `sweep.${summary.event}`, trigger, summary })
  metrics.sweepDuration.observe({}, summary.duration_ms / 1_000)
  metrics.sweptRows.add({ outcome: 'enqueued' }, summary.enqueued)
  metrics.sweptRows.add({ outcome: 'expired' }, summary.expired)
  metrics.sweptRows.add({ outcome: 'reclaimed' }, summary.reclaimed)
  metrics.sweptRows.add({ outcome: 'flag_disabled' }, summary.flag_disabled)
  metrics.sweptSteps.add({}, summary.steps)
}
