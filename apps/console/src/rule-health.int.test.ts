import { recountTallies } from '@dwell/testing/rule-tallies'
import { useStores } from '@dwell/testing/stores'
import { insertDelivery, insertRow } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

describe('the health of a rule', () => {
  test('counts what became of its rows of the last 30 days and the day they begin on, by itself and in the list, and of no other rule', async () => {
    const account = await console.createAccount()
    const path = `/accounts/${account}/automation_rules`
    const create = async () => (await console.call('POST', path, ruleBody())).body.payload.id as number
    const [rule, quiet] = [await create(), await create()]
    const insert = (fields: object) => insertRow(console.deps.pool, { accountId: account, ruleId: rule, ...fields })
    await insert({})
    await insert({ status: 'processing' })
    await insert({ status: 'skipped', skipReason: 'expired' })
    await insert({ status: 'skipped', skipReason: 'episode_moved' })
    await insert({ status: 'skipped', skipReason: 'episode_moved' })
    const executionId = await insert({ status: 'executed' })
    for (const [position, status] of (['failed', 'failed', 'unknown', 'delivered'] as const).entries())
      await insertDelivery(console.deps.pool, { accountId: account, executionId, position, status })
    const old = await insert({ status: 'executed' })
    await console.deps.pool.query(
      `UPDATE automation_rule_pending_executions SET created_at = '2026-08-01T10:00:00Z' WHERE id = $1`,
      [old],
    )
    await insertDelivery(console.deps.pool, { accountId: account, executionId: old, status: 'failed' })
    await recountTallies(console.deps.pool)
    await console.setClock('2026-09-10T23:59:59.999999Z')
    const counts = {
      since: '2026-08-11T00:00:00.000000Z',
      armed: 6,
      waiting: 2,
      executed: 1,
      skipped: 3,
      skipped_by_reason: { expired: 1, episode_moved: 2 },
      deliveries_failed: 2,
      deliveries_unknown: 1,
    }
    const one = await console.call('GET', `${path}/${rule}/health`)
    expect(one.body.payload).toEqual({ automation_rule_id: rule, broken: false, broken_reasons: [], ...counts })
    const list = await console.call('GET', `${path}?include=health`)
    expect(list.body.payload).toMatchObject([
      { id: quiet, health: { armed: 0, skipped_by_reason: {}, deliveries_failed: 0 } },
      { id: rule, health: counts },
    ])
    const [plain] = (await console.call('GET', path)).body.payload
    expect(plain).not.toHaveProperty('health')
  })
})
