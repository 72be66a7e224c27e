import { pageOf, payloadOf } from '@dwell/contracts/rest/answers'
import { decisionBody, deliveriesQuery, deliveryOfAccountAnswer } from '@dwell/contracts/rest/deliveries'
import { type DeliveryOfAccount, findDelivery, listTroubledDeliveries } from '@dwell/database/deliveries/troubled'
import { decideDeliveries, type Undecidable, undecidable } from '@dwell/database/replay-deliveries'
import { accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { checkedOptional } from '../http/body'
import { readDeliveryPage, writeDeliveryCursor } from '../http/delivery-cursor'
import { notFound, Problem } from '../http/problem'
import { viewDeliveryOfAccount } from './delivery-view'

const tag = 'Deliveries'

export const deliveryEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/deliveries',
    operation: 'listTroubledDeliveries',
    tag,
    summary: 'What failed or is unknown and waits for a person; of the newest executions first.',
    query: deliveriesQuery,
    answer: { status: 200, description: 'A page of deliveries.', schema: pageOf(deliveryOfAccountAnswer) },
    handle: async ({ deps, account, query, change: { now } }) => {
      const filter = {
        status: query.status,
        ruleId: query.automation_rule_id,
        conversationId: query.conversation_id,
      }
      const page = await listTroubledDeliveries(deps.pool, account.id, filter, readDeliveryPage(query))
      return {
        payload: page.entries.map((delivery) => viewDeliveryOfAccount(delivery, now)),
        meta: { next_cursor: page.next === null ? null : writeDeliveryCursor(page.next) },
      }
    },
  }),
  decisionEndpoint('retry', 'retryDelivery', {
    summary: 'One more attempt, now, of a delivery that failed or is unknown, under the id it always had. Audited.',
    description: 'The delivery, pending.',
  }),
  decisionEndpoint('dismiss', 'dismissDelivery', {
    summary: 'Closes a delivery that failed or is unknown: nothing more is sent. Audited.',
    description: 'The delivery, dismissed.',
  }),
]

const WHY_NOT: Readonly<Record<Undecidable, string>> = {
  delivered: 'It was delivered.',
  pending: 'Its next attempt is planned.',
  dismissed: 'It was dismissed.',
  refused: 'It was refused before any attempt and holds nothing that could be sent: it can only be dismissed.',
  in_progress: 'An attempt is under way, or its worker died less than 15 minutes ago.',
}

function decisionEndpoint(
  action: 'retry' | 'dismiss',
  operation: string,
  about: { readonly summary: string; readonly description: string },
): Endpoint {
  return accountEndpoint({
    method: 'POST',
    path: `/accounts/{account_id}/executions/{id}/deliveries/{delivery_id}/${action}` as const,
    operation,
    tag,
    summary: about.summary,
    body: checkedOptional(decisionBody),
    answer: { status: 200, description: about.description, schema: payloadOf(deliveryOfAccountAnswer) },
    problems: { 409: 'There is nothing to decide: delivered, pending, dismissed, refused, in progress.' },
    find: ({ deps, account, params }) => findDelivery(deps.pool, account.id, idIn(params), params.delivery_id ?? ''),
    handle: async ({ deps, account, found, body, change }) => {
      refuseWhere(undecidable(found, action, change.now))
      const decided = await decideDeliveries(
        deps.database,
        { accountId: account.id, executionId: found.executionId, deliveries: [found], action, note: body.note ?? null },
        change,
      )
      const now = await findDelivery(deps.pool, account.id, found.executionId, found.id)
      if (now === null) throw notFound()
      // Somebody was faster: what it is now says why this one came too late.
      if (decided.length === 0) refuseAsItIs(now)
      if (action === 'retry') await deps.work.wakeAt(change.now, change.now)
      return { payload: viewDeliveryOfAccount(now, change.now) }
    },
  })
}

function refuseWhere(why: Undecidable | null): void {
  if (why === null) return
  throw new Problem(409, ALREADY.has(why) ? `already_${why}` : why, WHY_NOT[why])
}

const ALREADY: ReadonlySet<Undecidable> = new Set(['delivered', 'pending', 'dismissed'])

function refuseAsItIs({ status }: DeliveryOfAccount): never {
  refuseWhere(status === 'failed' || status === 'unknown' ? 'in_progress' : status)
  throw notFound()
}
