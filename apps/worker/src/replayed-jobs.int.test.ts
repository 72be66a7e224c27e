import { setTestClock } from '@dwell/runtime/clock'
import { instant } from '@dwell/testing/fixed-clock'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at, pending } from './testing/conversations'
import { openQueues, type Queues, type RunningWorker, startWorker } from './testing/running-worker'
import { useWorkerParts } from './testing/worker-parts'

// What the board's Retry does, queue by queue: docs/replay.md.

const stores = useStores()
const parts = useWorkerParts(stores)
let queues: Queues
let worker: RunningWorker

beforeAll(() => {
  queues = openQueues(stores.redisUrl)
  stores.closeBefore(() => queues.close())
})

beforeEach(async () => {
  await clock('10:00')
  worker = await startWorker(stores)
})

afterEach(() => worker.stop())

async function clock(time: string): Promise<void> {
  parts.clock.set(at(time))
  await setTestClock(parts.redis, instant(at(time)))
}

/** The only job that the process queue keeps, run again; answers its new result. */
async function retried(from: 'completed' | 'failed'): Promise<unknown> {
  const [job] = await queues.process.getJobs([from])
  await job?.retry(from)
  await waitFor('the job to end', async () => (await queues.open('process')) === 0)
  return (await queues.process.getJob(job?.id ?? ''))?.returnvalue
}

test('a job of an executed row answers that it was executed, and nothing happens twice', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  await queues.sweepNow()
  expect(await retried('completed')).toBe('already executed')
  expect(await parts.actions()).toHaveLength(1)
})

test('a job of a skipped row answers why it was skipped', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await parts.pool.query(`UPDATE conversations SET status_changed_at = status_changed_at + interval '1 minute'`)
  await clock('11:00')
  await queues.sweepNow()
  expect(await retried('completed')).toBe('already skipped: episode_moved')
  expect(await parts.actions()).toEqual([])
})

test('a job whose row was put back claims it anew and runs it', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  await queues.sweepNow()
  await parts.pool.query(
    `UPDATE automation_rule_pending_executions SET status = 'pending', executed_at = NULL, finished_at = NULL`,
  )
  await parts.pool.query('DELETE FROM action_deliveries')
  expect(await retried('completed')).toBe('executed')
})

test('a sweep run again takes nothing twice', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  await queues.sweepNow()
  const [job] = await queues.sweep.getCompleted()
  await job?.retry('completed')
  await waitFor('the sweep to end', async () => (await queues.open('sweep')) === 0)
  expect(await parts.actions()).toHaveLength(1)
  expect(await parts.states()).toEqual(['executed'])
})

test('a job that failed with the row in hand takes it back and runs it', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  await parts.pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$`,
  )
  await parts.pool.query('CREATE TRIGGER refuse BEFORE INSERT ON action_deliveries EXECUTE FUNCTION refuse()')
  await queues.sweepNow()
  expect(await parts.states()).toEqual(['processing'])
  await parts.pool.query('DROP FUNCTION refuse CASCADE')
  expect(await retried('failed')).toBe('executed')
  expect(await parts.actions()).toHaveLength(1)
})

test('a duplicate of a job under its id is no new job; under another id it finds that the row has ended', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  await queues.sweepNow()
  const [job] = await queues.process.getCompleted()
  await queues.process.add('process', job?.data, { jobId: job?.id ?? '' })
  expect(await queues.open('process')).toBe(0)
  const other = await queues.process.add('process', job?.data)
  await waitFor('the duplicate to end', async () => (await queues.process.getJob(other.id ?? ''))?.returnvalue)
  expect((await queues.process.getJob(other.id ?? ''))?.returnvalue).toBe('already executed')
  expect(await parts.actions()).toHaveLength(1)
})

test('a delivery that has been made is not made again, and retention run again deletes nothing more', async () => {
  await parts.rule()
  await parts.take(pending(101))
  await clock('11:00')
  await queues.sweepNow()
  const [delivery] = await parts.column<string>('SELECT id FROM action_deliveries')
  await queues.deliver.add('deliver', { delivery_id: delivery, account_id: parts.account })
  await queues.retention.add('daily', {})
  await queues.retention.add('daily', {})
  await waitFor(
    'both queues to be empty',
    async () => (await queues.open('deliver')) + (await queues.open('retention')) === 0,
  )
  expect(await parts.column('SELECT status FROM action_deliveries')).toEqual(['delivered'])
  expect(await parts.actions()).toHaveLength(1)
  expect(await parts.states()).toEqual(['executed'])
})
