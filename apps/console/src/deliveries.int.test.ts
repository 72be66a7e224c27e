import { BEGUN } from '@dwell/database/deliveries/attempts'
import { useStores } from '@dwell/testing/stores'
import { insertDelivery, insertRow } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())
const ATTEMPT = { at: '2026-09-01T11:01:00.000000Z', outcome: 'failed', error: 'answered 500' }

let account = 0
let rule = 0
beforeEach(async () => {
  account = await console.createAccount()
  rule = (await console.call('POST', `/accounts/${account}/automation_rules`, ruleBody())).body.payload.id
  await console.setClock('2026-09-01T12:00:00Z')
})

type Status = 'delivered' | 'failed' | 'unknown' | 'refused' | 'pending' | 'dismissed' | { readonly begunAt: string }

async function executed(...statuses: readonly Status[]): Promise<number> {
  const id = await insertRow(console.deps.pool, { accountId: account, ruleId: rule, status: 'executed' })
  for (const [position, status] of statuses.entries()) {
    const begun = typeof status === 'object' ? [{ at: status.begunAt, outcome: 'unknown', error: BEGUN }] : null
    const plain = typeof status === 'object' ? 'unknown' : status
    await insertDelivery(console.deps.pool, {
      accountId: account,
      executionId: id,
      position,
      target: 'smtp',
      status: plain === 'refused' ? 'failed' : plain,
      attempts: begun ?? (plain === 'refused' || plain === 'pending' ? [] : [ATTEMPT]),
      ...(plain === 'delivered' ? {} : { error: plain }),
    })
  }
  return id
}

const list = (query = '') => console.call('GET', `/accounts/${account}/deliveries${query}`)
const decide = (execution: number, position: number, action: string, body?: object) =>
  console.call(
    'POST',
    `/accounts/${account}/executions/${execution}/deliveries/${execution}-${position}/${action}`,
    body,
  )
const statusOf = async (execution: number, position: number): Promise<string> =>
  (await console.call('GET', `/accounts/${account}/executions/${execution}`)).body.payload.deliveries[position].status
const lastAudit = async () => (await console.call('GET', `/accounts/${account}/audit_logs?limit=1`)).body.payload[0]

describe('the list of what waits for a person', () => {
  test('names what failed or is unknown with its rule, conversation and whether it can be retried, the newest first', async () => {
    const older = await executed('failed', 'delivered', 'refused')
    const newer = await executed('pending', 'unknown', 'dismissed')
    const { body } = await list()
    expect(body.payload).toMatchObject([
      { id: `${newer}-1`, status: 'unknown', retryable: true, execution_id: newer },
      { id: `${older}-2`, status: 'failed', retryable: false, error: 'refused', attempts: [] },
      {
        id: `${older}-0`,
        status: 'failed',
        retryable: true,
        account_id: account,
        automation_rule_id: rule,
        automation_rule_name: 'R1',
        attempts: [ATTEMPT],
      },
    ])
    expect(body.meta.next_cursor).toBeNull()
  })

  test('can be narrowed by status, rule and conversation', async () => {
    const id = await executed('failed', 'unknown')
    expect((await list('?status=unknown')).body.payload).toMatchObject([{ id: `${id}-1` }])
    const conversation = (await list()).body.payload[0].conversation_id
    await executed('failed')
    expect((await list(`?conversation_id=${conversation}`)).body.payload).toHaveLength(2)
    expect((await list(`?automation_rule_id=${rule}`)).body.payload).toHaveLength(3)
    expect((await list(`?automation_rule_id=${rule + 1}`)).body.payload).toEqual([])
  })

  test('comes in pages that neither repeat nor miss a delivery, also within one execution', async () => {
    const ids = [await executed('failed', 'unknown', 'failed'), await executed('failed'), await executed('unknown')]
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...body.payload.map(({ id }: { id: string }) => id))
      cursor = body.meta.next_cursor
    }
    expect(seen).toEqual([`${ids[2]}-0`, `${ids[1]}-0`, `${ids[0]}-2`, `${ids[0]}-1`, `${ids[0]}-0`])
  })

  test.each(['?status=delivered', '?cursor=x', '?limit=0', '?automation_rule_id=x', '?cursor=YmVmb3JlOjE'])(
    'refuses %s',
    async (query) => {
      expect((await list(query)).status).toBe(422)
    },
  )

  test('holds nothing of another account', async () => {
    await executed('failed')
    account = await console.createAccount()
    expect((await list()).body.payload).toEqual([])
  })
})

describe('deciding about one delivery', () => {
  test('retry gives it one more attempt under its id, wakes the workers and is audited with its note', async () => {
    const id = await executed('failed', 'unknown')
    console.asked.wakes.length = 0
    const reply = await decide(id, 1, 'retry', { note: 'nothing arrived' })
    expect(reply).toMatchObject({
      status: 200,
      body: {
        payload: { id: `${id}-1`, status: 'pending', next_attempt_at: '2026-09-01T12:00:00.000000Z', retryable: false },
      },
    })
    expect(await statusOf(id, 0)).toBe('failed')
    expect(console.asked.wakes).toHaveLength(1)
    expect(await lastAudit()).toMatchObject({
      action: 'execution.deliveries_retried',
      subject: `execution ${id}`,
      details: { deliveries: [`${id}-1`], note: 'nothing arrived' },
    })
  })

  test('dismiss closes it, also what was refused before any attempt, and sends nothing', async () => {
    const id = await executed('unknown', 'refused')
    console.asked.wakes.length = 0
    expect(await decide(id, 0, 'dismiss')).toMatchObject({ status: 200, body: { payload: { status: 'dismissed' } } })
    expect(await decide(id, 1, 'dismiss')).toMatchObject({ status: 200, body: { payload: { status: 'dismissed' } } })
    expect(console.asked.wakes).toEqual([])
    expect(await lastAudit()).toMatchObject({ action: 'execution.deliveries_dismissed' })
  })

  test.each([
    ['retry', 'delivered', 'already_delivered'],
    ['retry', 'pending', 'already_pending'],
    ['retry', 'dismissed', 'already_dismissed'],
    ['retry', 'refused', 'refused'],
    ['dismiss', 'delivered', 'already_delivered'],
    ['dismiss', 'pending', 'already_pending'],
    ['dismiss', 'dismissed', 'already_dismissed'],
  ] as const)('%s of one that is %s answers %s and changes nothing', async (action, status, code) => {
    const id = await executed(status)
    const before = await lastAudit()
    expect(await decide(id, 0, action)).toMatchObject({ status: 409, body: { code } })
    expect(await statusOf(id, 0)).toBe(status === 'refused' ? 'failed' : status)
    expect(await lastAudit()).toEqual(before)
  })

  test.each(['retry', 'dismiss'])('%s of one whose send may still be under way is refused', async (action) => {
    const id = await executed({ begunAt: '2026-09-01T11:45:00.000000Z' })
    expect(await decide(id, 0, action)).toMatchObject({ status: 409, body: { code: 'in_progress' } })
    expect((await list()).body.payload).toMatchObject([{ retryable: false }])
    expect(await console.call('POST', `/accounts/${account}/executions/${id}/replay`, { action })).toMatchObject({
      status: 409,
      body: { errors: [{ pointer: '/deliveries/0', code: 'in_progress' }] },
    })
    expect(await statusOf(id, 0)).toBe('unknown')
    await console.setClock('2026-09-01T12:00:00.000001Z')
    expect((await decide(id, 0, action)).status).toBe(200)
  })

  test('two people who retry at once cause one more attempt', async () => {
    const id = await executed('unknown')
    const replies = await Promise.all([decide(id, 0, 'retry'), decide(id, 0, 'retry'), decide(id, 0, 'dismiss')])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const logs = (await console.call('GET', `/accounts/${account}/audit_logs`)).body.payload
    expect(logs.filter(({ subject }: { subject: string }) => subject === `execution ${id}`)).toHaveLength(1)
  })

  test('knows only deliveries of its own execution and account', async () => {
    const id = await executed('failed')
    const other = await executed('failed')
    const path = `/accounts/${account}/executions`
    expect((await console.call('POST', `${path}/${id}/deliveries/${other}-0/retry`)).status).toBe(404)
    expect((await console.call('POST', `${path}/${id}/deliveries/x/retry`)).status).toBe(404)
    const stranger = await console.createAccount()
    expect((await console.call('POST', `/accounts/${stranger}/executions/${id}/deliveries/${id}-0/retry`)).status).toBe(
      404,
    )
    expect(await statusOf(id, 0)).toBe('failed')
  })

  test('is not for agents, who may read the list', async () => {
    const id = await executed('failed')
    const token = (await console.call('POST', `/accounts/${account}/tokens`, { role: 'agent', name: 'a' })).body.payload
      .token
    expect((await console.call('GET', `/accounts/${account}/deliveries`, undefined, { token })).status).toBe(200)
    const address = `/accounts/${account}/executions/${id}/deliveries/${id}-0/dismiss`
    expect((await console.call('POST', address, undefined, { token })).status).toBe(403)
  })
})
