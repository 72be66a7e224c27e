import { takeOver } from '@dwell/database/pending-executions/take-over'
import { useStores } from '@dwell/testing/stores'
import { at, pending } from '../testing/conversations'
import { useWorkerParts } from '../testing/worker-parts'
import { processBatch } from './process-batch'

const worker = useWorkerParts(useStores())
const EXECUTED = { outcome: 'executed' }
const LOST = { outcome: 'lost' }
const OLD_TOKEN = '00000000-0000-4000-8000-000000000002'

/** A row of conversation 101, due at 11:00; the clock stands there. */
async function armed(): Promise<void> {
  await worker.rule()
  await worker.take(pending(101))
  worker.clock.set(at('11:00'))
}

describe('a job that is run again', () => {
  const replay = async (ids: readonly number[]) =>
    processBatch(
      worker.processing(),
      ids.map((id) => ({ id, claimToken: OLD_TOKEN })),
    )
  const rowIds = () =>
    worker.column<number>('SELECT id FROM automation_rule_pending_executions WHERE account_id = $1 ORDER BY id', [
      worker.account,
    ])

  test('for a skipped row says why it was skipped', async () => {
    await armed()
    await worker.pool.query(
      `UPDATE automation_rule_pending_executions SET status = 'skipped', skip_reason = 'expired', finished_at = now()
       WHERE account_id = $1`,
      [worker.account],
    )
    expect(await replay(await rowIds())).toEqual([{ outcome: 'already skipped', reason: 'expired' }])
    expect(await worker.actions()).toEqual([])
  })

  test('claims a row anew that waits and is due', async () => {
    await armed()
    expect(await replay(await rowIds())).toEqual([EXECUTED])
    expect(await worker.actions()).toHaveLength(1)
  })

  test('takes a row out of the hands of its own first try, which failed; a job that begins only now does not', async () => {
    await armed()
    const [first] = await worker.claim()
    if (first === undefined) throw new Error('nothing was claimed')
    await takeOver(worker.pool, [first], await worker.clock.now())
    expect(await processBatch(worker.processing(), [first])).toEqual([LOST])
    expect(await processBatch(worker.processing(), [{ ...first, repeated: true }])).toEqual([EXECUTED])
    expect(await worker.actions()).toHaveLength(1)
    expect(await processBatch(worker.processing(), [{ ...first, repeated: true }])).toEqual([
      { outcome: 'already executed' },
    ])
    expect(await worker.actions()).toHaveLength(1)
  })

  test('leaves a row alone whose time has not come', async () => {
    await armed()
    worker.clock.set('2026-09-01T10:59:59.999999Z')
    expect(await replay(await rowIds())).toEqual([LOST])
    expect(await worker.states()).toEqual(['pending'])
  })

  test('leaves a row to the sweep that has been due for more than three days', async () => {
    await armed()
    worker.clock.set('2026-09-04T11:00:00.000001Z')
    expect(await replay(await rowIds())).toEqual([LOST])
    worker.clock.set('2026-09-04T11:00:00Z')
    expect(await replay(await rowIds())).toEqual([EXECUTED])
  })

  test('takes a row from a worker that has been silent for more than fifteen minutes, and from no other', async () => {
    await armed()
    await worker.claim()
    worker.clock.set(at('11:15'))
    expect(await replay(await rowIds())).toEqual([LOST])
    worker.clock.set('2026-09-01T11:15:00.000001Z')
    expect(await replay(await rowIds())).toEqual([EXECUTED])
    expect(await worker.actions()).toHaveLength(1)
  })
})
