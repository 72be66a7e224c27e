import { MICROS_PER_SECOND } from '@dwell/contracts/instant'
import { stepBacklog } from '@dwell/database/automations/step-claims'
import { backlogOf } from '@dwell/database/pending-executions/backlog'
import type { Pool } from '@dwell/database/pool'
import type { Clock } from '@dwell/runtime/clock'
import type { Metrics } from '@dwell/runtime/metrics'

/** What to alert on: the age of the oldest row that is due, not how many there are. */
export function observeBacklog(metrics: Metrics, pool: Pool, clock: Clock): void {
  metrics.observedGauge('dwell_rows_due', 'Pending executions that are due (counted up to 10,000).', async () => {
    return (await backlogOf(pool, await clock.now())).due
  })
  metrics.observedGauge(
    'dwell_oldest_due_age_seconds',
    'How long the oldest due row has been due; 0 when none is.',
    async () => {
      const now = await clock.now()
      const { oldestDueAt } = await backlogOf(pool, now)
      return oldestDueAt === null ? 0 : (now - oldestDueAt) / MICROS_PER_SECOND
    },
  )
  metrics.observedGauge(
    'dwell_steps_ready',
    'Steps of automations that are ready (counted up to 10,000).',
    async () => {
      return (await stepBacklog(pool, await clock.now())).ready
    },
  )
  metrics.observedGauge(
    'dwell_oldest_ready_step_age_seconds',
    'How long the oldest ready step has been ready; 0 when none is.',
    async () => {
      const now = await clock.now()
      const { oldestReadyAt } = await stepBacklog(pool, now)
      return oldestReadyAt === null ? 0 : (now - oldestReadyAt) / MICROS_PER_SECOND
    },
  )
}
