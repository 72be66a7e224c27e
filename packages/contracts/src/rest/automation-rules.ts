import { z } from 'zod'
import { SKIP_REASONS } from '../pending-execution'
import { MAX_DELAY_MINUTES, MIN_DELAY_MINUTES, RULE_EVENTS } from '../rule'
import { idSchema, instantSchema, pageQuery } from './answers'

/**
 * The shapes of rules as the API describes and answers them. What a rule may hold is checked by
 * `@dwell/domain/rules/rule-faults`, which also knows the account's custom attributes.
 */
export const conditionSchema = z
  .looseObject({
    attribute_key: z.string(),
    filter_operator: z.string(),
    values: z
      .union([z.array(z.unknown()), z.object({ from: z.array(z.unknown()), to: z.array(z.unknown()) }).partial()])
      .optional(),
    query_operator: z.string().nullable().optional(),
    custom_attribute_type: z.string().nullable().optional(),
  })
  .meta({ id: 'Condition' })

export const actionSchema = z
  .looseObject({ action_name: z.string(), action_params: z.array(z.unknown()) })
  .meta({ id: 'Action' })

const executionDelay = z.int().min(MIN_DELAY_MINUTES).max(MAX_DELAY_MINUTES).nullable().meta({
  description: 'Minutes; null acts at once. Needs the feature delayed_automations.',
})

export const createRuleBody = z
  .object({
    name: z.string(),
    description: z.string().nullable().optional(),
    event_name: z.enum(RULE_EVENTS),
    conditions: z.array(conditionSchema),
    actions: z.array(actionSchema),
    active: z.boolean().optional(),
    execution_delay: executionDelay.optional(),
  })
  .meta({ id: 'RuleToCreate' })

export const updateRuleBody = createRuleBody.partial().meta({ id: 'RuleChange' })

export const rulesQuery = pageQuery.extend({
  include: z.enum(['health']).optional().meta({ description: 'health: with the counts of each rule.' }),
})

const rows = z.int().nonnegative()

export const ruleHealthAnswer = z
  .object({
    since: instantSchema.meta({
      description: 'Rows armed since then are counted: the beginning (UTC) of the day 30 days ago.',
    }),
    armed: rows,
    waiting: rows.meta({ description: "Pending or in a worker's hands." }),
    executed: rows,
    skipped: rows,
    skipped_by_reason: z.partialRecord(z.enum(SKIP_REASONS), rows),
    deliveries_failed: rows,
    deliveries_unknown: rows,
  })
  .meta({ id: 'RuleHealth' })
export type RuleHealthAnswer = z.output<typeof ruleHealthAnswer>

export const ruleAnswer = z
  .object({
    id: idSchema,
    account_id: idSchema,
    name: z.string(),
    description: z.string().nullable(),
    event_name: z.enum(RULE_EVENTS),
    conditions: z.array(conditionSchema),
    actions: z.array(actionSchema),
    active: z.boolean(),
    execution_delay: executionDelay,
    created_at: instantSchema,
    updated_at: instantSchema,
    broken: z.boolean().meta({ description: 'It asks about a custom attribute that no longer exists.' }),
    broken_reasons: z.array(z.object({ pointer: z.string(), message: z.string() })),
    health: ruleHealthAnswer.optional().meta({ description: 'Only in the list, with ?include=health.' }),
  })
  .meta({ id: 'Rule' })
export type RuleAnswer = z.output<typeof ruleAnswer>

export const ruleHealthOfOneAnswer = ruleHealthAnswer
  .extend({
    automation_rule_id: idSchema,
    broken: z.boolean(),
    broken_reasons: z.array(z.object({ pointer: z.string(), message: z.string() })),
  })
  .meta({ id: 'HealthOfRule' })
