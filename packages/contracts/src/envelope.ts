import { z } from 'zod'
import { type Micros, parseInstant } from './instant'

export const ACTOR_TYPES = ['user', 'agent_bot', 'automation_rule', 'automation', 'system'] as const

/** A positive integer; its text is accepted. */
export const id = z.union([
  z.int().positive(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
export const nullableId = id.nullable()

/** ISO text, read as microseconds. */
export const instant = z.string().transform((text, context): Micros => {
  const micros = parseInstant(text)
  if (micros !== null) return micros
  context.addIssue({
    code: 'custom',
    message: 'must be an ISO 8601 instant with an offset, e.g. 2026-09-01T10:00:00.123456Z',
  })
  return z.NEVER
})

/** What every inbound event carries, whatever it is about. DESIGN section 5. */
export const envelope = {
  id: z.union([z.string().min(1).max(255), z.int().transform(String)]),
  occurred_at: instant,
  account_id: id,
  performed_by: z
    .object({ type: z.enum(ACTOR_TYPES), id: nullableId.optional() })
    .nullable()
    .optional(),
  changed_attributes: z
    .record(z.string(), z.tuple([z.unknown(), z.unknown()]))
    .nullable()
    .optional(),
  traceparent: z.string().max(255).optional(),
}
