import type { Queryable } from '@dwell/database/pool'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { at, CHASE, outgoing, pending } from '../testing/conversations'
import { GatedBooks } from '../testing/gated-books'
import { useWorkerParts } from '../testing/worker-parts'
import { processBatch } from './process-batch'

const worker = useWorkerParts(useStores())
const EXECUTED = { outcome: 'executed' }
const LOST = { outcome: 'lost' }
const SECOND_TOKEN = '00000000-0000-4000-8000-000000000002'

const ended = (outcome: string, reason = '') => worker.counted('dwell_pending_executions_total', { outcome, reason })

/** Rows of these conversations, due at 11:00; the clock stands there. */
async function armed(...conversations: number[]): Promise<void> {
  await worker.take(...conversations.map((conversation) => pending(conversation)))
  worker.clock.set(at('11:00'))
}

/** Locks the account's rows in a transaction of the test's own until it is let go. */
async function lockRows(): Promise<{ release(): Promise<void> }> {
  const client = await worker.pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM automation_rule_pending_executions WHERE account_id = $1 FOR UPDATE', [
    worker.account,
  ])
  return {
    async release() {
      await client.query('COMMIT')
      client.release()
    },
  }
}

const waitingForLocks = async (db: Queryable) => {
  const { rows } = await db.query<{ n: number }>(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0]?.n ?? 0
}

describe('one claim in the hands of two workers', () => {
  // CS-03
  test('at the same moment: one message; the loser ends quietly and is counted', async () => {
    await worker.rule(CHASE)
    await worker.take(outgoing(501, '10:00'))
    worker.clock.set(at('11:00'))
    const claims = await worker.claim()
    const lostBefore = await ended('lost')

    const lock = await lockRows()
    const first = processBatch(worker.processing(), claims)
    const second = processBatch(worker.processing({ rules: new GatedBooks() }), claims)
    await waitFor('both workers to want the row', async () => (await waitingForLocks(worker.pool)) === 2)
    await lock.release()

    const outcomes = [...(await first), ...(await second)]
    const named = outcomes.map((result) => (result instanceof Error ? result.message : result.outcome)).sort()
    expect(['already executed,executed', 'executed,lost']).toContain(named.join())
    expect(await worker.actions()).toMatchObject([{ action_name: 'send_message' }])
    expect(await worker.states()).toEqual(['executed'])
    expect((await ended('lost')) + (await ended('already executed'))).toBe(lostBefore + 1)
    expect(worker.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  })

  test('while the first still judges: the second holds nothing', async () => {
    await worker.rule()
    await armed(101)
    const claims = await worker.claim()
    let second: unknown
    const rules = new GatedBooks(async () => {
      second = await processBatch(worker.processing(), claims)
    })
    expect(await processBatch(worker.processing({ rules }), claims)).toEqual([EXECUTED])
    expect(second).toEqual([LOST])
    expect(await worker.actions()).toHaveLength(1)
  })

  test('one after the other: the second says that it was done', async () => {
    await worker.rule()
    await armed(101)
    const claims = await worker.claim()
    expect(await processBatch(worker.processing(), claims)).toEqual([EXECUTED])
    expect(await processBatch(worker.processing(), claims)).toEqual([{ outcome: 'already executed' }])
    expect(await worker.actions()).toHaveLength(1)
  })

  test('twice in one batch counts once', async () => {
    await worker.rule()
    await armed(101)
    const [claim] = await worker.claim()
    if (claim === undefined) throw new Error('nothing was claimed')
    expect(await processBatch(worker.processing(), [claim, { ...claim }])).toEqual([EXECUTED, LOST])
    expect(await worker.actions()).toHaveLength(1)
  })
})

describe('a claim that was superseded', () => {
  // CS-12
  test('before its job began: the job does nothing, the row is executed once at its new time', async () => {
    await worker.rule(CHASE)
    await worker.take(outgoing(501, '10:00'))
    worker.clock.set(at('11:01'))
    const claims = await worker.claim()
    worker.clock.set(at('11:01:01'))
    await worker.take(outgoing(502, '11:01:01'))
    expect(await processBatch(worker.processing(), claims)).toEqual([LOST])
    expect(await worker.rows()).toMatchObject([{ state: 'pending', due: at('12:01:01'), message: 502 }])
    expect(await worker.actions()).toEqual([])

    worker.clock.set(at('12:01:01'))
    expect(await processBatch(worker.processing(), await worker.claim())).toEqual([EXECUTED])
    expect(await worker.actions()).toHaveLength(1)
  })

  test.each(['before', 'after'])('is in one batch with the valid one, %s it: the valid one wins', async (place) => {
    await worker.rule()
    await armed(101)
    const [claim] = await worker.claim()
    if (claim === undefined) throw new Error('nothing was claimed')
    const stale = { id: claim.id, claimToken: SECOND_TOKEN }
    const jobs = place === 'before' ? [stale, claim] : [claim, stale]
    const outcomes = await processBatch(worker.processing(), jobs)
    expect(outcomes[jobs.indexOf(claim)]).toEqual(EXECUTED)
    expect(outcomes[jobs.indexOf(stale)]).toEqual(LOST)
    expect(await worker.actions()).toHaveLength(1)
  })

  test('of a row that was deleted meanwhile is lost', async () => {
    await worker.rule()
    await armed(101)
    const claims = await worker.claim()
    await worker.pool.query('DELETE FROM automation_rule_pending_executions WHERE account_id = $1', [worker.account])
    expect(await processBatch(worker.processing(), claims)).toEqual([LOST])
  })
})

describe('one bad row', () => {
  test('that cannot be written stays in the hands of its worker; the rest of the batch ends', async () => {
    await worker.rule()
    await armed(101, 102, 103)
    const claims = await worker.claim()
    // Somebody has taken the id of what the second row would leave in the outbox.
    await worker.pool.query(
      `INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload,
         delivered_at, created_at, updated_at)
       VALUES ($1, $2, 0, 0, 'add_label', 'stream', 'delivered', '{}', now(), now(), now())`,
      [`${claims[1]?.id}-0`, worker.account],
    )
    const errorsBefore = await ended('error')
    const outcomes = await processBatch(worker.processing(), claims)
    expect(outcomes).toEqual([EXECUTED, expect.any(Error), EXECUTED])
    expect(await worker.states()).toEqual(['executed', 'processing', 'executed'])
    expect(await ended('error')).toBe(errorsBefore + 1)
  })
})

describe('what executed rows leave', () => {
  test('stands on the stream in due order, the actions of a row in the order of the rule', async () => {
    const action = (label: string) => ({ action_name: 'add_label', action_params: [label] })
    await worker.rule({ actions: [action('one'), action('two'), action('three')] })
    await worker.take(pending(103, '10:02'), pending(101, '10:00'), pending(102, '10:01'))
    worker.clock.set(at('11:02'))
    // Jobs reach a worker in any order.
    await processBatch(worker.processing(), (await worker.claim()).reverse())
    expect((await worker.actions()).map(({ conversation_id, position }) => [conversation_id, position])).toEqual(
      [101, 102, 103].flatMap((conversation) => [0, 1, 2].map((position) => [conversation, position])),
    )
  })

  test('reaches slow targets by jobs of their own, without waiting for them', async () => {
    await worker.rule({
      actions: [
        { action_name: 'send_webhook_event', action_params: ['https://hooks.example/1'] },
        { action_name: 'add_label', action_params: ['waiting'] },
      ],
    })
    await armed(101)
    const handed: unknown[] = []
    const [claim] = await worker.claim()
    await processBatch(
      worker.processing({ enqueueDeliveries: async (deliveries) => void handed.push(...deliveries) }),
      claim === undefined ? [] : [claim],
    )
    expect(handed).toMatchObject([{ id: `${claim?.id}-0`, accountId: worker.account }])
    expect((await worker.actions()).map(({ action_name }) => action_name)).toEqual(['add_label'])
  })

  test('is not lost with the queue or the stream: the row is executed, the rest is reported and waits in the outbox', async () => {
    await worker.rule({
      actions: [
        { action_name: 'send_webhook_event', action_params: ['https://hooks.example/1'] },
        { action_name: 'add_label', action_params: ['waiting'] },
      ],
    })
    await armed(101)
    const refuse = async () => Promise.reject(new Error('Redis is away'))
    const outcomes = await processBatch(
      worker.processing({ enqueueDeliveries: refuse, relay: { relay: refuse } }),
      await worker.claim(),
    )
    expect(outcomes).toEqual([EXECUTED])
    expect(worker.lines.map(({ event }) => event)).toEqual(['relay.failed', 'deliver.enqueue_failed'])
    const waiting = 'SELECT status FROM action_deliveries WHERE account_id = $1'
    expect(await worker.column(waiting, [worker.account])).toEqual(['pending', 'pending'])
  })

  test('tells how late it was, except of rows that were never to wait', async () => {
    await worker.rule()
    await worker.rule({ execution_delay: null })
    const before = await worker.counted('dwell_execution_lateness_seconds_sum')
    const countBefore = await worker.counted('dwell_execution_lateness_seconds_count')
    await armed(101)
    worker.clock.set(at('11:00:42'))
    expect(await processBatch(worker.processing(), await worker.claim())).toEqual([EXECUTED, EXECUTED])
    expect((await worker.counted('dwell_execution_lateness_seconds_sum')) - before).toBeCloseTo(42)
    expect((await worker.counted('dwell_execution_lateness_seconds_count')) - countBefore).toBe(1)
  })
})

describe('switched off while claimed', () => {
  test('by the kill switch: rows wait again, immediate ones go on', async () => {
    await worker.rule()
    await worker.rule({ execution_delay: null, actions: [{ action_name: 'add_label', action_params: ['now'] }] })
    await armed(101)
    const claims = await worker.claim()
    await worker.setConfig('DISABLE_DELAYED_AUTOMATIONS', 'true')
    const outcomes = await processBatch(worker.processing(), claims)
    expect(claims.map(({ immediate }, i) => [immediate, outcomes[i]])).toEqual([
      [true, EXECUTED],
      [false, { outcome: 'released' }],
    ])
    expect((await worker.states()).sort()).toEqual(['executed', 'pending'])
    expect(await worker.actions()).toMatchObject([{ action_params: ['now'] }])
  })

  test('by the feature under `pause`: rows wait again', async () => {
    await worker.rule()
    await armed(101)
    const claims = await worker.claim()
    await worker.setConfig('DELAYED_AUTOMATIONS_WHEN_DISABLED', 'pause')
    await worker.pool.query(`UPDATE accounts SET features = '{}', rules_version = rules_version + 1 WHERE id = $1`, [
      worker.account,
    ])
    expect(await processBatch(worker.processing(), claims)).toEqual([{ outcome: 'released' }])
    expect(await worker.rows()).toMatchObject([{ state: 'pending', due: at('11:00') }])
  })

  test('and on again: released rows are claimed by the next sweep and executed', async () => {
    await worker.rule()
    await armed(101)
    await worker.setConfig('DISABLE_DELAYED_AUTOMATIONS', true)
    await processBatch(worker.processing(), await worker.claim())
    await worker.setConfig('DISABLE_DELAYED_AUTOMATIONS', 'false')
    expect(await processBatch(worker.processing(), await worker.claim())).toEqual([EXECUTED])
    expect(await worker.actions()).toHaveLength(1)
  })
})
