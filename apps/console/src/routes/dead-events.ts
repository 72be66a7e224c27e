import { parseEvent } from '@dwell/contracts/parse-event'
import { payloadOf } from '@dwell/contracts/rest/answers'
import {
  type DeadEventAnswer,
  deadEventAnswer,
  deadEventsAnswer,
  deadEventsQuery,
  MAX_LISTED_EVENT_LENGTH,
  publishDeadEventBody,
  publishedDeadEventAnswer,
} from '@dwell/contracts/rest/dead-events'
import { recordAudit } from '@dwell/database/audit-log'
import { transact } from '@dwell/database/transaction'
import { type DeadLetter, findDeadLetter, listDeadLetters, publishDeadLetter, removeDeadLetter } from '../dead-letters'
import type { Dependencies } from '../dependencies'
import { type Endpoint, installationEndpoint } from '../endpoint'
import { checkedOptional } from '../http/body'
import { ENTRY_ID, readEntryPage, writeEntryCursor } from '../http/entry-cursor'
import { invalid, notFound, Problem } from '../http/problem'

const tag = 'Dead events'

const find = async ({
  deps,
  params,
}: {
  readonly deps: Dependencies
  readonly params: Readonly<Record<string, string>>
}) => {
  const id = params.entry ?? ''
  return ENTRY_ID.test(id) ? findDeadLetter(deps.redis, id) : null
}

export const deadEventEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/dead_events',
    operation: 'listDeadEvents',
    tag,
    summary: 'Events that could not be taken, with the reason, the newest first.',
    query: deadEventsQuery,
    answer: { status: 200, description: 'A page of events.', schema: deadEventsAnswer },
    handle: async ({ deps, query }) => {
      const { letters, next, total } = await listDeadLetters(deps.redis, readEntryPage(query), query.error)
      return {
        payload: letters.map((letter) => viewDeadLetter(letter, MAX_LISTED_EVENT_LENGTH)),
        meta: { next_cursor: next === null ? null : writeEntryCursor(next), total },
      }
    },
  }),
  installationEndpoint({
    method: 'GET',
    path: '/dead_events/{entry}',
    operation: 'getDeadEvent',
    tag,
    summary: 'One of them with its whole text.',
    answer: { status: 200, description: 'The event.', schema: payloadOf(deadEventAnswer) },
    find,
    handle: async ({ found }) => ({ payload: viewDeadLetter(found) }),
  }),
  installationEndpoint({
    method: 'POST',
    path: '/dead_events/{entry}/publish',
    operation: 'publishDeadEvent',
    tag,
    summary: 'Puts it on the inbound stream again, as it was or corrected, and takes it from the dead ones. Audited.',
    body: checkedOptional(publishDeadEventBody),
    answer: { status: 202, description: 'It stands on the stream.', schema: payloadOf(publishedDeadEventAnswer) },
    problems: { 409: 'The entry had no event: there is nothing to publish but a corrected text.' },
    find,
    handle: async ({ deps, found, body, change }) => {
      if (body.event !== undefined) refuseUnlessEvent(body.event)
      else if (found.error === 'missing_field')
        throw new Problem(409, 'no_event', 'The entry had no event: there is nothing to publish but a corrected text.')
      const [stream] = deps.config.eventStreams
      if (stream === undefined) throw new Error('no inbound stream is configured')
      // What cannot be noted is not done, and what somebody else was faster with is not noted.
      const entryId = await transact(deps.database, async (transaction) => {
        await recordAudit(transaction, change, {
          accountId: null,
          action: 'dead_event.published',
          subject: `dead_event ${found.id}`,
          details: { ...aboutLetter(found), corrected: body.event !== undefined, note: body.note ?? null },
        })
        const published = await publishDeadLetter(deps.redis, stream, found, body.event)
        if (published === null) throw notFound('It is no dead event any more.')
        return published
      })
      return { payload: { id: found.id, entry_id: entryId } }
    },
  }),
  installationEndpoint({
    method: 'DELETE',
    path: '/dead_events/{entry}',
    operation: 'deleteDeadEvent',
    tag,
    summary: 'Gives it up: it is gone for good. Audited.',
    answer: { status: 204, description: 'It is gone.' },
    find,
    handle: async ({ deps, found, change }) => {
      await transact(deps.database, async (transaction) => {
        await recordAudit(transaction, change, {
          accountId: null,
          action: 'dead_event.deleted',
          subject: `dead_event ${found.id}`,
          details: aboutLetter(found),
        })
        if (!(await removeDeadLetter(deps.redis, found.id))) throw notFound('It is no dead event any more.')
      })
      return undefined
    },
  }),
]

/** A correction that is none would only come back. */
function refuseUnlessEvent(text: string): void {
  const parsed = parseEvent(text)
  if (!parsed.ok) throw invalid([{ pointer: '/event', code: parsed.error, message: parsed.detail }])
}

function aboutLetter({ error, detail, entryId }: DeadLetter) {
  return { error, detail, entry_id: entryId }
}

function viewDeadLetter(letter: DeadLetter, maxLength = Number.POSITIVE_INFINITY): DeadEventAnswer {
  return {
    id: letter.id,
    event: letter.event.slice(0, maxLength),
    event_length: letter.event.length,
    error: letter.error,
    detail: letter.detail,
    entry_id: letter.entryId,
    failed_at: letter.failedAt,
  }
}
