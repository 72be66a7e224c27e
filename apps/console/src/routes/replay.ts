import type { Micros } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { type ReplayAnswer, type ReplayBody, replayAnswer, replayBody } from '@dwell/contracts/rest/executions'
import type { Fault } from '@dwell/contracts/rule'
import { recordAudit } from '@dwell/database/audit-log'
import { type Delivery, type Execution, findExecution } from '@dwell/database/executions'
import { STALE_CLAIM } from '@dwell/database/pending-executions/claim'
import { decideDeliveries, undecidable } from '@dwell/database/replay-deliveries'
import { type AccountCall, accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { checkedOptional } from '../http/body'
import { invalid, notFound, Problem } from '../http/problem'
import { viewExecution } from './execution-view'

type ReplayCall = AccountCall<unknown, ReplayBody, Execution>

export const replayEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/executions/{id}/replay',
    operation: 'replayExecution',
    tag: 'Executions',
    summary:
      'Never a second effect. A row that is due, or whose worker is gone, is claimed anew and judged; of an executed one ' +
      'the deliveries that failed or are unknown get one more attempt, or are dismissed. Else 409 says why not.',
    body: checkedOptional(replayBody),
    answer: { status: 200, description: 'What was done.', schema: payloadOf(replayAnswer) },
    problems: { 409: 'There is nothing to be done: already executed, already skipped, not due, in a worker’s hands.' },
    find: ({ deps, account, params }) => findExecution(deps.pool, account.id, idIn(params)),
    handle: async (call) => {
      const outcome = call.found.status === 'executed' ? await replayDeliveries(call) : await claimAnew(call)
      const execution = await findExecution(call.deps.pool, call.account.id, call.found.id)
      if (execution === null) throw notFound()
      return { payload: { outcome, execution: viewExecution(execution) } }
    },
  }),
]

/** A row that waits or hangs goes to a worker now; what the guards say then is not forestalled. */
async function claimAnew({ deps, account, found, body, change }: ReplayCall): Promise<ReplayAnswer['outcome']> {
  if (body.action === 'dismiss' || body.deliveries !== undefined)
    throw new Problem(409, 'not_executed', 'Only an executed row has deliveries to decide about.')
  refuseUnlessDue(found, change.now)
  const claimed = await deps.work.claim([found.id], change.now)
  if (claimed.length === 0) throw inProgress()
  await recordAudit(deps.database, change, {
    accountId: account.id,
    action: 'execution.replayed',
    subject: `execution ${found.id}`,
    details: { status: found.status, note: body.note ?? null },
  })
  return 'claimed'
}

function refuseUnlessDue(row: Execution, now: Micros): void {
  if (row.status === 'skipped')
    throw new Problem(
      409,
      'already_skipped',
      `It was skipped: ${row.skipReason}. A newer matching event may arm it again.`,
    )
  if (row.status === 'pending' && row.dueAt > now)
    throw new Problem(409, 'not_due', 'It still waits; its time has not come.')
  if (row.status === 'processing' && row.claimedAt !== null && now - row.claimedAt <= STALE_CLAIM) throw inProgress()
}

function inProgress(): Problem {
  return new Problem(409, 'in_progress', 'A worker has it in its hands.')
}

async function replayDeliveries({ deps, account, found, body, change }: ReplayCall): Promise<ReplayAnswer['outcome']> {
  const action = body.action ?? 'retry'
  const wanted = body.deliveries === undefined ? found.deliveries : named(found, body.deliveries)
  const faults = wanted.flatMap((delivery, i) => faultOf(delivery, action, { index: i, now: change.now }))
  // Without names it is "whatever can be": the rest is passed over. With names, one that cannot be refuses all.
  if (body.deliveries !== undefined && faults.length > 0)
    throw new Problem(409, 'not_replayable', 'Not every delivery that was named can be decided about.', {
      errors: faults,
    })
  const deliveries = wanted.filter((delivery) => undecidable(delivery, action, change.now) === null)
  const decision = { accountId: account.id, executionId: found.id, deliveries, action, note: body.note ?? null }
  const changed = deliveries.length === 0 ? [] : await decideDeliveries(deps.database, decision, change)
  if (changed.length === 0)
    throw new Problem(409, 'already_executed', 'It was executed, and no delivery of it failed or is unknown.', {
      errors: faults,
    })
  if (action === 'dismiss') return 'deliveries_dismissed'
  await deps.work.wakeAt(change.now, change.now)
  return 'deliveries_pending'
}

function named(execution: Execution, ids: readonly string[]): Delivery[] {
  const byId = new Map(execution.deliveries.map((delivery) => [delivery.id, delivery]))
  const faults = ids.flatMap((id, i) =>
    byId.has(id) ? [] : [{ pointer: `/deliveries/${i}`, code: 'unknown', message: 'is no delivery of this execution' }],
  )
  if (faults.length > 0) throw invalid(faults)
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function faultOf(
  delivery: Delivery,
  action: 'retry' | 'dismiss',
  { index, now }: { readonly index: number; readonly now: Micros },
): Fault[] {
  const pointer = `/deliveries/${index}`
  const code = undecidable(delivery, action, now)
  switch (code) {
    case null:
      return []
    case 'refused':
      return [{ pointer, code, message: `${delivery.id} was refused before any attempt: ${delivery.error}` }]
    case 'in_progress':
      return [{ pointer, code, message: `an attempt of ${delivery.id} is under way` }]
    default:
      return [{ pointer, code, message: `${delivery.id} is ${code}` }]
  }
}
