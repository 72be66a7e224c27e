import { z } from 'zod'
import { idParameter, idSchema, instantSchema, pageQuery } from './answers'
import { deliveryAnswer } from './executions'

/** What waits for a person. */
export const TROUBLED_STATUSES = ['failed', 'unknown'] as const
export type TroubledStatus = (typeof TROUBLED_STATUSES)[number]

export const deliveriesQuery = pageQuery.extend({
  status: z.enum(TROUBLED_STATUSES).optional().meta({ description: 'Both unless given.' }),
  automation_rule_id: idParameter.optional(),
  conversation_id: idParameter.optional(),
})
export type DeliveriesQuery = z.output<typeof deliveriesQuery>

/** A delivery with what it belongs to. */
export const deliveryOfAccountAnswer = deliveryAnswer
  .extend({
    account_id: idSchema,
    execution_id: idSchema,
    automation_rule_id: idSchema,
    automation_rule_name: z.string().nullable().meta({ description: 'Null when the rule is gone for good.' }),
    conversation_id: idSchema,
    created_at: instantSchema,
    updated_at: instantSchema,
    retryable: z.boolean().meta({
      description: 'Whether it can be retried: it failed or is unknown, it was attempted, and no attempt is under way.',
    }),
  })
  .meta({ id: 'DeliveryOfAccount' })
export type DeliveryOfAccountAnswer = z.output<typeof deliveryOfAccountAnswer>

/** A person's decision about one delivery. */
export const decisionBody = z
  .strictObject({
    note: z.string().max(2000).optional().meta({ description: 'Why; kept in the audit log.' }),
  })
  .meta({ id: 'DeliveryDecision' })
export type DecisionBody = z.output<typeof decisionBody>
