import { z } from 'zod'
import { idParameter, idSchema, instantParameter, instantSchema, pageQuery } from './answers'

const words = z.string().trim().min(1).max(200)

export const accountAuditLogsQuery = pageQuery.extend({
  action: words.optional().meta({ description: 'One action, or all of a kind: automation_rule.' }),
  actor: words.optional().meta({ description: 'Part of who did it, in any letter case.' }),
  subject: words.optional().meta({ description: 'One subject, or all of a kind: automation_rule.' }),
  since: instantParameter.optional().meta({ description: 'Not before this instant.' }),
  until: instantParameter.optional().meta({ description: 'Before this instant.' }),
})
export type AccountAuditLogsQuery = z.output<typeof accountAuditLogsQuery>

/** Of the whole installation. */
export const auditLogsQuery = accountAuditLogsQuery.extend({ account_id: idParameter.optional() })

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
