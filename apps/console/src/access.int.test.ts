import { useStores } from '@dwell/testing/stores'
import { endpoints } from './endpoints'
import { insertRow } from './testing/rows'
import { ruleBody } from './testing/rules'
import { ADMIN_TOKEN, useConsole } from './testing/running-console'

const console = useConsole(useStores())

/** An account with one of everything that the API can name. */
async function inhabited() {
  const account = await console.createAccount()
  const path = `/accounts/${account}`
  const token = async (role: string) =>
    (await console.call('POST', `${path}/tokens`, { role, name: role })).body.payload as { id: number; token: string }
  const agent = await token('agent')
  const administrator = await token('administrator')
  const rule = (await console.call('POST', `${path}/automation_rules`, ruleBody())).body.payload.id
  const attribute = {
    attribute_key: 'tier',
    attribute_display_name: 'Tier',
    attribute_display_type: 'text',
    attribute_model: 'conversation_attribute',
  }
  const definition = (await console.call('POST', `${path}/custom_attribute_definitions`, attribute)).body.payload.id
  const execution = await insertRow(console.deps.pool, { accountId: account, ruleId: rule, conversationId: account })
  await console.deps.pool.query('INSERT INTO conversations (account_id, id) VALUES ($1, $1)', [account])
  const ids: Readonly<Record<string, number>> = {
    automation_rules: rule,
    custom_attribute_definitions: definition,
    tokens: agent.id,
    executions: execution,
    conversations: account,
  }
  return { account, path, agent: agent.token, administrator: administrator.token, ids }
}

type Inhabited = Awaited<ReturnType<typeof inhabited>>

/** The address of an endpoint below one account, naming something that belongs to the other. */
function addressOf(path: string, below: Inhabited, belongingTo: Inhabited): string {
  const resource = /^\/accounts\/\{account_id\}\/(\w+)/.exec(path)?.[1] ?? ''
  return path
    .replace('{account_id}', String(below.account))
    .replace('{id}', String(belongingTo.ids[resource]))
    .replace('{name}', 'DISABLE_DELAYED_AUTOMATIONS')
}

const named = (endpoint: { method: string; path: string }) => `${endpoint.method} ${endpoint.path}`
const ofAccounts = endpoints.filter((endpoint) => endpoint.path.includes('{account_id}'))
const withIds = ofAccounts.filter((endpoint) => endpoint.path.includes('{id}'))
const installation = endpoints.filter((endpoint) => endpoint.rights === 'admin')
const changing = ofAccounts.filter((endpoint) => endpoint.method !== 'GET' && endpoint.rights !== 'admin')

let mine: Inhabited
let theirs: Inhabited

beforeAll(async () => {
  mine = await inhabited()
  theirs = await inhabited()
})

async function everything(): Promise<unknown> {
  const { rows } = await console.deps.pool.query(`
    SELECT (SELECT json_agg(a ORDER BY id) FROM accounts a) AS accounts,
           (SELECT json_agg(r ORDER BY id) FROM automation_rules r) AS rules,
           (SELECT json_agg(t ORDER BY id) FROM account_tokens t) AS tokens,
           (SELECT json_agg(d ORDER BY id) FROM custom_attribute_definitions d) AS definitions,
           (SELECT json_agg(e ORDER BY id) FROM automation_rule_pending_executions e) AS executions,
           (SELECT count(*) FROM audit_logs) AS audited`)
  return rows[0]
}

describe('tenants are sealed', () => {
  test('the tables below cover every endpoint that names an account', () => {
    expect(ofAccounts.length).toBeGreaterThan(15)
    expect(withIds.map((endpoint) => /\{account_id\}\/(\w+)/.exec(endpoint.path)?.[1])).toEqual(
      expect.arrayContaining(Object.keys(mine.ids)),
    )
  })

  test.each(
    ofAccounts.filter(({ rights }) => rights !== 'admin').map((endpoint) => [named(endpoint), endpoint] as const),
  )('%s: to a token of another account it does not exist, and nothing changes', async (_name, { method, path }) => {
    const before = await everything()
    const reply = await console.call(method, addressOf(path, theirs, theirs), method === 'GET' ? undefined : {}, {
      token: mine.administrator,
    })
    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await everything()).toEqual(before)
  })

  test.each(withIds.map((endpoint) => [named(endpoint), endpoint] as const))(
    '%s: what belongs to another account does not exist below this one, for anybody',
    async (_name, { method, path }) => {
      const before = await everything()
      for (const token of [mine.administrator, ADMIN_TOKEN]) {
        const reply = await console.call(method, addressOf(path, mine, theirs), method === 'GET' ? undefined : {}, {
          token,
        })
        expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } })
      }
      expect(await everything()).toEqual(before)
    },
  )

  test('lists hold what belongs to the account and nothing else', async () => {
    for (const resource of ['automation_rules', 'executions', 'tokens', 'custom_attribute_definitions', 'audit_logs']) {
      const { body } = await console.call('GET', `${mine.path}/${resource}`, undefined, { token: mine.administrator })
      expect(body.payload.length).toBeGreaterThan(0)
      if (resource === 'audit_logs') for (const entry of body.payload) expect(entry.account_id).toBe(mine.account)
      else for (const entry of body.payload) expect(entry.id).not.toBe(theirs.ids[resource])
    }
  })
})

describe('rights', () => {
  test.each(
    endpoints.filter(({ rights }) => rights !== 'anyone').map((endpoint) => [named(endpoint), endpoint] as const),
  )('%s: without a known token 401, whatever else is wrong', async (_name, { method, path }) => {
    const address = addressOf(path, mine, theirs)
    for (const token of [null, 'unknown', `${ADMIN_TOKEN}x`, mine.agent.slice(0, -1)]) {
      const options = { token, ...(method === 'GET' ? {} : { raw: '{not json' }) }
      const reply = await console.call(method, address, undefined, options)
      expect(reply).toMatchObject({ status: 401, body: { code: 'unauthorized', status: 401 } })
      expect(reply.headers.get('www-authenticate')).toContain('Bearer')
    }
  })

  test.each(changing.map((endpoint) => [named(endpoint), endpoint] as const))(
    '%s: a token of an agent may not, whether or not it exists and whatever is sent',
    async (_name, { method, path }) => {
      const before = await everything()
      for (const owner of [mine, theirs]) {
        const reply = await console.call(method, addressOf(path, mine, owner), undefined, {
          token: mine.agent,
          raw: '{not json',
        })
        expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      }
      expect(await everything()).toEqual(before)
    },
  )

  test.each(installation.map((endpoint) => [named(endpoint), endpoint] as const))(
    '%s: only the admin token may',
    async (_name, { method, path }) => {
      for (const token of [mine.administrator, mine.agent]) {
        const reply = await console.call(method, addressOf(path, mine, mine), method === 'GET' ? undefined : {}, {
          token,
        })
        expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      }
    },
  )

  test('existence is answered before the content is looked at', async () => {
    for (const options of [{ raw: '{not json' }, { raw: '{}', headers: { 'content-type': 'text/plain' } }])
      expect(
        (
          await console.call(
            'PATCH',
            `${mine.path}/automation_rules/${theirs.ids.automation_rules}`,
            undefined,
            options,
          )
        ).status,
      ).toBe(404)
    for (const id of ['0', '-1', '1.5', 'abc', '99999999999999999999', '1e3', '%20'])
      expect((await console.call('GET', `${mine.path}/executions/${id}?cursor=x`)).status).toBe(404)
    expect((await console.call('GET', '/accounts/987654321/automation_rules?limit=0')).status).toBe(404)
  })

  test('an agent reads, an administrator changes, features belong to the installation', async () => {
    const rules = `${mine.path}/automation_rules`
    expect((await console.call('GET', rules, undefined, { token: mine.agent })).status).toBe(200)
    expect((await console.call('GET', `${mine.path}/audit_logs`, undefined, { token: mine.agent })).status).toBe(403)
    const byAdministrator = { token: mine.administrator }
    expect(
      (await console.call('PATCH', `${rules}/${mine.ids.automation_rules}`, { name: 'by chief' }, byAdministrator))
        .status,
    ).toBe(200)
    expect((await console.call('PATCH', mine.path, { name: 'mine' }, byAdministrator)).status).toBe(200)
    expect((await console.call('PATCH', mine.path, { features: [] }, byAdministrator)).status).toBe(403)
  })
})

describe('tokens', () => {
  test('are shown once, kept only as a digest, and worth nothing after they are deleted', async () => {
    const created = await console.call('POST', `${mine.path}/tokens`, { role: 'administrator', name: 'chief' })
    const { id, token } = created.body.payload
    expect(Buffer.from(token.slice('dwell_account_'.length), 'base64url')).toHaveLength(32)
    const list = await console.call('GET', `${mine.path}/tokens`)
    expect(list.body.payload[0]).toEqual({ id, name: 'chief', role: 'administrator', created_at: expect.any(String) })
    expect(list.text).not.toContain(token)
    const { rows } = await console.deps.pool.query('SELECT to_jsonb(t) AS stored FROM account_tokens t WHERE id = $1', [
      id,
    ])
    expect(JSON.stringify(rows)).not.toContain(token)
    expect((await console.call('GET', mine.path, undefined, { token })).status).toBe(200)
    expect((await console.call('DELETE', `${mine.path}/tokens/${id}`)).status).toBe(204)
    expect((await console.call('GET', mine.path, undefined, { token })).status).toBe(401)
    expect((await console.call('DELETE', `${mine.path}/tokens/${id}`)).status).toBe(404)
  })

  test('name who made a change in the audit log', async () => {
    await console.call(
      'PATCH',
      `${mine.path}/automation_rules/${mine.ids.automation_rules}`,
      { description: 'd' },
      { token: mine.administrator },
    )
    const [entry] = (await console.call('GET', `${mine.path}/audit_logs`)).body.payload
    expect(entry).toMatchObject({
      account_id: mine.account,
      actor: expect.stringMatching(/^token \d+ \(administrator\)$/),
      action: 'automation_rule.updated',
      subject: `automation_rule ${mine.ids.automation_rules}`,
      details: { description: { to: 'd' } },
    })
  })
})
