import { z } from 'zod'
import { automationAnswer, automationSummaryAnswer } from './automations'

/** How saves and readings of automations are wrapped. What a body may hold is said in docs/automations.md. */
export const automationBody = z
  .object({ automations: z.array(z.looseObject({})).meta({ description: 'Exactly one automation.' }) })
  .meta({ id: 'AutomationBody' })

export const automationsAnswer = z.object({ automations: z.array(automationAnswer) })
export const automationSummariesAnswer = z.object({ automations: z.array(automationSummaryAnswer) })
