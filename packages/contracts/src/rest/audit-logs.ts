import { z } from 'zod'
import { idSchema, instantSchema } from './answers'

export const auditLogAnswer = z
  .object({
    id: idSchema,
    account_id: idSchema.nullable(),
    actor: z.string().meta({ description: 'The admin token, or an account token by id and name.' }),
    action: z.string().meta({ example: 'automation_rule.updated' }),
    subject: z.string().meta({ example: 'automation_rule 7' }),
    details: z.record(z.string(), z.unknown()),
    created_at: instantSchema,
  })
  .meta({ id: 'AuditLog' })
export type AuditLogAnswer = z.output<typeof auditLogAnswer>
