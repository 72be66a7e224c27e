import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { processBatch } from '../process/process-batch'
import { at, pending } from '../testing/conversations'
import { insertDelivery, insertRows } from '../testing/rows'
import { sweeper } from '../testing/sweeper'
import { useWorkerParts } from '../testing/worker-parts'

const worker = useWorkerParts(useStores())
const sweep = sweeper(worker)

describe('where enqueuing fails', () => {
  const refuse = async () => Promise.reject(new Error('Redis is away'))

  test('the claims are given back, the failure is reported and the rows count as remaining', async () => {
    await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00') },
      { account: worker.account, conversation: 2, due: at('10:01') },
    ])
    worker.clock.set(at('11:00'))
    const { summary } = await sweep({ enqueue: refuse })
    expect(await worker.states()).toEqual(['pending', 'pending'])
    expect(summary).toMatchObject({ due: 2, enqueued: 0, remaining: 2, capped: false })
    expect(worker.lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'sweep.enqueue_failed', count: 2 }),
    )
    expect((await sweep()).summary).toMatchObject({ enqueued: 2 })
  })

  test('in the middle of a sweep, what was enqueued before stays and no further batch is claimed', async () => {
    await worker.setConfig('AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', 10_000)
    await worker.pool.query(
      `INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, due_at, episode_key,
         armed_at, created_at, updated_at)
       SELECT $1, 1, n, timestamptz '2026-09-01T10:00:00Z' + n * interval '1 millisecond', 'status:1', now(), now(), now()
       FROM generate_series(1, 4000) AS n`,
      [worker.account],
    )
    worker.clock.set(at('11:00'))
    let calls = 0
    const { summary } = await sweep({
      enqueue: async () => {
        calls += 1
        if (calls === 2) throw new Error('Redis is away')
      },
    })
    expect(calls).toBe(2)
    expect(summary).toMatchObject({ enqueued: 1_000, remaining: 3_000 })
    expect(
      await worker.column(`SELECT count(*) FROM automation_rule_pending_executions WHERE status = 'processing'`),
    ).toEqual([1_000])
  })

  test('deliveries that could not be enqueued stay due, and the sweep ends all the same', async () => {
    const [execution] = await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00'), state: 'executed' },
    ])
    await insertDelivery(worker.pool, { account: worker.account, execution: Number(execution), target: 'webhook' })
    worker.clock.set(at('11:00'))
    const { deliveries } = await sweep({ enqueueDeliveries: refuse })
    expect(deliveries).toEqual([])
    expect(await worker.column('SELECT status FROM action_deliveries')).toEqual(['pending'])
    expect(worker.lines.map(({ event }) => event)).toContain('deliver.enqueue_failed')
  })
})

test('steps that cannot be claimed do not keep rows of rules from being fired', async () => {
  await insertRows(worker.pool, [{ account: worker.account, conversation: 1, due: at('10:00') }])
  worker.clock.set(at('11:00'))
  const { summary, jobs } = await sweep({ sweepSteps: () => Promise.reject(new Error('scripted: no')) })
  expect([summary.steps, jobs.length]).toEqual([0, 1])
  expect(worker.lines.map(({ event }) => event)).toContain('sweep.steps_failed')
})

describe('deliveries', () => {
  test('to slow targets whose attempt is due are enqueued, all of them, in pages', async () => {
    const [execution] = await insertRows(worker.pool, [
      { account: worker.account, conversation: 1, due: at('10:00'), state: 'executed' },
    ])
    await worker.pool.query(
      `INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
         attempts, next_attempt_at, created_at, updated_at)
       SELECT $2 || '-' || n, $1, $2::bigint, n, 'send_webhook_event', 'webhook', 'pending', '{}', '[{}, {}]',
         CASE WHEN n <= 2100 THEN timestamptz '2026-09-01T10:59:59Z' ELSE timestamptz '2026-09-01T11:00:00.000001Z' END,
         now(), now()
       FROM generate_series(1, 2105) AS n`,
      [worker.account, String(execution)],
    )
    worker.clock.set(at('11:00'))
    const enqueued: { id: string; attempt: number }[] = []
    await sweep({ enqueueDeliveries: async (deliveries) => void enqueued.push(...deliveries) })
    expect(enqueued).toHaveLength(2_100)
    expect(new Set(enqueued.map(({ id }) => id)).size).toBe(2_100)
    expect(enqueued[0]).toMatchObject({ attempt: 3, accountId: worker.account })
  })

  // CS-08: the worker died right after the transaction that made the row executed.
  test('to the stream that a crash left behind are relayed by the next sweep, once, also under the kill switch', async () => {
    await worker.rule()
    await worker.take(pending(101))
    worker.clock.set(at('11:00'))
    const crash = async () => new Promise<void>(() => undefined)
    void processBatch(worker.processing({ relay: { relay: crash } }), await worker.claim())
    await waitFor('the row to be executed', async () => (await worker.states())[0] === 'executed')
    expect(await worker.actions()).toEqual([])

    await worker.setConfig('DISABLE_DELAYED_AUTOMATIONS', true)
    worker.clock.set(at('11:20'))
    await sweep()
    expect(await worker.actions()).toMatchObject([{ conversation_id: 101, executed_at: at('11:00') }])
    await worker.setConfig('DISABLE_DELAYED_AUTOMATIONS', false)
    worker.clock.set(at('12:20'))
    await sweep()
    expect(await worker.actions()).toHaveLength(1)
    expect(await worker.states()).toEqual(['executed'])
  })

  test('that Redis refuses now do not fail the sweep', async () => {
    await insertRows(worker.pool, [{ account: worker.account, conversation: 1, due: at('10:00') }])
    worker.clock.set(at('11:00'))
    const { summary } = await sweep({ relay: { relayPending: async () => Promise.reject(new Error('Redis is away')) } })
    expect(summary).toMatchObject({ enqueued: 1 })
    expect(worker.lines.map(({ event }) => event)).toContain('relay.failed')
  })
})

// CS-05, the other half: what was reclaimed is executed once.
test('a row whose worker died before it decided is executed once by the sweep that reclaims it', async () => {
  await worker.rule()
  await worker.take(pending(101))
  worker.clock.set(at('11:00'))
  const dead = await worker.claim()
  worker.clock.set(at('11:16'))
  const { jobs, summary } = await sweep()
  expect(summary).toMatchObject({ reclaimed: 1, enqueued: 1 })
  expect(await processBatch(worker.processing(), jobs)).toEqual([{ outcome: 'executed' }])
  // The worker was only slow, and comes back.
  expect(await processBatch(worker.processing(), dead)).toEqual([{ outcome: 'already executed' }])
  expect(await worker.actions()).toHaveLength(1)
})
