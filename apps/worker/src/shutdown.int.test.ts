import { enqueueProcessJobs } from '@dwell/queues/process-queue'
import { setTestClock } from '@dwell/runtime/clock'
import { instant } from '@dwell/testing/fixed-clock'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at, pending } from './testing/conversations'
import { openQueues, startWorker } from './testing/running-worker'
import { useWorkerParts } from './testing/worker-parts'

const stores = useStores()
const parts = useWorkerParts(stores)

const workerClients = async () =>
  String(await parts.redis.client('LIST'))
    .split('\n')
    .filter((line) => line.includes('name=dwell:worker') && !line.includes('name=dwell:worker-test'))

beforeEach(async () => {
  parts.clock.set(at('11:00'))
  await setTestClock(parts.redis, instant(at('11:00')))
})

test('a worker that ends leaves no connection to Redis behind', async () => {
  const worker = await startWorker(stores)
  expect(await workerClients()).not.toEqual([])
  expect(await worker.stop()).toBe(0)
  await waitFor('its connections to close', async () => (await workerClients()).length === 0)
})

test('a job that does not end in time is left, and its row stays processing for the reclaim', async () => {
  const queues = openQueues(stores.redisUrl)
  const worker = await startWorker(stores, { DWELL_SHUTDOWN_DEADLINE: '1s' })
  const client = await parts.pool.connect()
  try {
    await parts.rule()
    await parts.take(pending(101))
    const claims = await parts.claim()
    await client.query('BEGIN')
    await client.query('SELECT FROM automation_rule_pending_executions FOR UPDATE')
    await enqueueProcessJobs(queues.process, claims)
    await waitFor('the job to be under way', async () => (await queues.process.getActiveCount()) === 1)
    const began = performance.now()
    await worker.stop()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await parts.states()).toEqual(['processing'])
    expect(await parts.actions()).toEqual([])
  } finally {
    await client.query('ROLLBACK')
    client.release()
    await queues.close()
  }
})
