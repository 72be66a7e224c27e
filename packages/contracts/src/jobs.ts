import { z } from 'zod'

/** Job payloads carry ids and a claim token, never state: Postgres is the truth. Consumers accept unknown keys. */
export const processJob = z.object({
  pending_execution_id: z.number().int(),
  account_id: z.number().int(),
  claim_token: z.guid(),
})
export type ProcessJob = z.infer<typeof processJob>

export const stepJob = z.object({ step_id: z.guid(), account_id: z.number().int(), lock_token: z.guid() })
export type StepJob = z.infer<typeof stepJob>

/** `request_id` marks a sweep asked for by `POST /sweeps`: a job of this id in `settle` waits for all of its work. */
export const sweepJob = z.object({
  request_id: z.string().optional(),
  retention: z.boolean().optional(),
})
export type SweepJob = z.infer<typeof sweepJob>

export const deliverJob = z.object({ delivery_id: z.string(), account_id: z.number().int() })
export type DeliverJob = z.infer<typeof deliverJob>

export const retentionJob = z.object({})
export type RetentionJob = z.infer<typeof retentionJob>

/** What a sweep did; logged as one JSON line and kept in the database. */
export const sweepSummary = z.object({
  event: z.enum(['completed', 'disabled']),
  due: z.number().int(),
  enqueued: z.number().int(),
  capped: z.boolean(),
  remaining: z.number().int(),
  expired: z.number().int(),
  reclaimed: z.number().int(),
  flag_disabled: z.number().int(),
  /** Steps of automations that were ready and went to the queue. */
  steps: z.number().int(),
  /** How far behind their due time the delayed rows were that went to the queue; null when there were none. */
  lateness_p50_ms: z.number().nullable(),
  lateness_max_ms: z.number().nullable(),
  duration_ms: z.number(),
})
export type SweepSummary = z.infer<typeof sweepSummary>

/** What a requested sweep sent off, to be waited for. Ids only: what became of them stands in Postgres. */
export const settleJob = z.object({
  retention: z.boolean().optional(),
  /** Under which the summary is kept; null where it is not. */
  sweep_id: z.number().int().nullable(),
  summary: sweepSummary,
  /** Rows by the token under which they were claimed. */
  claims: z.array(z.object({ claim_token: z.guid(), ids: z.array(z.number().int()) })),
  deliveries: z.array(z.string()),
  steps: z.array(z.object({ id: z.guid(), lock_token: z.guid() })),
})
export type SettleJob = z.infer<typeof settleJob>
