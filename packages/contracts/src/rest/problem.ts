import { z } from 'zod'

export const faultSchema = z
  .object({
    pointer: z.string().meta({ description: 'JSON pointer into the body, or the name of a query parameter.' }),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'Fault' })

/** Every error of the API: RFC 9457, media type `application/problem+json`. */
export const problemDocument = z
  .object({
    type: z.string().meta({ example: 'urn:dwell:problem:invalid' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().meta({ description: 'Stable; for programs.' }),
    request_id: z.string(),
    errors: z.array(faultSchema),
  })
  .meta({ id: 'Problem' })
export type ProblemDocument = z.output<typeof problemDocument>
