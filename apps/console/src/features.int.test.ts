import { useStores } from '@dwell/testing/stores'
import { insertRow, statesOf } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

const MODE = '/installation_configs/DELAYED_AUTOMATIONS_WHEN_DISABLED'

async function accountWithRows() {
  const account = await console.createAccount()
  const rule = (await console.call('POST', `/accounts/${account}/automation_rules`, ruleBody())).body.payload.id
  const insert = (row: object) => insertRow(console.deps.pool, { accountId: account, ruleId: rule, ...row })
  const rows = {
    overdue: await insert({ dueAt: '2026-09-01T08:00:00Z' }),
    long: await insert({ dueAt: '2026-08-20T08:00:00Z' }),
    waiting: await insert({ dueAt: '2026-09-01T23:00:00.000001Z' }),
    held: await insert({ status: 'processing', dueAt: '2026-09-01T08:30:00Z' }),
    immediate: await insert({ episodeKey: 'event:e1', dueAt: '2026-09-01T08:00:00Z' }),
    executed: await insert({ status: 'executed' }),
  }
  const ids = Object.values(rows)
  const named = (byId: Readonly<Record<number, unknown>>) =>
    Object.fromEntries(Object.entries(rows).map(([name, id]) => [name, byId[id]]))
  return {
    path: `/accounts/${account}`,
    states: async () => named(await statesOf(console.deps.pool, ids)),
    dues: async () => {
      const { rows: found } = await console.deps.pool.query<{ id: number; due: string }>(
        `SELECT id, to_char(due_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI:SS.US') AS due
         FROM automation_rule_pending_executions WHERE id = ANY($1)`,
        [ids],
      )
      return named(Object.fromEntries(found.map(({ id, due }) => [id, due])))
    },
  }
}

const off = (path: string) => console.call('PATCH', path, { features: [] })
const on = (path: string) => console.call('PATCH', path, { features: ['delayed_automations'] })

const ARMED = {
  overdue: 'pending',
  long: 'pending',
  waiting: 'pending',
  held: 'processing',
  immediate: 'pending',
  executed: 'executed',
}
const SKIPPED = {
  ...ARMED,
  overdue: 'skipped:flag_disabled',
  long: 'skipped:flag_disabled',
  waiting: 'skipped:flag_disabled',
  held: 'skipped:flag_disabled',
}

beforeEach(async () => {
  await console.setClock('2026-09-01T09:00:00Z')
  await console.call('PUT', MODE, { value: 'skip' })
})

describe('switching delayed_automations off', () => {
  test('skips what waits at once, also what a worker holds, but nothing immediate; it stays so when the feature returns', async () => {
    const { path, states } = await accountWithRows()
    await off(path)
    expect(await states()).toEqual(SKIPPED)
    await on(path)
    expect(await states()).toEqual(SKIPPED)
  })

  test('keeps what waits where the installation pauses; on its return the overdue is due now, the rest as before', async () => {
    await console.call('PUT', MODE, { value: 'pause' })
    const { path, states, dues } = await accountWithRows()
    const before = await dues()
    await off(path)
    expect(await states()).toEqual(ARMED)
    expect(await dues()).toEqual(before)
    await console.setClock('2026-09-01T12:00:00.000003Z')
    console.asked.wakes.length = 0
    await on(path)
    expect(await states()).toEqual(ARMED)
    expect(await dues()).toEqual({ ...before, overdue: '09-01 12:00:00.000003', long: '09-01 12:00:00.000003' })
    expect(console.asked.wakes).toEqual([1788264000000003])
  })

  test('what an earlier pause kept does not come back once the installation skips', async () => {
    await console.call('PUT', MODE, { value: 'pause' })
    const { path, states } = await accountWithRows()
    await off(path)
    await console.call('PUT', MODE, { value: 'skip' })
    await on(path)
    expect(await states()).toEqual(SKIPPED)
  })

  test('other changes of the account touch no row and no due time', async () => {
    const { path, states, dues } = await accountWithRows()
    const before = await dues()
    await console.call('PATCH', path, { name: 'renamed', settings: { timezone: 'Asia/Tokyo' } })
    await on(path)
    expect(await states()).toEqual(ARMED)
    expect(await dues()).toEqual(before)
  })
})

describe('settings of the installation', () => {
  test.each([
    ['DISABLE_DELAYED_AUTOMATIONS', false, [true, false, 'true', 'false', ' FALSE ', '1', 0]],
    ['AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', 1000, [1, 250, '250', 100_000]],
    ['DELAYED_AUTOMATIONS_WHEN_DISABLED', 'skip', ['pause', 'skip', 'Pause']],
  ])('%s is %j unless set, and answers the value as it was given', async (name, standard, values) => {
    await console.deps.database.installationConfig.deleteMany()
    const path = `/installation_configs/${name}`
    expect((await console.call('GET', path)).body.payload).toMatchObject({
      name,
      value: standard,
      default: standard,
      updated_at: null,
    })
    for (const value of values) {
      expect(await console.call('PUT', path, { value })).toMatchObject({ status: 200, body: { payload: { value } } })
      expect((await console.call('GET', path)).body.payload).toMatchObject({ value, default: standard })
    }
  })

  test.each([
    ['DISABLE_DELAYED_AUTOMATIONS', ['maybe', '', null, 2, [], { value: true }]],
    ['AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', [0, -1, 1.5, '1e3', 'many', true, null, 100_001]],
    ['DELAYED_AUTOMATIONS_WHEN_DISABLED', ['stop', '', 1, true, null]],
  ])('%s refuses values without a meaning and keeps what it had', async (name, values) => {
    const path = `/installation_configs/${name}`
    const before = (await console.call('GET', path)).body
    for (const value of values) {
      expect(await console.call('PUT', path, { value })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/value' }] },
      })
    }
    expect((await console.call('GET', path)).body).toEqual(before)
  })

  test('there are no others', async () => {
    for (const name of ['UNKNOWN', 'toString', '__proto__']) {
      expect((await console.call('GET', `/installation_configs/${name}`)).status).toBe(404)
      expect((await console.call('PUT', `/installation_configs/${name}`, { value: true })).status).toBe(404)
    }
    const { payload } = (await console.call('GET', '/installation_configs')).body
    expect(payload).toEqual([
      expect.objectContaining({ type: 'integer', default: 1_000, minimum: 1, maximum: 100_000 }),
      expect.objectContaining({ type: 'choice', default: 'skip', choices: ['skip', 'pause'] }),
      expect.objectContaining({ type: 'boolean', default: false, description: expect.stringContaining('Kill switch') }),
    ])
  })
})
