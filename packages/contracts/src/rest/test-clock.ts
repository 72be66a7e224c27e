import { z } from 'zod'
import { parseInstant } from '../instant'
import { instantSchema } from './answers'

export const testClockBody = z
  .strictObject({
    now: z
      .string()
      .refine((text) => parseInstant(text) !== null, 'must be an ISO 8601 instant with an offset')
      .meta({ format: 'date-time' }),
  })
  .meta({ id: 'TestClockChange' })
export type TestClockBody = z.output<typeof testClockBody>

export const testClockAnswer = z.object({ now: instantSchema }).meta({ id: 'TestClock' })
export type TestClockAnswer = z.output<typeof testClockAnswer>
