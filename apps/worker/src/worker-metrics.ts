import type { Metrics } from '@dwell/runtime/metrics'

/** Everything the worker counts. */
export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics(metrics: Metrics) {
  return {
    executions: metrics.counter(
      'dwell_pending_executions_total',
      'Rows that process jobs ended, by outcome and skip reason.',
      ['outcome', 'reason'],
    ),
    lateness: metrics.histogram('dwell_execution_lateness_seconds', 'Time between due and executed.', {
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 900, 3_600],
    }),
    automationEmails: metrics.counter(
      'dwell_automation_emails_total',
      'Attempts to send e-mails of automations by outcome.',
      ['outcome'],
    ),
    steps: metrics.counter('dwell_steps_total', 'Steps of automations that jobs carried out, by outcome.', ['outcome']),
    stepLateness: metrics.histogram('dwell_step_lateness_seconds', 'Time between ready and carried out.', {
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 900, 3_600],
    }),
    sweepDuration: metrics.histogram('dwell_sweep_duration_seconds', 'How long a sweep took.', {
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60],
    }),
    sweptRows: metrics.counter('dwell_swept_rows_total', 'Rows that sweeps moved, by what became of them.', [
      'outcome',
    ]),
    sweptSteps: metrics.counter('dwell_swept_steps_total', 'Steps of automations that sweeps sent to the queue.'),
    deadEventsTrimmed: metrics.counter(
      'dwell_dead_events_trimmed_total',
      'Dead events that retention gave up, because of their age or their number.',
      ['reason'],
    ),
    deliveries: metrics.counter('dwell_deliveries_total', 'Attempts of deliveries by outcome.', ['queue', 'outcome']),
    jobs: metrics.counter('dwell_jobs_total', 'Jobs by queue and outcome.', ['queue', 'outcome']),
  }
}
