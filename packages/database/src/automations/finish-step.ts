import { randomBytes } from 'node:crypto'
import type { EndReason, StepStatus } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import { classificationOf } from '@dwell/domain/automations/classification'
import { afterFailure, continueRun, type FailureKind } from '@dwell/domain/automations/step'
import type { PlannedStep } from '@dwell/domain/automations/step-plan'
import { UUID_V7_RANDOM_BYTES, uuidV7 } from '@dwell/domain/automations/uuid-v7'
import type { PoolClient } from 'pg'
import { retryDeadlock } from '../deadlock'
import { inTransaction, type Pool, type Queryable } from '../pool'
import type { HeldStep } from './load-step'
import { holdStatus, presentPath } from './running-path'
import { endSend } from './send-records'

/** A step in our hands, and the token that shows it. */
export interface StepClaim {
  readonly id: string
  readonly lockToken: string
}

export type FinishResult =
  | { readonly finished: true; readonly nextReadyAt: Micros | null; readonly endReason: EndReason | null }
  /** Another has the step, or it has ended: nothing was changed. */
  | { readonly finished: false }

// A step has a token only while it is pending (a CHECK says so). $1 step, $2 token, $3 now, $4 end reason, $5 class of the
// run, $6… the next step.
const FINISH = `
  WITH finished AS (
    UPDATE automation_steps
    SET status = 'finished', lock_token = NULL, locked_at = NULL, error = NULL, finished_at = dwell_instant($3),
      updated_at = dwell_instant($3)
    WHERE id = $1 AND lock_token = $2
    RETURNING account_id, automation_id, run_id
  ), next AS (
    INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at,
      created_at, updated_at)
    SELECT $6::uuid, account_id, automation_id, run_id, $7::uuid, $8::uuid, $9::boolean, dwell_instant($10), dwell_instant($11),
      dwell_instant($11)
    FROM finished WHERE $6::uuid IS NOT NULL
  ), ended AS (
    UPDATE automation_runs r SET status = $5, end_reason = $4, ended_at = dwell_instant($3)
    FROM finished f WHERE r.id = f.run_id AND $4::text IS NOT NULL
  )
  SELECT FROM finished`

/**
 * Finishes a step and, in the same transaction, writes the next one over the present path at its latest revision, or ends
 * the run. `unknownSend`: an earlier attempt may have sent the mail; its record says so from now on.
 */
export async function finishStep(
  pool: Pool,
  step: HeldStep,
  lockToken: string,
  now: Micros,
  { unknownSend }: { readonly unknownSend: string | null } = { unknownSend: null },
): Promise<FinishResult> {
  return retryDeadlock(() =>
    inTransaction(pool, async (client) => {
      const status = await holdStatus(client, step.automation.id)
      if (status === null) return { finished: false }
      const { next, endReason } = continueRun(step, await presentPath(client, step.automation.id, status), now)
      const planned = next === null ? [null, null, null, null, null, null] : valuesOf(next, step, now)
      const { rowCount } = await client.query({
        name: 'finish-step',
        text: FINISH,
        values: [step.id, lockToken, now, endReason, classificationOf(endReason).status, ...planned],
      })
      if (rowCount !== 1) return { finished: false }
      if (unknownSend !== null) await endSend(client, step.id, 'unknown', unknownSend, now)
      return { finished: true, nextReadyAt: next?.readyAt ?? null, endReason }
    }),
  )
}

/** Steps of a run are ordered by creation: the next one's is later, however coarse the clock is. */
function valuesOf(next: PlannedStep, step: HeldStep, now: Micros): unknown[] {
  const createdAt = Math.max(now, step.createdAt + 1) as Micros
  const id = uuidV7(createdAt, randomBytes(UUID_V7_RANDOM_BYTES))
  return [id, next.actionId, next.revisionId, next.followed, next.readyAt, createdAt]
}

const END = `
  WITH ended AS (
    UPDATE automation_steps
    SET status = $4, lock_token = NULL, locked_at = NULL, error = $5, finished_at = dwell_instant($3),
      updated_at = dwell_instant($3)
    WHERE id = $1 AND lock_token = $2
    RETURNING run_id
  ), run AS (
    UPDATE automation_runs r SET status = 'exited_early', end_reason = $4, ended_at = dwell_instant($3)
    FROM ended e WHERE r.id = e.run_id
  ), mail AS (
    UPDATE automation_emails m
    SET status = CASE WHEN m.status = 'sending' AND NOT $6 THEN 'unknown' ELSE 'failed' END,
      error = coalesce($5, m.error, 'an attempt was broken off'), updated_at = dwell_instant($3)
    FROM ended WHERE m.id = $1 AND m.status IN ('sending', 'deferred')
  )
  SELECT FROM ended`

/**
 * Ends a step and its run with the same word. The record of a send that is still open ends with it: `failed` where it is
 * certain that nobody has the mail, else `unknown`. False: the step is not ours any more.
 */
export async function endStep(
  db: Queryable,
  { id, lockToken }: StepClaim,
  status: Exclude<StepStatus, 'pending' | 'finished'>,
  error: string | null,
  now: Micros,
  { refused }: Pick<StepFailure, 'refused'> = { refused: false },
): Promise<boolean> {
  const values = [id, lockToken, now, status, error, refused]
  const { rowCount } = await retryDeadlock(() => db.query({ name: 'end-step', text: END, values }))
  return rowCount === 1
}

const RETRY = `
  UPDATE automation_steps
  SET lock_token = NULL, locked_at = NULL, error = $4, ready_at = dwell_instant($5), updated_at = dwell_instant($3)
  WHERE id = $1 AND lock_token = $2`

export type FailureResult =
  | { readonly outcome: 'retry'; readonly readyAt: Micros }
  | { readonly outcome: 'failed' | 'automation_disabled' | 'lost' }

const ATTEMPTS = `
  SELECT automation_id, attempts FROM automation_steps WHERE id = $1 AND lock_token = $2`

export interface StepFailure {
  readonly kind: FailureKind
  readonly error: string
  /** The mail server refused the mail, or was never asked: it is certain that nobody has it. Then its record says so. */
  readonly refused: boolean
}

/**
 * Keeps that an attempt failed: again in ten minutes, or the end. The automation is held while that is decided, so that a
 * step is not put back into one that is being turned off. Needs nothing that was loaded: loading may be what failed.
 */
export async function failStep(
  pool: Pool,
  claim: StepClaim,
  failure: StepFailure,
  now: Micros,
): Promise<FailureResult> {
  return retryDeadlock(() =>
    inTransaction(pool, async (client) => {
      const known = await client.query<{ automation_id: string; attempts: number }>({
        name: 'step-attempts',
        text: ATTEMPTS,
        values: [claim.id, claim.lockToken],
      })
      const [row] = known.rows
      const status = row === undefined ? null : await holdStatus(client, row.automation_id)
      if (row === undefined || status === null) return { outcome: 'lost' }
      const after = afterFailure({ attempts: row.attempts, automation: { status } }, failure.kind, now)
      const changed =
        after.do === 'retry'
          ? await putBack(client, claim, failure.error, after.readyAt, now)
          : await endStep(client, claim, after.status, failure.error, now, failure)
      if (!changed) return { outcome: 'lost' }
      if (failure.refused && after.do === 'retry') await endSend(client, claim.id, 'deferred', failure.error, now)
      return after.do === 'retry' ? { outcome: 'retry', readyAt: after.readyAt } : { outcome: after.status }
    }),
  )
}

async function putBack(
  client: PoolClient,
  { id, lockToken }: StepClaim,
  error: string,
  readyAt: Micros,
  now: Micros,
): Promise<boolean> {
  const values = [id, lockToken, now, error, readyAt]
  const { rowCount } = await client.query({ name: 'retry-step', text: RETRY, values })
  return rowCount === 1
}
