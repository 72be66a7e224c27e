import type { Micros } from '@dwell/contracts/instant'
import type { SweepSummary } from '@dwell/contracts/jobs'
import { castInstallationConfigs, type InstallationConfigs } from '@dwell/contracts/rest/installation-configs'
import type { Queryable } from './pool'

export type SweepTrigger = 'schedule' | 'wake' | 'boot' | 'request'

const STORE = `
  INSERT INTO sweeps (started_at, trigger, event, due, enqueued, capped, remaining, expired, reclaimed, flag_disabled, steps,
    lateness_p50_ms, lateness_max_ms, duration_ms)
  VALUES (dwell_instant($1), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  RETURNING id`

/** Keeps what a sweep did. Answers the id it is kept under. */
export async function storeSweep(
  db: Queryable,
  startedAt: Micros,
  trigger: SweepTrigger,
  summary: SweepSummary,
): Promise<number> {
  const { rows } = await db.query<{ id: number }>({
    name: 'sweep-store',
    text: STORE,
    values: [
      startedAt,
      trigger,
      summary.event,
      summary.due,
      summary.enqueued,
      summary.capped,
      summary.remaining,
      summary.expired,
      summary.reclaimed,
      summary.flag_disabled,
      summary.steps,
      summary.lateness_p50_ms,
      summary.lateness_max_ms,
      summary.duration_ms,
    ],
  })
  const [row] = rows
  if (row === undefined) throw new Error('the sweep was not stored')
  return row.id
}

/** A sweep that was asked for goes on with steps that become ready through it: then there were more than at its beginning. */
export async function recountSteps(db: Queryable, sweepId: number, steps: number): Promise<void> {
  await db.query({
    name: 'sweep-recount',
    text: 'UPDATE sweeps SET steps = $2 WHERE id = $1',
    values: [sweepId, steps],
  })
}

const CONFIGS = `SELECT jsonb_object_agg(name, value) AS configs FROM installation_configs`

/** The installation's settings as they are now: a sweep never works from a cache, so the kill switch holds at once. */
export async function readConfigs(db: Queryable): Promise<InstallationConfigs> {
  const { rows } = await db.query<{ configs: Record<string, unknown> | null }>({ name: 'configs', text: CONFIGS })
  return castInstallationConfigs(rows[0]?.configs ?? {})
}
