import { z } from 'zod'
import { DELIVERY_STATUSES, DELIVERY_TARGETS, PENDING_EXECUTION_STATUSES, SKIP_REASONS } from '../pending-execution'
import { idParameter, idSchema, instantSchema, pageQuery } from './answers'

export const executionsQuery = pageQuery.extend({
  status: z.enum(PENDING_EXECUTION_STATUSES).optional(),
  skip_reason: z.enum(SKIP_REASONS).optional(),
  conversation_id: idParameter.optional(),
})
/** Of a whole account. */
export const accountExecutionsQuery = executionsQuery.extend({ automation_rule_id: idParameter.optional() })
export type ExecutionsQuery = z.output<typeof executionsQuery>

export const deliveryAnswer = z
  .object({
    id: z.string(),
    position: z.int(),
    action_name: z.string(),
    target: z.enum(DELIVERY_TARGETS),
    status: z.enum(DELIVERY_STATUSES),
    error: z.string().optional().meta({ description: 'Why it was refused, or what its last attempt met.' }),
    attempts: z.array(
      z.object({
        at: instantSchema,
        outcome: z.enum(['delivered', 'failed', 'unknown']),
        error: z.string().optional(),
      }),
    ),
    next_attempt_at: instantSchema.nullable(),
    delivered_at: instantSchema.nullable(),
  })
  .meta({ id: 'Delivery' })

export const executionAnswer = z
  .object({
    id: idSchema,
    account_id: idSchema,
    automation_rule_id: idSchema,
    automation_rule_name: z
      .string()
      .nullable()
      .meta({ description: 'As it is now; null when the rule is gone for good.' }),
    conversation_id: idSchema,
    message_id: idSchema.nullable(),
    due_at: instantSchema,
    episode_key: z.string(),
    status: z.enum(PENDING_EXECUTION_STATUSES),
    skip_reason: z.enum(SKIP_REASONS).nullable(),
    armed_at: instantSchema.meta({ description: 'When the event occurred that armed it last.' }),
    claimed_at: instantSchema.nullable(),
    created_at: instantSchema,
    updated_at: instantSchema,
    executed_at: instantSchema.nullable(),
    finished_at: instantSchema.nullable(),
    guard_outcome: z
      .array(z.object({ guard: z.string(), passed: z.boolean(), seen: z.record(z.string(), z.unknown()).optional() }))
      .nullable()
      .meta({ description: 'The guards asked at fire time, up to the first that failed, which tells what it saw.' }),
    deliveries: z.array(deliveryAnswer),
  })
  .meta({ id: 'Execution' })
export type ExecutionAnswer = z.output<typeof executionAnswer>

/** What a person wants done about a row or its deliveries; without `deliveries` all that failed or are unknown. */
export const replayBody = z
  .strictObject({
    note: z.string().max(2000).optional().meta({ description: 'Why; kept in the audit log.' }),
    action: z.enum(['retry', 'dismiss']).optional().meta({ description: 'retry unless given.' }),
    deliveries: z.array(z.string().max(100)).min(1).max(1000).optional(),
  })
  .meta({ id: 'Replay' })
export type ReplayBody = z.output<typeof replayBody>

export const replayAnswer = z
  .object({
    outcome: z.enum(['claimed', 'deliveries_pending', 'deliveries_dismissed']),
    execution: executionAnswer,
  })
  .meta({ id: 'Replayed' })
export type ReplayAnswer = z.output<typeof replayAnswer>
