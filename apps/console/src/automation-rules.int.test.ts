import { useStores } from '@dwell/testing/stores'
import { insertRow, statesOf } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

async function createRule(account: number, overrides: object = {}): Promise<number> {
  const reply = await console.call('POST', `/accounts/${account}/automation_rules`, ruleBody(overrides))
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body.payload.id
}

async function versionOf(account: number): Promise<number> {
  const { rows } = await console.deps.pool.query('SELECT rules_version FROM accounts WHERE id = $1', [account])
  return rows[0].rules_version
}

describe('rules', () => {
  test('come back exactly as saved, in every view', async () => {
    const account = await console.createAccount()
    const conditions = [
      {
        attribute_key: 'country_code',
        filter_operator: 'equal_to',
        values: ['IN'],
        query_operator: 'and',
        custom_attribute_type: '',
      },
      {
        attribute_key: 'inbox_id',
        filter_operator: 'equal_to',
        values: [5, 6],
        query_operator: 'OR',
        custom_attribute_type: '',
      },
      {
        attribute_key: 'labels',
        filter_operator: 'not_equal_to',
        values: ['bug'],
        query_operator: null,
        custom_attribute_type: '',
      },
    ]
    const actions = [
      { action_name: 'assign_team', action_params: [3] },
      { action_name: 'send_email_to_team', action_params: [{ team_ids: [3], message: 'look' }] },
    ]
    const created = await console.call(
      'POST',
      `/accounts/${account}/automation_rules`,
      ruleBody({ conditions, actions }),
    )
    expect(created).toMatchObject({
      status: 201,
      body: {
        payload: {
          account_id: account,
          name: 'R1',
          description: null,
          event_name: 'conversation_updated',
          conditions,
          actions,
          active: true,
          execution_delay: 60,
          created_at: '2026-09-01T09:00:00.000000Z',
          broken: false,
          broken_reasons: [],
        },
      },
    })
    const path = `/accounts/${account}/automation_rules/${created.body.payload.id}`
    const patched = await console.call('PATCH', path, { description: 'for team 3' })
    expect(patched.body.payload).toEqual({ ...created.body.payload, description: 'for team 3' })
    expect((await console.call('GET', path)).body.payload).toEqual(patched.body.payload)
    expect((await console.call('GET', `/accounts/${account}/automation_rules`)).body.payload).toEqual([
      patched.body.payload,
    ])
  })

  test('are refused with every fault at once, and nothing is stored', async () => {
    const account = await console.createAccount()
    const path = `/accounts/${account}/automation_rules`
    const reply = await console.call('POST', path, {
      name: '',
      event_name: 'conversation_exploded',
      conditions: [{ attribute_key: 'shoe_size', filter_operator: 'equal_to', values: ['44'] }],
      actions: [{ action_name: 'launch_rocket', action_params: [] }],
      execution_delay: 5,
    })
    expect(reply.status).toBe(422)
    expect(reply.headers.get('content-type')).toContain('application/problem+json')
    const pointers = reply.body.errors.map((error: { pointer: string }) => error.pointer)
    expect(pointers).toEqual(
      expect.arrayContaining(['/name', '/event_name', expect.stringContaining('/conditions/0'), '/execution_delay']),
    )
    expect((await console.call('GET', path)).body.payload).toEqual([])
    expect((await console.call('POST', path, [ruleBody()])).status).toBe(422)
    expect((await console.call('POST', path)).status).toBe(422)
  })

  test('every change raises the version that ingest compares; a refused one does not', async () => {
    const account = await console.createAccount()
    let version = await versionOf(account)
    const raises = async (work: () => Promise<unknown>, by: number): Promise<void> => {
      await work()
      const now = await versionOf(account)
      expect(now - version).toBe(by)
      version = now
    }
    const base = `/accounts/${account}`
    const id = await createRule(account)
    version = await versionOf(account)
    await raises(() => console.call('PATCH', `${base}/automation_rules/${id}`, { name: 'renamed' }), 1)
    await raises(() => console.call('PATCH', `${base}/automation_rules/${id}`, { execution_delay: 5 }), 0)
    await raises(() => console.call('POST', `${base}/automation_rules/${id}/clone`), 1)
    const attribute = {
      attribute_key: 'tier',
      attribute_display_name: 'Tier',
      attribute_display_type: 'text',
      attribute_model: 'conversation_attribute',
    }
    let definition = 0
    await raises(async () => {
      const reply = await console.call('POST', `${base}/custom_attribute_definitions`, attribute)
      definition = reply.body.payload.id
    }, 1)
    await raises(() => console.call('POST', `${base}/custom_attribute_definitions`, attribute), 0)
    await raises(() => console.call('DELETE', `${base}/custom_attribute_definitions/${definition}`), 1)
    await raises(() => console.call('PATCH', base, { settings: { timezone: 'Asia/Tokyo' } }), 1)
    await raises(() => console.call('DELETE', `${base}/automation_rules/${id}`), 1)
  })

  test('are shown as broken while a custom attribute they ask about is missing, and heal', async () => {
    const account = await console.createAccount()
    const definitions = `/accounts/${account}/custom_attribute_definitions`
    const tier = {
      attribute_key: 'tier',
      attribute_display_name: 'Tier',
      attribute_display_type: 'text',
      attribute_model: 'conversation_attribute',
    }
    const definition = (await console.call('POST', definitions, tier)).body.payload.id
    const conditions = [
      { attribute_key: 'status', filter_operator: 'equal_to', values: ['open'], query_operator: 'and' },
      {
        attribute_key: 'tier',
        filter_operator: 'equal_to',
        values: ['a'],
        query_operator: null,
        custom_attribute_type: 'conversation_attribute',
      },
    ]
    const id = await createRule(account, { conditions })
    const path = `/accounts/${account}/automation_rules/${id}`
    await console.call('DELETE', `${definitions}/${definition}`)
    expect((await console.call('GET', path)).body.payload).toMatchObject({
      broken: true,
      active: true,
      broken_reasons: [{ pointer: expect.stringContaining('/conditions/1'), message: expect.stringContaining('tier') }],
    })
    // Another change of a broken rule is not refused for what it does not touch.
    expect((await console.call('PATCH', path, { name: 'still broken' })).status).toBe(200)
    await console.call('POST', definitions, tier)
    expect((await console.call('GET', path)).body.payload).toMatchObject({ broken: false, broken_reasons: [] })
  })
})

describe('the feature delayed_automations, while it is off', () => {
  async function withoutFeature(): Promise<{ account: number; delayed: number; path: string }> {
    const account = await console.createAccount()
    const delayed = await createRule(account)
    await console.call('PATCH', `/accounts/${account}`, { features: [] })
    return { account, delayed, path: `/accounts/${account}/automation_rules` }
  }

  test('a delay is refused on create and nothing is stored, least of all an immediate rule', async () => {
    const { path } = await withoutFeature()
    const refused = await console.call('POST', path, ruleBody())
    expect(refused).toMatchObject({
      status: 422,
      body: {
        errors: [{ pointer: '/execution_delay', code: 'feature_disabled', message: expect.stringContaining('off') }],
      },
    })
    expect((await console.call('GET', path)).body.payload).toHaveLength(1)
  })

  test.each([{}, { execution_delay: null }])('a rule with %j is created as immediate', async (delay) => {
    const { path } = await withoutFeature()
    const { execution_delay: _delay, ...body } = ruleBody() as { execution_delay: number }
    expect(await console.call('POST', path, { ...body, ...delay })).toMatchObject({
      status: 201,
      body: { payload: { execution_delay: null } },
    })
  })

  test('a PATCH may change other fields and clear the delay, but not name one, not even the stored one', async () => {
    const { path, delayed } = await withoutFeature()
    const patch = (body: object) => console.call('PATCH', `${path}/${delayed}`, body)
    expect(await patch({ name: 'renamed' })).toMatchObject({
      status: 200,
      body: { payload: { name: 'renamed', execution_delay: 60 } },
    })
    expect(await patch({ name: 'again', execution_delay: 60 })).toMatchObject({ status: 422 })
    expect(await patch({ execution_delay: 120 })).toMatchObject({ status: 422 })
    expect((await console.call('GET', `${path}/${delayed}`)).body.payload).toMatchObject({
      name: 'renamed',
      execution_delay: 60,
    })
    expect(await patch({ execution_delay: null })).toMatchObject({
      status: 200,
      body: { payload: { execution_delay: null } },
    })
  })

  test('a delayed rule is not cloned, an immediate one is', async () => {
    const { path, delayed } = await withoutFeature()
    expect((await console.call('POST', `${path}/${delayed}/clone`)).status).toBe(422)
    await console.call('PATCH', `${path}/${delayed}`, { execution_delay: null })
    expect((await console.call('POST', `${path}/${delayed}/clone`)).status).toBe(201)
  })
})

describe('a change of a rule with armed rows', () => {
  async function armed(overrides: object = {}) {
    const account = await console.createAccount()
    const rule = await createRule(account, overrides)
    const other = await createRule(account)
    const insert = (row: object) => insertRow(console.deps.pool, { accountId: account, ruleId: rule, ...row })
    const rows = {
      pending: await insert({}),
      processing: await insert({ status: 'processing' }),
      immediate: await insert({ episodeKey: 'event:e1' }),
      executed: await insert({ status: 'executed' }),
      skipped: await insert({ status: 'skipped', skipReason: 'expired' }),
      foreign: await insert({ ruleId: other }),
    }
    const states = async () => {
      const byId = await statesOf(console.deps.pool, Object.values(rows))
      return Object.fromEntries(Object.entries(rows).map(([name, id]) => [name, byId[id] ?? 'gone']))
    }
    return { account, rule, rows, states, path: `/accounts/${account}/automation_rules/${rule}` }
  }
  const UNTOUCHED = {
    pending: 'pending',
    processing: 'processing',
    immediate: 'pending',
    executed: 'executed',
    skipped: 'skipped:expired',
    foreign: 'pending',
  }

  test('switched off: all of its armed rows are skipped at once, also the one a worker holds', async () => {
    const { path, states, rows } = await armed()
    await console.setClock('2026-09-01T10:10:00.000007Z')
    await console.call('PATCH', path, { active: false })
    expect(await states()).toEqual({
      ...UNTOUCHED,
      pending: 'skipped:rule_inactive',
      processing: 'skipped:rule_inactive',
      immediate: 'skipped:rule_inactive',
    })
    const { rows: kept } = await console.deps.pool.query(
      'SELECT dwell_micros(finished_at) AS finished_at, claim_token FROM automation_rule_pending_executions WHERE id = $1',
      [rows.processing],
    )
    expect(kept).toEqual([{ finished_at: 1788257400000007, claim_token: null }])
    await console.call('PATCH', path, { active: true })
    expect((await states()).pending).toBe('skipped:rule_inactive')
  })

  test.each([{ execution_delay: null }, { event_name: 'conversation_opened' }])(
    '%j: its waiting rows are skipped rule_changed, what was judged on its event goes on',
    async (change) => {
      const { path, states } = await armed()
      expect((await console.call('PATCH', path, change)).status).toBe(200)
      expect(await states()).toEqual({
        ...UNTOUCHED,
        pending: 'skipped:rule_changed',
        processing: 'skipped:rule_changed',
      })
    },
  )

  test.each([
    { name: 'other' },
    { description: 'd' },
    { execution_delay: 240 },
    { conditions: [] },
    { actions: [{ action_name: 'add_label', action_params: ['x'] }] },
    { event_name: 'conversation_updated' },
    { active: true },
  ])('%j: nothing happens to them', async (change) => {
    const { path, states } = await armed()
    expect((await console.call('PATCH', path, change)).status).toBe(200)
    expect(await states()).toEqual(UNTOUCHED)
  })

  test('deleted: they go with it, what has ended stays, the rule answers 404', async () => {
    const { path, states } = await armed()
    expect((await console.call('DELETE', path)).status).toBe(204)
    expect(await states()).toEqual({ ...UNTOUCHED, pending: 'gone', processing: 'gone', immediate: 'gone' })
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect((await console.call(method, path, body)).status).toBe(404)
    expect((await console.call('POST', `${path}/clone`)).status).toBe(404)
    expect((await console.call('GET', `${path}/executions`)).status).toBe(404)
  })

  test('cloned: the copy has the same definition and no rows', async () => {
    const { path, account } = await armed({ description: 'why' })
    const original = (await console.call('GET', path)).body.payload
    const copy = (await console.call('POST', `${path}/clone`)).body.payload
    expect(copy).toEqual({
      ...original,
      id: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(copy.id).not.toBe(original.id)
    const { body } = await console.call('GET', `/accounts/${account}/automation_rules/${copy.id}/executions`)
    expect(body.payload).toEqual([])
  })
})
