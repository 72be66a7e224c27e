import { z } from 'zod'
import { idParameter, idSchema, instantSchema } from './answers'
import { executionAnswer } from './executions'

export const whyQuery = z.object({
  conversation_id: idParameter,
  message_id: idParameter.optional().meta({
    description: 'The triggering message to judge; of its newest row, else the newest that is known, unless given.',
  }),
})

export const whyAnswer = z
  .object({
    automation_rule_id: idSchema,
    conversation_id: idSchema,
    message_id: idSchema.nullable(),
    judged_at: instantSchema,
    outcome: z.enum(['executed', 'waits', 'due', 'held', 'would_skip', 'skipped', 'not_armed']),
    sentence: z.string().meta({ description: 'The verdict in plain words.' }),
    execution_id: idSchema.nullable().meta({
      description: 'The row that was judged; null when there is none and what an event would arm now was judged.',
    }),
    steps: z.array(
      z.object({
        step: z.string(),
        passed: z.boolean(),
        detail: z.string(),
        seen: z.record(z.string(), z.unknown()),
      }),
    ),
    conditions: z.array(
      z.object({
        attribute_key: z.string(),
        filter_operator: z.string(),
        values: z.unknown(),
        seen: z.unknown().meta({ description: 'As the host sent it; null when absent.' }),
        result: z.boolean(),
        group: z.int().meta({ description: 'Conditions of one group are joined by and, groups by or.' }),
        broken: z.string().optional(),
      }),
    ),
    episode: z.object({
      key: z.string().nullable(),
      clock_starts_at: instantSchema.nullable(),
      due_at: instantSchema.nullable(),
    }),
    executions: z.array(executionAnswer).meta({ description: 'The newest 20 rows of the rule and the conversation.' }),
  })
  .meta({ id: 'Why' })
export type WhyAnswer = z.output<typeof whyAnswer>
