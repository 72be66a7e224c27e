import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import { setTestClock } from '@dwell/runtime/clock'
import { instant } from '@dwell/testing/fixed-clock'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at, CHASE, outgoing, pending } from './testing/conversations'
import { insertDelivery, insertRows } from './testing/rows'
import { openQueues, type Queues, type RunningWorker, startWorker } from './testing/running-worker'
import { useStepScene } from './testing/step-scene'
import { useWorkerParts } from './testing/worker-parts'

// Whole workers on real queues; time stands still and is set by the tests.

const stores = useStores()
const parts = useWorkerParts(stores)
const scene = useStepScene(parts)
let queues: Queues
const running: RunningWorker[] = []

beforeAll(() => {
  queues = openQueues(stores.redisUrl)
  stores.closeBefore(() => queues.close())
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

async function worker(environment: Record<string, string> = {}): Promise<RunningWorker> {
  const started = await startWorker(stores, environment)
  running.push(started)
  return started
}

async function clock(time: string): Promise<void> {
  parts.clock.set(at(time))
  await setTestClock(parts.redis, instant(at(time)))
}

const idle = (name: 'process' | 'deliver' | 'sweep' = 'process') =>
  waitFor(`the queue ${name} to be empty`, async () => (await queues.open(name)) === 0)

describe('a requested sweep', () => {
  test('answers when its rows have ended and their actions stand on the stream', async () => {
    await parts.rule()
    await parts.take(...Array.from({ length: 300 }, (_, n) => pending(n + 1)))
    await clock('11:00')
    await worker()
    expect(await queues.sweepNow()).toMatchObject({ event: 'completed', due: 300, enqueued: 300 })
    expect(new Set(await parts.states())).toEqual(new Set(['executed']))
    expect(await parts.actions()).toHaveLength(300)
  })

  test('counts the steps it carried out, those that became ready through it included, and keeps that number', async () => {
    await scene.automation([
      ['W', 1],
      ['E', 'Hi'],
    ])
    await clock('09:00')
    for (const member of ['m1', 'm2', 'm3']) await scene.signUp(member)
    await clock('10:00')
    await worker()
    // No mail server is configured: three waits, and three mails that are tried again later.
    expect(await queues.sweepNow()).toMatchObject({ due: 0, steps: 6 })
    expect(await parts.column('SELECT steps FROM sweeps')).toEqual([6])
    expect(await queues.sweepNow()).toMatchObject({ steps: 0 })
    expect(await scene.ready()).toEqual(Array.from({ length: 3 }, () => '2026-09-01T10:10:00'))
  })

  test('answers although a job failed, and leaves its row to the reclaim', async () => {
    await parts.rule()
    await parts.take(pending(101), pending(102))
    await clock('11:00')
    const [first] = await parts.column<number>('SELECT min(id) FROM automation_rule_pending_executions')
    // Somebody has taken the id of what this row would leave in the outbox.
    await insertDelivery(parts.pool, { account: parts.account, execution: Number(first), status: 'delivered' })
    const { lines } = await worker()
    expect(await queues.sweepNow()).toMatchObject({ enqueued: 2 })
    expect(await parts.states()).toEqual(['processing', 'executed'])
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'job.failed', queue: 'process' }))

    await parts.pool.query('DELETE FROM action_deliveries WHERE pending_execution_id = $1', [first])
    await clock('11:16')
    expect(await queues.sweepNow()).toMatchObject({ reclaimed: 1, enqueued: 1 })
    expect(await parts.states()).toEqual(['executed', 'executed'])
    expect((await parts.actions()).map(({ conversation_id }) => conversation_id).sort()).toEqual([101, 102])
  })

  test('with retention also deletes what ended long ago', async () => {
    await insertRows(parts.pool, [
      { account: parts.account, conversation: 1, due: '2026-07-01T10:00:00Z', state: 'executed' },
      { account: parts.account, conversation: 2, due: at('10:00'), state: 'executed' },
    ])
    await clock('11:00')
    await worker()
    await queues.sweepNow()
    expect(await parts.states()).toEqual(['executed', 'executed'])
    await queues.sweepNow({ retention: true })
    expect((await parts.rows()).map(({ conversation }) => conversation)).toEqual([2])
  })

  test('of three workers is shared by all of them: every row once', async () => {
    await parts.setConfig('AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', 3_000)
    await parts.rule()
    await parts.take(...Array.from({ length: 1_500 }, (_, n) => pending(n + 1)))
    await clock('11:00')
    await Promise.all([worker(), worker(), worker()])
    expect(await queues.sweepNow()).toMatchObject({ enqueued: 1_500 })
    const actions = await parts.actions()
    expect(actions).toHaveLength(1_500)
    expect(new Set(actions.map(({ execution_id }) => execution_id)).size).toBe(1_500)
  })
})

describe('a requested sweep whose work is slow', () => {
  test('holds up no other sweep, and is itself not answered before its work has ended', async () => {
    await parts.rule()
    await parts.take(pending(101))
    await clock('11:00')
    await worker()
    const client = await parts.pool.connect()
    const answered: string[] = []
    try {
      await client.query('BEGIN')
      // The finishing statement has to wait for the conversation's row of the outbox.
      await client.query('LOCK TABLE action_deliveries IN SHARE ROW EXCLUSIVE MODE')
      const first = queues.sweepNow().then((summary) => {
        answered.push('first')
        return summary
      })
      await waitFor('its row to be claimed', async () => (await parts.states())[0] === 'processing')
      expect(await queues.sweepNow()).toMatchObject({ event: 'completed', enqueued: 0 })
      expect(answered).toEqual([])
      await client.query('COMMIT')
      expect(await first).toMatchObject({ enqueued: 1 })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect(await parts.states()).toEqual(['executed'])
    expect(await parts.actions()).toHaveLength(1)
  })

  test('is answered with a failure, not with a summary, when the worker that waits for it ends first', async () => {
    await parts.rule()
    await parts.take(pending(101))
    await clock('11:00')
    const only = await startWorker(stores, { DWELL_SHUTDOWN_DEADLINE: '4s' })
    const client = await parts.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('LOCK TABLE action_deliveries IN SHARE ROW EXCLUSIVE MODE')
      const answer = queues.sweepNow().catch((error: unknown) => error)
      await waitFor('somebody to wait for its row', async () => (await queues.settle.getActiveCount()) === 1)
      await only.stop()
      expect(await answer).toMatchObject({ name: 'SweepRequestError', reason: 'failed' })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  }, 30_000)
})

describe('while time stands still', () => {
  test('nothing happens by its passing: no schedule, no wake, no retry', async () => {
    await parts.rule()
    await parts.take(pending(101))
    await clock('11:00')
    await worker()
    await queues.sweepNow()
    expect(await queues.sweep.getJobSchedulersCount()).toBe(0)
    expect(await queues.sweep.getDelayedCount()).toBe(0)
  })
})

// CS-03 through real queues
test('one job put into the queue twice, two workers: one message; the other job ends quietly, without an error', async () => {
  await parts.rule(CHASE)
  await parts.take(outgoing(501, '10:00'))
  await clock('11:00')
  const [claim] = await parts.claim()
  if (claim === undefined) throw new Error('nothing was claimed')
  const data = { pending_execution_id: claim.id, account_id: claim.accountId, claim_token: claim.claimToken }
  await queues.process.addBulk(['a', 'b'].map((jobId) => ({ name: 'process', data, opts: { jobId } })))
  const started = await Promise.all([worker(), worker()])
  await idle()
  expect(await parts.actions()).toHaveLength(1)
  expect(await queues.process.getFailedCount()).toBe(0)
  const results = (await queues.process.getCompleted()).map((job) => job.returnvalue).sort()
  expect([
    ['executed', 'lost'],
    ['already executed', 'executed'],
  ]).toContainEqual(results)
  expect(started.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error'))).toEqual([])
})

// PA-04
test('rows that wait in the queue when the kill switch is turned on are all pending again, and executed after it is off', async () => {
  await parts.rule()
  await parts.take(...Array.from({ length: 20 }, (_, n) => pending(n + 1)))
  await clock('11:00')
  await enqueueProcessJobs(queues.process, await parts.claim())
  expect(await queues.open('process')).toBe(20)
  await parts.setConfig('DISABLE_DELAYED_AUTOMATIONS', true)

  await worker()
  await idle()
  expect(await parts.states()).toEqual(Array.from({ length: 20 }, () => 'pending'))
  expect(await queues.sweepNow()).toMatchObject({ event: 'disabled', enqueued: 0 })
  expect(await parts.actions()).toEqual([])

  await parts.setConfig('DISABLE_DELAYED_AUTOMATIONS', false)
  expect(await queues.sweepNow()).toMatchObject({ event: 'completed', enqueued: 20 })
  expect(await parts.states()).toEqual(Array.from({ length: 20 }, () => 'executed'))
  expect(await parts.actions()).toHaveLength(20)
})

test('a job whose payload was tampered with fails alone, says why, and is not tried again', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  const claims = await parts.claim()
  const data = { pending_execution_id: claims[0]?.id, account_id: parts.account, claim_token: 'no token' }
  await queues.process.add('process', data, { jobId: 'tampered', attempts: 3 })
  await enqueueProcessJobs(queues.process, claims)
  await worker()
  await idle()
  const [failed] = await queues.process.getFailed()
  expect(failed).toMatchObject({
    id: 'tampered',
    attemptsMade: 1,
    failedReason: expect.stringContaining('claim_token'),
  })
  expect(await parts.states()).toEqual(['executed'])
})

// DESIGN section 1: Postgres is the truth, Redis is delivery.
test('a Redis that was emptied loses no row: the next sweeps execute every one, once', async () => {
  await parts.rule()
  await parts.take(...Array.from({ length: 30 }, (_, n) => pending(n + 1)), pending(31, '10:30'))
  await clock('11:00')
  await enqueueProcessJobs(queues.process, await parts.claim())
  await parts.redis.flushdb()
  await clock('11:00')
  await worker()
  // Their claims live on for fifteen minutes, since a worker might still have them.
  expect(await queues.sweepNow()).toMatchObject({ enqueued: 0 })
  await clock('11:16')
  expect(await queues.sweepNow()).toMatchObject({ reclaimed: 30, enqueued: 30 })
  await clock('11:30')
  expect(await queues.sweepNow()).toMatchObject({ enqueued: 1 })
  expect(new Set(await parts.states())).toEqual(new Set(['executed']))
  const actions = await parts.actions()
  expect(new Set(actions.map(({ conversation_id }) => conversation_id)).size).toBe(31)
  expect(actions).toHaveLength(31)
})

test('immediate rows of a batch of ingest that died before it enqueued them are executed by the reclaim', async () => {
  await parts.rule({ execution_delay: null })
  const ids = await parts.take(pending(101))
  expect(ids).toHaveLength(1)
  await clock('10:00')
  expect(await parts.claim()).toHaveLength(1)
  await worker()
  await clock('10:16')
  expect(await queues.sweepNow()).toMatchObject({ reclaimed: 1, enqueued: 1 })
  expect(await parts.actions()).toHaveLength(1)
})
