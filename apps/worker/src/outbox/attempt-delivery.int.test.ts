import { formatInstant, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import { BEGUN, nextAttemptDueAt } from '@dwell/database/deliveries/attempts'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import type { DeliveryOutcome, DeliveryTarget } from '../targets/target'
import { at } from '../testing/conversations'
import { insertDelivery, insertRows } from '../testing/rows'
import { useWorkerParts } from '../testing/worker-parts'
import { attemptDelivery } from './attempt-delivery'

const worker = useWorkerParts(useStores())
const never = new AbortController().signal
const DELIVERED: DeliveryOutcome = { outcome: 'delivered' }
const retry = (retryAfter: number | null = null): DeliveryOutcome => ({
  outcome: 'retry',
  error: 'answered 503',
  retryAfter: retryAfter as Micros | null,
})

/** A target that answers these, one per attempt, and keeps what it was given. */
function answering(...outcomes: (DeliveryOutcome | Error | Promise<DeliveryOutcome>)[]) {
  const taken: string[] = []
  const target: DeliveryTarget = {
    async deliver({ id }) {
      taken.push(id)
      const outcome = await outcomes[taken.length - 1]
      if (outcome === undefined) throw new Error('one attempt too many')
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  }
  return { target, taken }
}

async function delivery(target: 'webhook' | 'smtp'): Promise<string> {
  const [execution] = await insertRows(worker.pool, [
    { account: worker.account, conversation: 1, due: at('10:00'), state: 'executed' },
  ])
  worker.clock.set(at('11:00'))
  const payload = { url: 'https://hooks.example/1', body: {} }
  return insertDelivery(worker.pool, { account: worker.account, execution: Number(execution), target, payload })
}

const attempt = (id: string, target: DeliveryTarget | null, name: 'webhook' | 'smtp' = 'webhook', signal = never) =>
  attemptDelivery(
    {
      pool: worker.pool,
      clock: worker.clock,
      targets: target === null ? {} : { [name]: target },
      random: () => 0.5,
      logger: worker.logger,
      metrics: worker.metrics,
    },
    id,
    signal,
  )

async function kept(id: string) {
  const { rows } = await worker.pool.query(
    `SELECT status, error, attempts, dwell_micros(next_attempt_at) AS next FROM action_deliveries WHERE id = $1`,
    [id],
  )
  const { next, ...row } = rows[0]
  return { ...row, next: next === null ? null : formatInstant(next) }
}

describe('an attempt that can be repeated', () => {
  test('and arrives is over, with its time', async () => {
    const id = await delivery('webhook')
    const { target, taken } = answering(DELIVERED)
    expect(await attempt(id, target)).toEqual({ outcome: 'delivered', attempt: 1 })
    expect(taken).toEqual([id])
    expect(await kept(id)).toEqual({
      status: 'delivered',
      error: null,
      attempts: [{ at: at('11:00'), outcome: 'delivered' }],
      next: null,
    })
  })

  test('meets a passing fault, waits longer each time under the same id, and arrives', async () => {
    const id = await delivery('webhook')
    const { target, taken } = answering(retry(), retry(), DELIVERED)
    await attempt(id, target)
    expect(await kept(id)).toMatchObject({ status: 'pending', error: 'answered 503', next: at('11:00:10') })
    worker.clock.set(at('11:00:10'))
    expect(await attempt(id, target)).toEqual({ outcome: 'retry', attempt: 2 })
    expect(await kept(id)).toMatchObject({ status: 'pending', next: at('11:00:40') })
    worker.clock.set(at('11:00:40'))
    expect(await attempt(id, target)).toEqual({ outcome: 'delivered', attempt: 3 })
    expect(taken).toEqual([id, id, id])
    expect((await kept(id)).attempts).toEqual([
      { at: at('11:00'), outcome: 'failed', error: 'answered 503' },
      { at: at('11:00:10'), outcome: 'failed', error: 'answered 503' },
      { at: at('11:00:40'), outcome: 'delivered' },
    ])
  })

  test('never comes sooner than the target asked for', async () => {
    const id = await delivery('webhook')
    await attempt(id, answering(retry(120 * MICROS_PER_SECOND)).target)
    expect(await kept(id)).toMatchObject({ next: at('11:02') })
    expect(await nextAttemptDueAt(worker.pool, await worker.clock.now())).toBe(
      (await worker.clock.now()) + 120 * MICROS_PER_SECOND,
    )
  })

  test('is given up after ten, visibly', async () => {
    const id = await delivery('webhook')
    const { target } = answering(...Array.from({ length: 10 }, () => retry()))
    for (let n = 0; n < 10; n++) {
      await attempt(id, target)
      worker.clock.advance({ minutes: 24 * 60 })
    }
    expect(await kept(id)).toMatchObject({ status: 'failed', error: 'answered 503', next: null })
    expect((await kept(id)).attempts).toHaveLength(10)
  })

  test('is refused for good: failed with the reason, never tried again', async () => {
    const id = await delivery('webhook')
    const { target, taken } = answering({ outcome: 'failed', error: 'answered 404' })
    await attempt(id, target)
    expect(await kept(id)).toMatchObject({ status: 'failed', error: 'answered 404', next: null })
    worker.clock.advance({ minutes: 600 })
    expect(await attempt(id, target)).toEqual({ outcome: 'already failed' })
    expect(taken).toHaveLength(1)
  })

  test('whose receiver wants nothing more disables its address for the rules that follow', async () => {
    const id = await delivery('webhook')
    await attempt(id, answering({ outcome: 'failed', error: 'answered 410', gone: true }).target)
    expect(
      await worker.column(`SELECT settings -> 'disabled_webhooks' FROM accounts WHERE id = $1`, [worker.account]),
    ).toEqual([['https://hooks.example/1']])
  })

  test('whose worker dies in the middle is made again under the same id', async () => {
    const id = await delivery('webhook')
    const dying = answering(new Promise<DeliveryOutcome>(() => undefined))
    void attempt(id, dying.target)
    await waitFor('the attempt', () => dying.taken.length > 0)
    expect(await kept(id)).toMatchObject({ status: 'pending', attempts: [] })
    const { target, taken } = answering(DELIVERED)
    await attempt(id, target)
    expect([...dying.taken, ...taken]).toEqual([id, id])
    expect(await kept(id)).toMatchObject({ status: 'delivered' })
  })
})

describe('an attempt that must not be repeated', () => {
  test('is written down before it is made; a worker that dies leaves it unknown, and nobody sends it again', async () => {
    const id = await delivery('smtp')
    const dying = answering(new Promise<DeliveryOutcome>(() => undefined))
    void attempt(id, dying.target, 'smtp')
    await waitFor('the attempt', () => dying.taken.length > 0)
    expect(await kept(id)).toEqual({
      status: 'unknown',
      error: BEGUN,
      attempts: [{ at: at('11:00'), outcome: 'unknown', error: BEGUN }],
      next: null,
    })
    worker.clock.advance({ minutes: 600 })
    const { target, taken } = answering(DELIVERED)
    expect(await attempt(id, target, 'smtp')).toEqual({ outcome: 'already unknown' })
    expect(taken).toEqual([])
  })

  test('and arrives leaves one attempt, not two', async () => {
    const id = await delivery('smtp')
    await attempt(id, answering(DELIVERED).target, 'smtp')
    expect(await kept(id)).toEqual({
      status: 'delivered',
      error: null,
      attempts: [{ at: at('11:00'), outcome: 'delivered' }],
      next: null,
    })
  })

  test('and surely did not arrive is repeated like any other', async () => {
    const id = await delivery('smtp')
    const { target } = answering(retry(), DELIVERED)
    await attempt(id, target, 'smtp')
    expect(await kept(id)).toMatchObject({ status: 'pending', next: at('11:00:10') })
    worker.clock.set(at('11:00:10'))
    await attempt(id, target, 'smtp')
    expect(await kept(id)).toMatchObject({
      status: 'delivered',
      attempts: [{ outcome: 'failed' }, { outcome: 'delivered' }],
    })
  })

  test('of which nobody can tell stays unknown for a person', async () => {
    const id = await delivery('smtp')
    await attempt(id, answering({ outcome: 'unknown', error: 'cut off after the message' }).target, 'smtp')
    expect(await kept(id)).toMatchObject({ status: 'unknown', error: 'cut off after the message', next: null })
  })

  test('that a person decided about meanwhile is not overwritten by its late answer, and that is reported', async () => {
    const id = await delivery('smtp')
    let answer: (outcome: DeliveryOutcome) => void = () => undefined
    const slow = answering(
      new Promise<DeliveryOutcome>((resolve) => {
        answer = resolve
      }),
    )
    const attempting = attempt(id, slow.target, 'smtp')
    await waitFor('the attempt', () => slow.taken.length > 0)
    await worker.pool.query(`UPDATE action_deliveries SET status = 'dismissed' WHERE id = $1`, [id])
    answer(DELIVERED)
    await attempting
    expect(await kept(id)).toMatchObject({ status: 'dismissed' })
    expect(worker.lines).toContainEqual(expect.objectContaining({ event: 'delivery.moved_on', delivery_id: id }))
  })
})

describe('of several jobs for one attempt', () => {
  test.each(['webhook', 'smtp'] as const)('one keeps its outcome (%s)', async (name) => {
    const id = await delivery(name)
    const { target, taken } = answering(DELIVERED, DELIVERED)
    const outcomes = await Promise.all([attempt(id, target, name), attempt(id, target, name)])
    // Whoever cannot tell twice from once is asked once; a webhook's receiver knows the id.
    if (name === 'smtp') expect(taken).toEqual([id])
    expect(outcomes.map(({ outcome }) => outcome)).toContain('delivered')
    expect((await kept(id)).attempts).toHaveLength(1)
  })

  test('one that comes too early, or for what is gone, does nothing and says so', async () => {
    const id = await delivery('webhook')
    const { target, taken } = answering(DELIVERED)
    worker.clock.set('2026-09-01T08:59:59.999999Z')
    expect(await attempt(id, target)).toEqual({ outcome: 'not due' })
    expect(await attempt('1-99', target)).toEqual({ outcome: 'gone' })
    expect(taken).toEqual([])
  })
})

test('a target that is not configured fails its deliveries with that reason', async () => {
  const id = await delivery('smtp')
  await attempt(id, null, 'smtp')
  expect(await kept(id)).toMatchObject({ status: 'failed', error: 'no target for smtp is configured' })
})

test('a process that ends begins no further attempt', async () => {
  const id = await delivery('smtp')
  const ending = new AbortController()
  ending.abort(new Error('the process is ending'))
  const { target, taken } = answering(DELIVERED)
  await expect(attempt(id, target, 'smtp', ending.signal)).rejects.toThrow('the process is ending')
  expect(taken).toEqual([])
  expect(await kept(id)).toMatchObject({ status: 'pending' })
})

test('an attempt that the end of the process interrupted is made again later', async () => {
  const id = await delivery('webhook')
  await attempt(id, answering(new Error('the process is ending')).target)
  expect(await kept(id)).toMatchObject({ status: 'pending', error: 'the process is ending', next: at('11:00:10') })
})
