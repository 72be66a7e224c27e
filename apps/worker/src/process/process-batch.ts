import type { Micros } from '@dwell/contracts/instant'
import { MICROS_PER_SECOND } from '@dwell/contracts/instant'
import { releaseClaims } from '@dwell/database/pending-executions/claim'
import type { Finish } from '@dwell/database/pending-executions/finish'
import { finishWithinLimits } from '@dwell/database/pending-executions/finish-limited'
import { type LoadedExecution, loadHeld } from '@dwell/database/pending-executions/load'
import { type HeldClaim, readStates } from '@dwell/database/pending-executions/take-over'
import type { Pool } from '@dwell/database/pool'
import type { RuleBook, RuleBooks } from '@dwell/database/rule-books'
import { episodeKindOf } from '@dwell/domain/rules/episode'
import { type Judgement, judge } from '@dwell/domain/rules/guards'
import type { PendingExecution } from '@dwell/domain/rules/pending-execution'
import { planDeliveries } from '@dwell/domain/rules/plan-deliveries'
import { rateClaims } from '@dwell/domain/rules/rate-guards'
import type { Clock } from '@dwell/runtime/clock'
import type { StreamRelay } from '../outbox/stream-relay'
import type { WorkerMetrics } from '../worker-metrics'
import { holdClaims, type JobClaim } from './hold-claims'
import { LOST, type ProcessOutcome } from './outcome'

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
  /** A row is about to be judged: for traces. */
  readonly onJudge?: (row: PendingExecution) => void
}

/** How often a row whose facts keep moving is judged anew before its job gives up and leaves it to the reclaim. */
const MAX_JUDGEMENTS = 5

type Result = ProcessOutcome | Error

/**
 * Judges and ends a batch of claimed rows: the claims are taken over in one statement, rows and facts loaded in one, ended
 * in one. Answers one outcome per claim, in order; an Error where a row could not be judged or written, which then stays
 * `processing` until the reclaim. One bad row does not disturb the others.
 */
export async function processBatch(deps: ProcessDependencies, claims: readonly JobClaim[]): Promise<Result[]> {
  const { held, others } = await holdClaims(deps.pool, claims, await deps.clock.now())
  const ended = await judgeHeld(deps, [...held.values()])
  return claims.map((claim) => {
    const ours = held.get(claim)
    const result = (ours === undefined ? others.get(claim) : ended.get(ours.id)) ?? LOST
    count(deps.metrics, result)
    return result
  })
}

async function judgeHeld(deps: ProcessDependencies, held: readonly HeldClaim[]): Promise<Map<number, Result>> {
  const results = new Map<number, Result>()
  // Claims made anew for replays have a token of their own; usually there is one token for all.
  for (const [token, ids] of groupByToken(held)) {
    try {
      await judgeUntilEnded(deps, token, ids, results)
    } catch (error) {
      for (const id of ids) if (!results.has(id)) results.set(id, asError(error))
    }
  }
  return results
}

async function judgeUntilEnded(
  deps: ProcessDependencies,
  token: string,
  ids: readonly number[],
  results: Map<number, Result>,
): Promise<void> {
  let open = ids
  for (let round = 1; open.length > 0 && round <= MAX_JUDGEMENTS; round += 1) {
    open = await judgeOnce(deps, token, open, results)
  }
  for (const id of open)
    results.set(id, new Error(`the facts of pending execution ${id} moved during ${MAX_JUDGEMENTS} judgements`))
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
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
    deps.onJudge?.(execution.row)
    try {
      const judgement = judgeExecution(execution, book, now)
      if (judgement.outcome === 'release') released.push(execution.row.id)
      else finishes.push(finishOf(execution, book, judgement, now))
    } catch (error) {
      results.set(execution.row.id, asError(error))
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
  await hand(deps, [...ended.values()])
  for (const { held, outcome } of finishes) {
    if (!ended.has(held.row.id)) continue
    results.set(
      held.row.id,
      outcome.status === 'executed' ? { outcome: 'executed' } : { outcome: 'skipped', reason: outcome.reason },
    )
    if (outcome.status === 'executed' && episodeKindOf(held.row.episodeKey) !== 'event')
      deps.metrics.lateness.observe({}, (now - held.row.dueAt) / MICROS_PER_SECOND)
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
  const base = { held: execution, rulesVersion: book.version, guards: judgement.guards, rateClaims: [] }
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
  const limited = rateClaims(deliveries, {
    accountId: book.accountId,
    conversationId: execution.row.conversationId,
    settings: book.settings,
    timeZone: book.timeZone,
    now,
  })
  return { ...base, outcome: { status: 'executed', deliveries }, rateClaims: limited }
}

/** Ends all in one statement; if that fails, each by itself, so that only the culprit stays behind. */
async function finish(
  deps: ProcessDependencies,
  token: string,
  finishes: readonly Finish[],
  now: Micros,
  results: Map<number, Result>,
): Promise<Map<number, Finish>> {
  if (finishes.length === 0) return new Map()
  try {
    return await finishWithinLimits(deps.pool, token, finishes, now)
  } catch (error) {
    if (finishes.length === 1 || !isOfOneRow(error)) throw error
    const ended = new Map<number, Finish>()
    for (const one of finishes) {
      try {
        for (const [id, finished] of await finishWithinLimits(deps.pool, token, [one], now)) ended.set(id, finished)
      } catch (rowError) {
        results.set(one.held.row.id, asError(rowError))
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
