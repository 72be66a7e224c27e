import type { Micros } from '@dwell/contracts/instant'
import { MICROS_PER_SECOND } from '@dwell/contracts/instant'
import { claimByIds, releaseClaims, STALE_CLAIM } from '@dwell/database/pending-executions/claim'
import { type Finish, finishHeld } from '@dwell/database/pending-executions/finish'
import { type LoadedExecution, loadHeld } from '@dwell/database/pending-executions/load'
import { type ExecutionState, type HeldClaim, readStates, takeOver } from '@dwell/database/pending-executions/take-over'
import type { Pool } from '@dwell/database/pool'
import type { RuleBook, RuleBooks } from '@dwell/database/rule-books'
import { type Judgement, judge } from '@dwell/domain/rules/guards'
import { planDeliveries } from '@dwell/domain/rules/plan-deliveries'
import type { Clock } from '@dwell/runtime/clock'
import type { StreamRelay } from '../outbox/stream-relay'
import type { WorkerMetrics } from '../worker-metrics'
import type { ProcessOutcome } from './outcome'

export interface ProcessDependencies {
  readonly pool: Pool
  readonly clock: Clock
  readonly rules: RuleBooks
  readonly relay: Pick<StreamRelay, 'relay'>
  /** Hands deliveries to slow targets over to their own jobs. */
  readonly enqueueDeliveries: (
    deliveries: readonly { readonly id: string; readonly accountId: number }[],
  ) => Promise<void>
  /** Something went wrong that is not the row's fault; the row stays as it is and is tried again. */
  readonly report: (message: string, error: unknown, fields?: Readonly<Record<string, unknown>>) => void
  readonly metrics: WorkerMetrics
}

/** How often a row whose facts keep moving is judged anew before its job gives up and leaves it to the reclaim. */
const MAX_JUDGEMENTS = 5

type Result = ProcessOutcome | Error

/**
 * Judges and ends a batch of claimed rows: the claims are taken over in one statement, rows and facts loaded in one, ended
 * in one. Answers one outcome per claim, in order; an Error where a row could not be judged or written, which then stays
 * `processing` until the reclaim. One bad row does not disturb the others.
 */
export async function processBatch(deps: ProcessDependencies, claims: readonly HeldClaim[]): Promise<Result[]> {
  const results = new Map<HeldClaim, Result>()
  const distinct = new Map<number, HeldClaim>()
  for (const claim of claims) {
    if (distinct.has(claim.id)) results.set(claim, { outcome: 'lost' })
    else distinct.set(claim.id, claim)
  }
  const now = await deps.clock.now()
  const held = await takeOver(deps.pool, [...distinct.values()], now)
  await reclaimReplayed(deps, [...distinct.values()], held, results, now)
  const outcomes = await judgeHeld(deps, [...held.values()])
  for (const claim of distinct.values()) {
    const result = results.get(claim) ?? outcomes.get(claim.id) ?? { outcome: 'lost' as const }
    results.set(claim, result)
  }
  return claims.map((claim) => {
    const result = results.get(claim) ?? { outcome: 'lost' as const }
    count(deps.metrics, result)
    return result
  })
}

/**
 * Jobs whose claim is gone: rows that ended say so; rows that wait and are due, or whose claim has expired, are claimed
 * anew and run. That is what makes a replay of an old job harmless and useful. docs/replay.md.
 */
async function reclaimReplayed(
  deps: ProcessDependencies,
  claims: readonly HeldClaim[],
  held: Map<number, HeldClaim>,
  results: Map<HeldClaim, Result>,
  now: Micros,
): Promise<void> {
  const lost = claims.filter(({ id }) => !held.has(id))
  if (lost.length === 0) return
  const states = await readStates(
    deps.pool,
    lost.map(({ id }) => id),
  )
  const again = lost.filter(({ id }) => isClaimable(states.get(id), now)).map(({ id }) => id)
  for (const { id, claimToken } of await claimByIds(deps.pool, { ids: again, now })) held.set(id, { id, claimToken })
  for (const claim of lost) {
    if (!held.has(claim.id)) results.set(claim, outcomeOfState(states.get(claim.id)))
  }
}

function isClaimable(state: ExecutionState | undefined, now: Micros): boolean {
  if (state?.status === 'pending') return state.dueAt <= now
  return state?.status === 'processing' && state.claimedAt !== null && state.claimedAt < now - STALE_CLAIM
}

function outcomeOfState(state: ExecutionState | undefined): ProcessOutcome {
  if (state?.status === 'executed') return { outcome: 'already executed' }
  if (state?.status === 'skipped' && state.skipReason !== null)
    return { outcome: 'already skipped', reason: state.skipReason }
  return { outcome: 'lost' }
}

async function judgeHeld(deps: ProcessDependencies, held: readonly HeldClaim[]): Promise<Map<number, Result>> {
  const results = new Map<number, Result>()
  // A fresh claim of a replay has a token of its own; usually there is one token for all.
  for (const [token, ids] of groupByToken(held)) {
    let open: readonly number[] = ids
    for (let round = 1; open.length > 0; round += 1) {
      open = await judgeOnce(deps, token, open, results)
      if (round === MAX_JUDGEMENTS) {
        for (const id of open)
          results.set(id, new Error(`the facts of pending execution ${id} moved during ${round} judgements`))
        break
      }
    }
  }
  return results
}

/** Judges rows once; answers those whose facts moved meanwhile. */
async function judgeOnce(
  deps: ProcessDependencies,
  token: string,
  ids: readonly number[],
  results: Map<number, Result>,
): Promise<number[]> {
  const loaded = await loadHeld(deps.pool, ids, token)
  const books = await deps.rules.at(
    deps.pool,
    new Map(loaded.map(({ row, rulesVersion }) => [row.accountId, rulesVersion])),
  )
  const now = await deps.clock.now()
  const finishes: Finish[] = []
  const released: number[] = []
  for (const execution of loaded) {
    const book = books.get(execution.row.accountId)
    if (book === undefined) continue
    try {
      const judgement = judgeExecution(execution, book, now)
      if (judgement.outcome === 'release') released.push(execution.row.id)
      else finishes.push(finishOf(execution, book, judgement, now))
    } catch (error) {
      results.set(execution.row.id, error instanceof Error ? error : new Error(String(error)))
    }
  }
  for (const id of await releaseClaims(
    deps.pool,
    released.map((id) => ({ id, claimToken: token })),
    now,
  )) {
    results.set(id, { outcome: 'released' })
  }
  const ended = await finish(deps, token, finishes, now, results)
  await hand(
    deps,
    finishes.filter(({ held }) => ended.has(held.row.id)),
  )
  for (const { held, outcome } of finishes) {
    if (!ended.has(held.row.id)) continue
    results.set(
      held.row.id,
      outcome.status === 'executed' ? { outcome: 'executed' } : { outcome: 'skipped', reason: outcome.reason },
    )
    if (outcome.status === 'executed') deps.metrics.lateness.observe({}, (now - held.row.dueAt) / MICROS_PER_SECOND)
  }
  return stillHeld(
    deps.pool,
    token,
    finishes.map(({ held }) => held.row.id).filter((id) => !results.has(id)),
  )
}

function judgeExecution(execution: LoadedExecution, book: RuleBook, now: Micros): Judgement {
  return judge({
    row: execution.row,
    killSwitch: execution.configs.DISABLE_DELAYED_AUTOMATIONS,
    rule: book.rules.find(({ id }) => id === execution.row.ruleId) ?? null,
    delayedAutomations: book.delayedAutomations,
    whenDisabled: execution.configs.DELAYED_AUTOMATIONS_WHEN_DISABLED,
    conversation: execution.conversation,
    contact: execution.contact,
    message: execution.message,
    now,
    timeZone: book.timeZone,
  })
}

function finishOf(
  execution: LoadedExecution,
  book: RuleBook,
  judgement: Exclude<Judgement, { outcome: 'release' }>,
  now: Micros,
): Finish {
  const base = { held: execution, rulesVersion: book.version, guards: judgement.guards }
  if (judgement.outcome === 'skip' || execution.conversation === null) {
    const reason = judgement.outcome === 'skip' ? judgement.reason : 'conversation_gone'
    return { ...base, outcome: { status: 'skipped', reason } }
  }
  const deliveries = planDeliveries({
    rule: judgement.rule,
    executionId: execution.row.id,
    row: execution.row,
    conversation: execution.conversation,
    contact: execution.contact,
    message: execution.message,
    account: { id: book.accountId, name: book.accountName, settings: book.settings },
    now,
  })
  return { ...base, outcome: { status: 'executed', deliveries } }
}

/** Ends all in one statement; if that fails, each by itself, so that only the culprit stays behind. */
async function finish(
  deps: ProcessDependencies,
  token: string,
  finishes: readonly Finish[],
  now: Micros,
  results: Map<number, Result>,
): Promise<Set<number>> {
  if (finishes.length === 0) return new Set()
  try {
    return await finishHeld(deps.pool, token, finishes, now)
  } catch (error) {
    if (finishes.length === 1 || !isOfOneRow(error)) throw error
    const ended = new Set<number>()
    for (const one of finishes) {
      try {
        for (const id of await finishHeld(deps.pool, token, [one], now)) ended.add(id)
      } catch (rowError) {
        results.set(one.held.row.id, rowError instanceof Error ? rowError : new Error(String(rowError)))
      }
    }
    return ended
  }
}

/** SQLSTATE classes 22 (data) and 23 (constraint) are the fault of a row, 40 (deadlock) passes; the rest hits all alike. */
function isOfOneRow(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['22', '23', '40'].includes(code.slice(0, 2))
}

/** The rows are over; what Redis does not take now stays in the outbox and the next sweep brings it. */
async function hand(deps: ProcessDependencies, ended: readonly Finish[]): Promise<void> {
  const pending = ended.flatMap(({ held, outcome }) =>
    outcome.status === 'executed'
      ? outcome.deliveries
          .filter(({ status }) => status === 'pending')
          .map((delivery) => ({ ...delivery, accountId: held.row.accountId }))
      : [],
  )
  const entries = pending.filter(({ target }) => target === 'stream')
  const slow = pending.filter(({ target }) => target !== 'stream')
  await deps.relay
    .relay(entries)
    .catch((error) => deps.report('relay failed', error, { event: 'relay.failed', count: entries.length }))
  await deps
    .enqueueDeliveries(slow)
    .catch((error) =>
      deps.report('deliveries not enqueued', error, { event: 'deliver.enqueue_failed', count: slow.length }),
    )
}

/** Of rows that did not end: those we still hold were judged on facts that have moved; the others are lost. */
async function stillHeld(pool: Pool, token: string, ids: readonly number[]): Promise<number[]> {
  const states = await readStates(pool, ids)
  return ids.filter((id) => states.get(id)?.claimToken === token)
}

function groupByToken(held: readonly HeldClaim[]): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const { id, claimToken } of held) groups.set(claimToken, [...(groups.get(claimToken) ?? []), id])
  return groups
}

function count(metrics: WorkerMetrics, result: Result): void {
  const outcome = result instanceof Error ? 'error' : result.outcome
  const reason = !(result instanceof Error) && 'reason' in result ? result.reason : ''
  metrics.executions.add({ outcome, reason })
}
