import { parseInstant } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import {
  type EmailEventInput,
  type EmailEventOutcome,
  emailEvent,
  emailEventsAnswer,
  emailEventsBody,
  MAX_EMAIL_EVENTS,
} from '@dwell/contracts/rest/email-events'
import type { Fault } from '@dwell/contracts/rule'
import { type EmailEvent, recordEmailEvents } from '@dwell/database/automations/email-events'
import type { Pool } from '@dwell/database/pool'
import { normalMessageId } from '@dwell/domain/automations/email/message-id'
import { accountEndpoint, type Endpoint } from '../endpoint'
import type { BodyReader } from '../http/body'
import { faultsOf } from '../http/faults'
import { invalid } from '../http/problem'
import { storageFaults } from '../http/storable'

/** One element of a report: what happened to a mail, or what is wrong with saying so. */
export type ReadEmailEvent =
  | { readonly event: EmailEvent }
  | { readonly faults: readonly [Fault, ...(readonly Fault[])] }

export interface EmailEventResults {
  recorded: number
  results: { outcome: EmailEventOutcome; errors?: Fault[] }[]
}

const body: BodyReader<readonly ReadEmailEvent[]> = {
  described: emailEventsBody,
  required: true,
  read: (received) => readEmailEvents(received?.value),
}

export const emailEventEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/email_events',
    operation: 'reportEmailEvents',
    tag: 'Automations',
    summary:
      'What happened to mails of automations: delivered, opened, clicked, bounced, complained. In any order and as often as ' +
      'one likes; what cannot be taken is told for each event and holds up none of the others.',
    body,
    answer: { status: 200, description: 'What became of each event.', schema: payloadOf(emailEventsAnswer) },
    problems: { 422: 'Not one of the events is well formed.' },
    handle: async ({ deps, account, body: events }) => ({
      payload: await recordAll(deps.pool, account.id, events),
    }),
  }),
]

/** A list of events, or one. Throws a `Problem` where there is nothing that could be taken. */
function readEmailEvents(value: unknown): readonly ReadEmailEvent[] {
  const isList = Array.isArray(value)
  if (isList && value.length > MAX_EMAIL_EVENTS)
    throw invalid([{ pointer: '', code: 'out_of_range', message: `has more than ${MAX_EMAIL_EVENTS} events` }])
  const elements: readonly unknown[] = isList ? value : [value]
  const read = elements.map((element, index) => readEmailEvent(element, isList ? `/${index}` : ''))
  if (read.length > 0 && read.every((one) => 'faults' in one))
    throw invalid(read.flatMap((one) => ('faults' in one ? [...one.faults] : [])))
  return read
}

/** `pointer` of the element in the body. */
export function readEmailEvent(element: unknown, pointer: string): ReadEmailEvent {
  const parsed = emailEvent.safeParse(element)
  const [first, ...rest] = parsed.success ? storageFaults(element) : faultsOf(parsed.error, element)
  if (parsed.success && first === undefined) return { event: eventOf(parsed.data) }
  const within = (fault: Fault) => ({ ...fault, pointer: pointer + fault.pointer })
  return { faults: [within(first ?? NOT_AN_EVENT), ...rest.map(within)] }
}

const NOT_AN_EVENT: Fault = { pointer: '', code: 'wrong_type', message: 'is no e-mail event' }

function eventOf({ message_id, type, at, url }: EmailEventInput): EmailEvent {
  const instant = parseInstant(at)
  if (instant === null) throw new Error('the schema has let through what is no instant')
  return {
    mail: { messageId: normalMessageId(message_id) },
    type,
    at: instant,
    url: type === 'clicked' ? (url ?? '') : '',
  }
}

/** Records what can be; answers for each element, in their order. */
export async function recordAll(
  pool: Pool,
  accountId: number,
  read: readonly ReadEmailEvent[],
): Promise<EmailEventResults> {
  const events = read.flatMap((one) => ('event' in one ? [one.event] : []))
  const outcomes = [...(await recordEmailEvents(pool, accountId, events))]
  const results = read.map((one) =>
    'event' in one
      ? { outcome: outcomes.shift() ?? ('unknown_message' as const) }
      : { outcome: 'invalid' as const, errors: [...one.faults] },
  )
  return { recorded: results.filter(({ outcome }) => outcome === 'recorded').length, results }
}
