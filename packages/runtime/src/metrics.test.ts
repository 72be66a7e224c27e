import { createMetrics } from './metrics'

describe('metrics', () => {
  test('counters, histograms and gauges appear with their labels', async () => {
    const metrics = createMetrics()
    const events = metrics.counter('dwell_events_total', 'Events taken.', ['outcome'])
    const lateness = metrics.histogram('dwell_lateness_seconds', 'From due to executed.', { buckets: [1, 10] })
    const depth = metrics.gauge('dwell_queue_depth', 'Waiting jobs.', ['queue'])
    events.add({ outcome: 'armed' }, 3)
    events.add({ outcome: 'armed' })
    lateness.observe({}, 4)
    depth.set({ queue: 'process' }, 12)
    const text = await metrics.render()
    expect(text).toContain('dwell_events_total{outcome="armed"} 4\n')
    expect(text).toContain('dwell_lateness_seconds_bucket{le="10"} 1\n')
    expect(text).toContain('dwell_queue_depth{queue="process"} 12\n')
    expect(text).toContain('process_cpu_seconds_total')
  })

  test('a counter without labels is there before the first event', async () => {
    const metrics = createMetrics()
    metrics.counter('dwell_dead_letters_total', 'Dead letters.')
    expect(await metrics.render()).toContain('dwell_dead_letters_total 0\n')
  })

  test('an observed gauge is read anew for every answer', async () => {
    const metrics = createMetrics()
    let age = 5
    metrics.observedGauge('dwell_oldest_due_age_seconds', 'Age of the oldest due row.', async () => age)
    expect(await metrics.render()).toContain('dwell_oldest_due_age_seconds 5\n')
    age = 6
    expect(await metrics.render()).toContain('dwell_oldest_due_age_seconds 6\n')
  })

  test('a reading or a source that fails spoils neither the answer nor shows an old value', async () => {
    const metrics = createMetrics()
    let broken = false
    const read = async () => {
      if (broken) throw new Error('database is away')
      return 5
    }
    metrics.observedGauge('dwell_oldest_due_age_seconds', 'Age.', read)
    metrics.include(async () => `bullmq_job_count{queue="sweep"} ${await read()}`)
    expect(await metrics.render()).toMatch(
      /dwell_oldest_due_age_seconds 5\n[\s\S]*bullmq_job_count\{queue="sweep"\} 5\n$/,
    )
    broken = true
    const text = await metrics.render()
    expect(text).toContain('dwell_oldest_due_age_seconds Nan\n')
    expect(text).not.toContain('bullmq_job_count')
  })

  test('two processes’ metrics in one program do not mix', async () => {
    const first = createMetrics()
    createMetrics().counter('dwell_events_total', 'Events.')
    first.counter('dwell_events_total', 'Events.')
    expect((await first.render()).match(/^dwell_events_total /gm)).toHaveLength(1)
  })
})
