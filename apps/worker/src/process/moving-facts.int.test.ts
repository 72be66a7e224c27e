import { eraseAccount } from '@dwell/database/account-erasure'
import { updateAccount } from '@dwell/database/accounts'
import { deleteRule, updateRule } from '@dwell/database/automation-rules'
import { useStores } from '@dwell/testing/stores'
import { at, CHASE, incoming, is, outgoing, pending, resolved, UNANSWERED } from '../testing/conversations'
import { GatedBooks } from '../testing/gated-books'
import { useWorkerParts } from '../testing/worker-parts'
import { processBatch } from './process-batch'

// What happens while a worker holds a row and judges it. Every test lets it happen between the loading of the facts and
// the statement that ends the row.

const worker = useWorkerParts(useStores())
const LABEL = { action_name: 'add_label', action_params: ['waiting'] }

const change = async () => ({ actor: 'test', now: await worker.clock.now() })

/** Claims what is due and judges it, letting these things happen during the judgements. */
async function judgeWhile(...meanwhile: (() => Promise<unknown>)[]) {
  const claims = await worker.claim()
  const rules = new GatedBooks(...meanwhile)
  const outcomes = await processBatch(worker.processing({ rules }), claims)
  return { outcomes, judgements: rules.judgements }
}

describe('a newer message while the worker still evaluates', () => {
  // CS-11
  test('of the agent takes the claim away: nothing is sent on the strength of the older one, the row waits anew', async () => {
    const rule = await worker.rule(CHASE)
    await worker.take(outgoing(501, '10:00'))
    worker.clock.set(at('11:01'))
    const { outcomes } = await judgeWhile(() => worker.take(outgoing(502, '11:01:02')))
    expect(outcomes).toEqual([{ outcome: 'lost' }])
    expect(await worker.actions()).toEqual([])
    const waiting = {
      rule,
      conversation: 101,
      state: 'pending',
      key: 'reply_chase:0',
      due: at('12:01:02'),
      message: 502,
    }
    expect(await worker.rows()).toEqual([waiting])

    worker.clock.set(at('12:01:02'))
    expect((await judgeWhile()).outcomes).toEqual([{ outcome: 'executed' }])
    expect(await worker.actions()).toMatchObject([{ action_name: 'send_message', content: 'Any news on your side?' }])
  })

  test('of the customer ends the wait for one: judged again, the row is episode_moved', async () => {
    await worker.rule(CHASE)
    await worker.take(outgoing(501, '10:00'))
    worker.clock.set(at('11:01'))
    const { outcomes, judgements } = await judgeWhile(() => worker.take(incoming(502, '11:00:59')))
    expect(outcomes).toEqual([{ outcome: 'skipped', reason: 'episode_moved' }])
    expect(judgements).toBe(2)
    expect(await worker.actions()).toEqual([])
  })

  test('of the customer who waits for an agent is tracked: the row is executed on it, once', async () => {
    await worker.rule(UNANSWERED)
    await worker.take(incoming(501, '10:00'))
    worker.clock.set(at('10:31'))
    const { outcomes, judgements } = await judgeWhile(() => worker.take(incoming(502, '10:30:59', '10:00')))
    expect(outcomes).toEqual([{ outcome: 'executed' }])
    expect(judgements).toBe(2)
    expect(await worker.rows()).toMatchObject([{ state: 'executed', message: 502, due: at('10:30') }])
    expect(await worker.actions()).toHaveLength(1)
  })
})

describe('facts that move while a row is judged', () => {
  test('are judged again: what holds no more is skipped', async () => {
    await worker.rule()
    await worker.take(pending(101))
    worker.clock.set(at('11:00'))
    const { outcomes, judgements } = await judgeWhile(() => worker.take(resolved(101, '10:59')))
    expect(outcomes).toEqual([{ outcome: 'skipped', reason: 'episode_moved' }])
    expect(judgements).toBe(2)
    expect(await worker.actions()).toEqual([])
  })

  test('are judged again: a text is rendered from the newer ones', async () => {
    await worker.rule({ actions: [{ action_name: 'send_message', action_params: ['Hello {{contact.name}}'] }] })
    const named = (name: string, time: string) => ({
      ...pending(101, time, { status_changed_at: at('10:00') }),
      contact: { id: 9, name, email: null },
    })
    await worker.take(named('Ada', '10:00'))
    worker.clock.set(at('11:00'))
    const { outcomes } = await judgeWhile(() => worker.take(named('Grace', '10:30')))
    expect(outcomes).toEqual([{ outcome: 'executed' }])
    expect(await worker.actions()).toMatchObject([{ content: 'Hello Grace' }])
  })

  test('without end leave the row in the hands of its worker, reported; the reclaim brings it back', async () => {
    await worker.rule()
    await worker.take(pending(101))
    worker.clock.set(at('11:00'))
    const touch = (second: number) => () =>
      worker.take(pending(101, `10:30:0${second}`, { status_changed_at: at('10:00'), priority: 'high' }))
    const { outcomes, judgements } = await judgeWhile(...[1, 2, 3, 4, 5, 6].map(touch))
    expect(outcomes).toEqual([expect.any(Error)])
    expect(judgements).toBe(5)
    expect(await worker.states()).toEqual(['processing'])
    expect(await worker.actions()).toEqual([])
  })

  test('of one conversation disturb no other row of the batch', async () => {
    await worker.rule()
    await worker.take(pending(101), pending(102), pending(103))
    worker.clock.set(at('11:00'))
    const { outcomes } = await judgeWhile(() => worker.take(resolved(102, '10:59')))
    expect(outcomes).toEqual([
      { outcome: 'executed' },
      { outcome: 'skipped', reason: 'episode_moved' },
      { outcome: 'executed' },
    ])
    expect((await worker.actions()).map((action) => action.conversation_id)).toEqual([101, 103])
  })
})

describe('an edit while a row is judged', () => {
  const arm = async () => {
    const rule = await worker.rule({ actions: [LABEL] })
    await worker.take(pending(101))
    worker.clock.set(at('11:00'))
    return rule
  }
  const edit = (rule: number, patch: object) => async () =>
    updateRule(worker.database, worker.account, rule, patch, await change())

  test('of the actions: the new ones run, the old ones never', async () => {
    const rule = await arm()
    const actions = [{ action_name: 'add_label', action_params: ['new'] }]
    const { outcomes } = await judgeWhile(edit(rule, { actions }))
    expect(outcomes).toEqual([{ outcome: 'executed' }])
    expect(await worker.actions()).toMatchObject([{ action_params: ['new'] }])
  })

  test('of the conditions: the row is judged by the new ones', async () => {
    const rule = await arm()
    const { outcomes } = await judgeWhile(edit(rule, { conditions: [is('status', 'snoozed')] }))
    expect(outcomes).toEqual([{ outcome: 'skipped', reason: 'conditions_changed' }])
    expect(await worker.actions()).toEqual([])
  })

  test.each([
    ['switches the rule off', { active: false }, 'skipped:rule_inactive'],
    ['removes the delay', { execution_delay: null }, 'skipped:rule_changed'],
  ])(
    'that %s skips the row although a worker holds it; the worker loses and does nothing',
    async (_what, patch, state) => {
      const rule = await arm()
      expect((await judgeWhile(edit(rule, patch))).outcomes).toEqual([{ outcome: 'lost' }])
      expect(await worker.states()).toEqual([state])
      expect(await worker.actions()).toEqual([])
    },
  )

  test('that deletes the rule takes the row with it', async () => {
    const rule = await arm()
    const removal = async () => deleteRule(worker.database, worker.account, rule, await change())
    expect((await judgeWhile(removal)).outcomes).toEqual([{ outcome: 'lost' }])
    expect(await worker.rows()).toEqual([])
    expect(await worker.actions()).toEqual([])
  })

  test('that switches the feature off skips the row; the worker loses', async () => {
    await arm()
    const off = async () => updateAccount(worker.database, worker.account, { features: [] }, await change())
    expect((await judgeWhile(off)).outcomes).toEqual([{ outcome: 'lost' }])
    expect(await worker.states()).toEqual(['skipped:flag_disabled'])
    expect(await worker.actions()).toEqual([])
  })

  test('that erases the account leaves nothing, neither row nor action', async () => {
    await arm()
    const { outcomes } = await judgeWhile(async () => eraseAccount(worker.pool, worker.account, await change()))
    expect(outcomes).toEqual([{ outcome: 'lost' }])
    expect(await worker.rows()).toEqual([])
    expect(
      await worker.column('SELECT count(*) FROM action_deliveries WHERE account_id = $1', [worker.account]),
    ).toEqual([0])
    expect(await worker.actions()).toEqual([])
  })
})

test('the claim is taken over before the facts are read: what waited long in the queue is not reclaimed while it is judged', async () => {
  await worker.rule()
  await worker.take(pending(101))
  worker.clock.set(at('11:00'))
  const claims = await worker.claim()
  worker.clock.set(at('11:14'))
  let claimedAt: unknown[] = []
  const rules = new GatedBooks(async () => {
    claimedAt = await worker.column('SELECT claimed_at FROM automation_rule_pending_executions WHERE account_id = $1', [
      worker.account,
    ])
  })
  await processBatch(worker.processing({ rules }), claims)
  expect(claimedAt).toEqual(['2026-09-01 11:14:00+00'])
})
