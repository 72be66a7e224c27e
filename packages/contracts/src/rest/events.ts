import { z } from 'zod'

/** For the description of the API; what an event may hold is checked by `../parse-event`, on the text itself. */
const event = z
  .looseObject({})
  .meta({ id: 'Event', description: 'As on the inbound stream, or a CloudEvents envelope around it.' })
export const eventsBody = z.union([event, z.array(event).min(1)])

export const eventsAnswer = z.object({ accepted: z.int() }).meta({ id: 'EventsAccepted' })
export type EventsAnswer = z.output<typeof eventsAnswer>
