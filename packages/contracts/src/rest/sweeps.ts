import { z } from 'zod'
import { sweepSummary } from '../jobs'
import { idSchema, instantSchema } from './answers'

export const sweepBody = z
  .strictObject({ retention: z.boolean().optional().meta({ description: 'Runs the daily retention as well.' }) })
  .meta({ id: 'SweepToRun' })
export type SweepBody = z.output<typeof sweepBody>

export const sweepSummaryAnswer = sweepSummary.meta({ id: 'SweepSummary' })

export const sweepAnswer = sweepSummary
  .extend({ id: idSchema, started_at: instantSchema, trigger: z.enum(['schedule', 'wake', 'boot', 'request']) })
  .meta({ id: 'Sweep' })
export type SweepAnswer = z.output<typeof sweepAnswer>
