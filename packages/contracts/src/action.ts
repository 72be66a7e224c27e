import { z } from 'zod'

/** The outbound stream and its only field. */
export const ACTIONS_STREAM = 'dwell:actions'
export const ACTION_FIELD = 'action'

/**
 * One entry of `dwell:actions`. `id` never changes across retries: consumers may use it as their idempotency key.
 * `action_params` are as saved in the rule; texts rendered at fire time stand in `content`.
 */
export const actionEnvelope = z.object({
  id: z.string(),
  account_id: z.number().int(),
  conversation_id: z.number().int(),
  automation_rule_id: z.number().int(),
  automation_rule_name: z.string(),
  execution_id: z.number().int(),
  position: z.number().int().min(0),
  action_name: z.string(),
  action_params: z.array(z.unknown()),
  content: z.string().optional(),
  content_attributes: z.object({ automation_rule_id: z.number().int() }),
  performed_by: z.object({ type: z.literal('automation_rule'), id: z.number().int() }),
  due_at: z.string(),
  executed_at: z.string(),
})
export type ActionEnvelope = z.infer<typeof actionEnvelope>
