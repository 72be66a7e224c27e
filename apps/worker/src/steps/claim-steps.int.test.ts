import { endStep, failStep, finishStep } from '@dwell/database/automations/finish-step'
import { loadStep } from '@dwell/database/automations/load-step'
import { beginSend } from '@dwell/database/automations/send-records'
import {
  type ClaimedStep,
  claimReadySteps,
  nextStepAt,
  releaseSteps,
  STEP_BATCH,
  takeBackAttempt,
  takeOverStep,
} from '@dwell/database/automations/step-claims'
import { instant } from '@dwell/testing/fixed-clock'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'
import { runStep } from './run-step'
import { awaitSteps, sweepSteps } from './sweep-steps'

// automations.md section 4: take.

const worker = useWorkerParts(useStores())
const scene = useStepScene(worker)
const never = new AbortController().signal

const claim = async () => claimReadySteps(worker.pool, await worker.clock.now())
const attempts = () => worker.column<number>('SELECT attempts FROM automation_steps')
async function theOnly<T>(list: Promise<readonly T[]>): Promise<T> {
  const [one, ...others] = await list
  if (one === undefined || others.length > 0) throw new Error(`not one but ${others.length + (one ? 1 : 0)}`)
  return one
}

/** Steps of members m0, m1, … with the times that are given: minutes after 09:00 at which each is ready, and was queued. */
async function stepsReady(times: readonly (readonly [ready: number, created: number])[]): Promise<string[]> {
  await scene.automation([['W', 1]])
  for (const [n] of times.entries()) await scene.signUp(`m${n}`)
  const ids = await worker.column<string>(
    'SELECT s.id FROM automation_steps s JOIN automation_runs r ON r.id = s.run_id ORDER BY r.member_id',
  )
  for (const [n, [ready, created]] of times.entries())
    await worker.pool.query(
      `UPDATE automation_steps SET ready_at = timestamptz '2026-09-01T09:00:00Z' + $2 * interval '1 minute',
         created_at = timestamptz '2026-09-01T08:00:00Z' + $3 * interval '1 minute' WHERE id = $1`,
      [ids[n], ready, created],
    )
  return ids
}

describe('a step is taken', () => {
  test('exactly at its time, and not a microsecond before', async () => {
    await scene.automation([['W', 24]])
    await scene.signUp('m1')
    worker.clock.set('2026-09-02T08:59:59.999999Z')
    expect(await claim()).toEqual([])
    worker.clock.set('2026-09-02T09:00:00.000000Z')
    expect(await claim()).toHaveLength(1)
  })

  test('in the order of its time, then of its creation, then of its id', async () => {
    const [a = '', b = '', c = '', d = '', e = ''] = await stepsReady([
      [3, 0],
      [2, 5],
      [2, 4],
      [1, 9],
      [2, 4],
    ])
    worker.clock.set('2026-09-01T10:00:00Z')
    expect((await claim()).map(({ id }) => id)).toEqual([d, ...[c, e].sort(), b, a])
  })

  test('from a worker that took it 31 minutes ago, not from one that took it 29 or exactly 30 minutes ago', async () => {
    await scene.automation([['W', 1]])
    await scene.signUp('m1')
    worker.clock.set('2026-09-01T10:00:00Z')
    await claim()
    for (const time of ['10:29:00.000000', '10:30:00.000000']) {
      worker.clock.set(`2026-09-01T${time}Z`)
      expect(await claim()).toEqual([])
    }
    worker.clock.set('2026-09-01T10:30:00.000001Z')
    expect(await claim()).toHaveLength(1)
  })

  test('by one of many that ask at the same moment', async () => {
    await scene.automation([['W', 1]])
    for (let n = 0; n < 30; n += 1) await scene.signUp(`m${n}`)
    worker.clock.set('2026-09-01T10:00:00Z')
    const taken = (await Promise.all(Array.from({ length: 8 }, claim))).flat().map(({ id }) => id)
    expect([taken.length, new Set(taken).size]).toEqual([30, 30])
  })
})

describe('attempts', () => {
  test('are counted when one begins, with a fresh lock and token; a second worker makes the second', async () => {
    await scene.automation([['W', 1]])
    await scene.signUp('m1')
    worker.clock.set('2026-09-01T10:00:00Z')
    const first = await theOnly(claim())
    expect(await attempts()).toEqual([0])
    worker.clock.set('2026-09-01T10:20:00Z')
    expect(
      await takeOverStep(worker.pool, first, '00000000-0000-4000-8000-000000000001', await worker.clock.now()),
    ).toBe(true)
    expect(await attempts()).toEqual([1])
    // The half hour counts from here: what waited in the queue is not taken away while it is carried out.
    worker.clock.set('2026-09-01T10:50:00Z')
    expect(await claim()).toEqual([])
    worker.clock.set('2026-09-01T10:51:00Z')
    const second = await theOnly(claim())
    expect(await runStep(scene.deps(), second, never)).toBe('finished')
    expect(await attempts()).toEqual([2])
  })

  test('are none while claims only wait in a queue, however often: a paused queue fails nobody', async () => {
    await scene.automation([['E', 'Hi']])
    await scene.signUp('m1')
    for (let n = 0; n < 20; n += 1) {
      expect(await claim()).toHaveLength(1)
      worker.clock.advance({ minutes: 31 })
    }
    expect(await scene.sweep()).toEqual(['finished'])
    expect(scene.mails).toHaveLength(1)
  })
})

describe('a wake', () => {
  const sweepBatches = async (waiting = 0) => {
    const batches: number[] = []
    const claims = await sweepSteps({
      pool: worker.pool,
      clock: worker.clock,
      logger: worker.logger,
      enqueueSteps: async (steps) => void batches.push(steps.length),
      waitingSteps: async () => waiting,
      stepHasEnded: async () => true,
    })
    return { batches, ids: new Set(claims.map(({ id }) => id)) }
  }

  test('takes 250 ready steps at once, a hundred per statement', async () => {
    await scene.automation([['W', 1]])
    for (let n = 0; n < 250; n += 1) await scene.signUp(`m${n}`)
    worker.clock.set('2026-09-01T10:00:00Z')
    const { batches, ids } = await sweepBatches()
    expect([batches, ids.size, STEP_BATCH]).toEqual([[100, 100, 50], 250, 100])
  })

  test('claims no more than the queue has room for', async () => {
    await scene.automation([['W', 1]])
    for (let n = 0; n < 12; n += 1) await scene.signUp(`m${n}`)
    worker.clock.set('2026-09-01T10:00:00Z')
    expect((await sweepBatches(990)).batches).toEqual([10])
    expect((await sweepBatches(1_000)).batches).toEqual([])
  })

  test('that was asked for ends when all that is ready has been carried out, also where others fill the queue at first', async () => {
    await scene.automation([
      ['W', 1],
      ['E', 'Hi'],
    ])
    for (let n = 0; n < 3; n += 1) await scene.signUp(`m${n}`)
    worker.clock.set('2026-09-01T10:00:00Z')
    const waiting = [1_000, 1_000, 999]
    const deps = {
      pool: worker.pool,
      clock: worker.clock,
      logger: worker.logger,
      enqueueSteps: async (steps: readonly ClaimedStep[]) => {
        for (const step of steps) await runStep(scene.deps(), step, never)
      },
      waitingSteps: async () => waiting.shift() ?? 0,
      stepHasEnded: async () => true,
    }
    const first = await sweepSteps(deps)
    expect(first).toEqual([])
    expect(await awaitSteps(deps, first, never)).toBe(6)
    expect(await scene.reasons()).toEqual(['completed', 'completed', 'completed'])
  })

  test('is asked for at the next ready time, and when a lock ends', async () => {
    await scene.automation([['W', 1]])
    await scene.signUp('m1')
    expect(await nextStepAt(worker.pool)).toBe(instant('2026-09-01T10:00:00Z'))
    worker.clock.set('2026-09-01T10:00:05Z')
    await claim()
    expect(await nextStepAt(worker.pool)).toBe(instant('2026-09-01T10:30:05.000001Z'))
    worker.clock.set('2026-09-01T10:20:00Z')
    await scene.signUp('m2')
    expect(await nextStepAt(worker.pool)).toBe(instant('2026-09-01T10:30:05.000001Z'))
  })
})

describe('who lost the lock can', () => {
  /** A claim that was taken over by somebody else, the step as it was loaded under it, and the time. */
  async function lost() {
    await scene.automation([
      ['E', 'Hi'],
      ['W', 1],
    ])
    await scene.signUp('m1')
    const first = await theOnly(claim())
    const step = await loadStep(worker.pool, first.id, first.lockToken)
    if (step === null) throw new Error('the step was not loaded')
    worker.clock.advance({ minutes: 31 })
    const second = await theOnly(claim())
    return { first, second, step, now: await worker.clock.now() }
  }

  const SENDING = { messageId: '<x@y>', email: 'a@b', name: null, tracksOpens: false, tracksClicks: false }

  test.each<[string, (scene: Awaited<ReturnType<typeof lost>>) => Promise<unknown>, unknown]>([
    ['not begin', ({ first, now }) => takeOverStep(worker.pool, first, first.id, now), false],
    ['not load it', ({ first }) => loadStep(worker.pool, first.id, first.lockToken), null],
    ['not begin to send', ({ first, step, now }) => beginSend(worker.pool, step, first.lockToken, SENDING, now), null],
    [
      'not finish it',
      ({ first, step, now }) => finishStep(worker.pool, step, first.lockToken, now),
      { finished: false },
    ],
    ['not end it', ({ first, now }) => endStep(worker.pool, first, 'member_unsubscribed', null, now), false],
    [
      'not fail it',
      ({ first, now }) => failStep(worker.pool, first, { kind: 'permanent', error: 'x', refused: true }, now),
      { outcome: 'lost' },
    ],
    ['not give it back', ({ first, now }) => releaseSteps(worker.pool, [first], now), undefined],
    ['not take its attempt back', ({ first, now }) => takeBackAttempt(worker.pool, first, 'x', now), undefined],
  ])('%s', async (_what, write, answer) => {
    const scenery = await lost()
    const before = await worker.pool.query('SELECT * FROM automation_steps')
    expect(await write(scenery)).toEqual(answer)
    const after = await worker.pool.query('SELECT * FROM automation_steps')
    expect(after.rows).toEqual(before.rows)
    expect([await scene.reasons(), await scene.records()]).toEqual([[null], []])
    expect(await runStep(scene.deps(), scenery.second, never)).toBe('finished')
  })

  test('writes no record of a send while another is taking the step over', async () => {
    await scene.automation([['e', 'Hello']])
    await scene.signUp('m1')
    const first = await theOnly(claim())
    const step = await loadStep(worker.pool, first.id, first.lockToken)
    if (step === null) throw new Error('the step was not loaded')
    const other = await worker.pool.connect()
    try {
      await other.query('BEGIN')
      await takeOverStep(other, first, '00000000-0000-4000-8000-000000000009', await worker.clock.now())
      const sending = beginSend(worker.pool, step, first.lockToken, SENDING, await worker.clock.now())
      await waitFor('the first one to wait', async () => {
        const { rows } = await worker.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
      await other.query('COMMIT')
      expect(await sending).toBeNull()
    } finally {
      await other.query('ROLLBACK')
      other.release()
    }
    expect(await scene.records()).toEqual([])
  })
})
