import { useStores } from '@dwell/testing/stores'
import { insertDelivery, insertRow, type RowToInsert, statesOf } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const claimed: number[] = []
let refuseClaims = false
const console = useConsole(useStores(), {
  work: {
    async claim(ids) {
      if (refuseClaims) return []
      claimed.push(...ids)
      return ids
    },
  },
})

let account = 0
let rule = 0
beforeAll(async () => {
  account = await console.createAccount()
  rule = (await console.call('POST', `/accounts/${account}/automation_rules`, ruleBody())).body.payload.id
})

beforeEach(async () => {
  claimed.length = 0
  refuseClaims = false
  await console.setClock('2026-09-01T12:00:00Z')
})

const insert = (row: Partial<RowToInsert>) => insertRow(console.deps.pool, { accountId: account, ruleId: rule, ...row })
const replay = (id: number, body?: object) => console.call('POST', `/accounts/${account}/executions/${id}/replay`, body)
const ATTEMPT = { at: '2026-09-01T11:01:00.000000Z', outcome: 'failed', error: 'answered 500' }

async function executedWith(...statuses: readonly ('delivered' | 'failed' | 'unknown' | 'refused' | 'pending')[]) {
  const id = await insert({ status: 'executed' })
  for (const [position, status] of statuses.entries()) {
    await insertDelivery(console.deps.pool, {
      accountId: account,
      executionId: id,
      position,
      target: 'webhook',
      status: status === 'refused' ? 'failed' : status,
      attempts: status === 'refused' || status === 'pending' ? [] : [ATTEMPT],
      ...(status === 'delivered' ? {} : { error: status }),
    })
  }
  return id
}

async function deliveryStates(id: number): Promise<string[]> {
  const { body } = await console.call('GET', `/accounts/${account}/executions/${id}`)
  return body.payload.deliveries.map(({ status }: { status: string }) => status)
}

const lastAudit = async () => (await console.call('GET', `/accounts/${account}/audit_logs?limit=1`)).body.payload[0]

describe('replaying a row', () => {
  test.each([
    ['that is due', { dueAt: '2026-09-01T12:00:00Z' }],
    ['whose worker is gone', { status: 'processing', claimedAt: '2026-09-01T11:44:59.999999Z' }],
  ] as const)('%s claims it anew, and says who wanted it and why', async (_what, row) => {
    const id = await insert(row)
    const reply = await replay(id, { note: 'customer called' })
    expect(reply).toMatchObject({ status: 200, body: { payload: { outcome: 'claimed', execution: { id } } } })
    expect(claimed).toEqual([id])
    expect(await lastAudit()).toMatchObject({
      actor: 'admin',
      action: 'execution.replayed',
      subject: `execution ${id}`,
      details: { note: 'customer called' },
    })
  })

  test.each([
    ['that is not due', { dueAt: '2026-09-01T12:00:00.000001Z' }, 'not_due'],
    ['in a worker’s hands', { status: 'processing', claimedAt: '2026-09-01T11:45:00Z' }, 'in_progress'],
    ['that was skipped', { status: 'skipped', skipReason: 'episode_moved' }, 'already_skipped'],
    ['that was executed', { status: 'executed' }, 'already_executed'],
  ] as const)('%s answers why not and changes nothing', async (_what, row, code) => {
    const id = await insert(row)
    const [before, audited] = [await statesOf(console.deps.pool, [id]), await lastAudit()]
    expect(await replay(id)).toMatchObject({ status: 409, body: { code } })
    expect(claimed).toEqual([])
    expect(await statesOf(console.deps.pool, [id])).toEqual(before)
    expect(await lastAudit()).toEqual(audited)
  })

  test('that a worker takes at the same moment is left to that worker', async () => {
    refuseClaims = true
    expect(await replay(await insert({ dueAt: '2026-09-01T11:00:00Z' }))).toMatchObject({
      status: 409,
      body: { code: 'in_progress' },
    })
  })

  test('that has no deliveries yet cannot be asked to dismiss some', async () => {
    const id = await insert({ dueAt: '2026-09-01T11:00:00Z' })
    expect(await replay(id, { action: 'dismiss' })).toMatchObject({ status: 409, body: { code: 'not_executed' } })
    expect(claimed).toEqual([])
  })
})

describe('replaying an executed row', () => {
  test('gives what failed or is unknown one more attempt and touches nothing that arrived', async () => {
    const id = await executedWith('delivered', 'failed', 'unknown', 'pending', 'refused')
    console.asked.wakes.length = 0
    const reply = await replay(id, { note: 'receiver is back' })
    expect(reply).toMatchObject({ status: 200, body: { payload: { outcome: 'deliveries_pending' } } })
    expect(reply.body.payload.execution.deliveries[1]).toMatchObject({
      status: 'pending',
      attempts: [ATTEMPT],
      next_attempt_at: '2026-09-01T12:00:00.000000Z',
    })
    expect(await deliveryStates(id)).toEqual(['delivered', 'pending', 'pending', 'pending', 'failed'])
    expect(console.asked.wakes).toHaveLength(1)
    expect(await lastAudit()).toMatchObject({
      action: 'execution.deliveries_retried',
      details: { deliveries: [`${id}-1`, `${id}-2`], note: 'receiver is back' },
    })
    // The same request again finds nothing that would be sent twice.
    expect(await replay(id)).toMatchObject({ status: 409, body: { code: 'already_executed' } })
  })

  test('takes only what is named', async () => {
    const id = await executedWith('failed', 'unknown')
    expect((await replay(id, { deliveries: [`${id}-1`] })).status).toBe(200)
    expect(await deliveryStates(id)).toEqual(['failed', 'pending'])
  })

  test('dismisses what a person gives up, also what was refused before any attempt', async () => {
    const id = await executedWith('delivered', 'unknown', 'refused')
    expect(await replay(id, { action: 'dismiss', note: 'sent by hand' })).toMatchObject({
      status: 200,
      body: { payload: { outcome: 'deliveries_dismissed' } },
    })
    expect(await deliveryStates(id)).toEqual(['delivered', 'dismissed', 'dismissed'])
    expect(await lastAudit()).toMatchObject({
      action: 'execution.deliveries_dismissed',
      details: { note: 'sent by hand' },
    })
    expect(await replay(id)).toMatchObject({ status: 409, body: { code: 'already_executed' } })
  })

  test.each([
    ['delivered', 'delivered'],
    ['pending', 'pending'],
    ['refused', 'refused'],
  ] as const)('refuses as a whole where a named one is %s', async (status, code) => {
    const id = await executedWith('failed', status)
    const reply = await replay(id, { deliveries: [`${id}-0`, `${id}-1`] })
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'not_replayable', errors: [{ pointer: '/deliveries/1', code }] },
    })
    expect((await deliveryStates(id))[0]).toBe('failed')
  })

  test('knows only its own deliveries', async () => {
    const id = await executedWith('failed')
    const other = await executedWith('failed')
    const reply = await replay(id, { deliveries: [`${other}-0`, 'x'] })
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/deliveries/0', code: 'unknown' }, { pointer: '/deliveries/1' }] },
    })
    expect(await deliveryStates(other)).toEqual(['failed'])
  })

  test.each([{ action: 'again' }, { deliveries: [] }, { deliveries: 'all' }, { note: 7 }, { force: true }, []])(
    'refuses %j',
    async (body) => {
      const id = await executedWith('failed')
      expect((await replay(id, body)).status).toBe(422)
      expect(await deliveryStates(id)).toEqual(['failed'])
    },
  )
})
