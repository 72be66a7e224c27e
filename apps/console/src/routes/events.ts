import { EVENT_FIELD } from '@dwell/contracts/events'
import { parseEvent } from '@dwell/contracts/parse-event'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { eventsAnswer, eventsBody } from '@dwell/contracts/rest/events'
import type { Fault } from '@dwell/contracts/rule'
import type { Dependencies } from '../dependencies'
import { type Endpoint, installationEndpoint } from '../endpoint'
import type { BodyReader } from '../http/body'
import { pointerTo } from '../http/faults'
import { invalid, unavailable } from '../http/problem'
import { jsonElements } from './json-elements'

/** The texts of the events as they came: that is what will stand on the stream. */
const body: BodyReader<readonly string[]> = {
  described: eventsBody,
  required: true,
  read(received) {
    if (received === null) throw invalid([{ pointer: '', code: 'missing', message: 'an event, or a list of them' }])
    const isList = Array.isArray(received.value)
    const texts = isList ? jsonElements(received.text) : [received.text]
    if (texts.length === 0) throw invalid([{ pointer: '', code: 'out_of_range', message: 'names no event' }])
    const faults = texts.flatMap((text, index) => faultsOf(text, isList ? `/${index}` : ''))
    if (faults.length > 0) throw invalid(faults)
    return texts
  },
}

export const eventEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'POST',
    path: '/events',
    operation: 'publishEvents',
    tag: 'Events',
    summary: 'Puts one event or a list of them on the inbound stream. All are taken, or with one fault none.',
    body,
    answer: { status: 202, description: 'They stand on the stream.', schema: payloadOf(eventsAnswer) },
    handle: async ({ deps, body: texts }) => {
      await publish(deps, texts)
      return { payload: { accepted: texts.length } }
    },
  }),
]

function faultsOf(text: string, pointer: string): Fault[] {
  const parsed = parseEvent(text)
  if (parsed.ok) return []
  if (parsed.faults.length === 0) return [{ pointer, code: parsed.error, message: parsed.detail }]
  return parsed.faults.map(({ path, message }) => ({
    pointer: `${pointer}${pointerTo(path)}`,
    code: parsed.error,
    message,
  }))
}

/** In one round trip. Where it fails half way the caller repeats it: what stands twice is taken once. */
async function publish(deps: Dependencies, texts: readonly string[]): Promise<void> {
  const [stream] = deps.config.eventStreams
  if (stream === undefined) throw new Error('no inbound stream is configured')
  const pipeline = deps.redis.pipeline()
  for (const text of texts) pipeline.xadd(stream, '*', EVENT_FIELD, text)
  const results = (await pipeline.exec()) ?? []
  const failed = results.find(([error]) => error !== null)
  if (failed !== undefined || results.length < texts.length)
    throw unavailable(
      'Not every event could be put on the stream. Send them again: what stands there twice is taken once.',
    )
}
