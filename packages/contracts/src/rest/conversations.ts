import { z } from 'zod'
import { idSchema, instantSchema } from './answers'
import { executionAnswer } from './executions'

const attributes = z.record(z.string(), z.unknown())

/** What is known about a conversation, and what waits on it. */
export const conversationAnswer = z
  .object({
    id: idSchema,
    account_id: idSchema,
    inbox_id: idSchema.nullable(),
    status: z.string().nullable(),
    status_changed_at: instantSchema.nullable(),
    waiting_since: instantSchema.nullable(),
    created_at: instantSchema.nullable(),
    priority: z.string().nullable(),
    assignee_id: idSchema.nullable(),
    assignee_bot_id: idSchema.nullable(),
    team_id: idSchema.nullable(),
    labels: z.array(z.string()),
    custom_attributes: attributes,
    additional_attributes: attributes,
    can_reply: z.boolean().nullable(),
    contact: z
      .object({
        id: idSchema,
        name: z.string().nullable(),
        email: z.string().nullable(),
        phone_number: z.string().nullable(),
        custom_attributes: attributes,
        additional_attributes: attributes,
        deleted_at: instantSchema.nullable(),
      })
      .nullable(),
    recent_incoming: z
      .array(z.object({ id: idSchema, created_at: instantSchema }))
      .meta({ description: 'The latest messages of the customer, oldest first.' }),
    deleted_at: instantSchema.nullable(),
    revision: z.int(),
    armed: z.array(executionAnswer).meta({ description: 'Its rows that are pending or processing.' }),
  })
  .meta({ id: 'Conversation' })
export type ConversationAnswer = z.output<typeof conversationAnswer>
