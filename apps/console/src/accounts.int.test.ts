import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

describe('accounts', () => {
  test('are created with what was given, read, listed newest first and changed key by key', async () => {
    const created = await console.call('POST', '/accounts', {
      name: '  Ann & Co ',
      features: ['delayed_automations', 'delayed_automations'],
      settings: { timezone: 'Europe/Berlin', team_emails: { '3': ['team@example.com'] } },
    })
    expect(created.status).toBe(201)
    expect(created.body.payload).toEqual({
      id: expect.any(Number),
      name: 'Ann & Co',
      features: ['delayed_automations'],
      settings: {
        timezone: 'Europe/Berlin',
        team_emails: { '3': ['team@example.com'] },
        webhook_secrets: [expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)],
      },
      created_at: '2026-09-01T09:00:00.000000Z',
      updated_at: '2026-09-01T09:00:00.000000Z',
    })
    const { id } = created.body.payload
    await console.setClock('2026-09-01T09:30:00Z')
    const patched = await console.call('PATCH', `/accounts/${id}`, { name: 'Ann', settings: { team_emails: null } })
    expect(patched).toMatchObject({
      status: 200,
      body: { payload: { name: 'Ann', settings: { timezone: 'Europe/Berlin' } } },
    })
    const { webhook_secrets } = created.body.payload.settings
    expect(patched.body.payload.settings).toEqual({ timezone: 'Europe/Berlin', webhook_secrets })
    expect(patched.body.payload.updated_at).toBe('2026-09-01T09:30:00.000000Z')
    expect((await console.call('GET', `/accounts/${id}`)).body.payload).toEqual(patched.body.payload)
    const second = await console.createAccount()
    const list = await console.call('GET', '/accounts?limit=2')
    expect(list.body.payload.map((account: { id: number }) => account.id)).toEqual([second, id])
  })

  test('may be given the id the upstream application knows them by, and later ids go on behind it', async () => {
    const chosen = (await console.createAccount()) + 1_000
    expect(await console.createAccount({ id: chosen })).toBe(chosen)
    expect(await console.createAccount()).toBe(chosen + 1)
    const taken = await console.call('POST', '/accounts', { id: chosen, name: 'again', features: [] })
    expect(taken).toMatchObject({
      status: 409,
      body: { code: 'already_exists', errors: [{ pointer: '/id', code: 'taken' }] },
    })
    expect(await console.createAccount({ id: chosen - 500 })).toBe(chosen - 500)
    expect(await console.createAccount()).toBe(chosen + 2)
  })

  test('can be read page by page without missing or repeating one', async () => {
    for (let i = 0; i < 5; i += 1) await console.createAccount()
    const all = (await console.call('GET', '/accounts?limit=500')).body
    expect(all.meta.next_cursor).toBeNull()
    const seen: number[] = []
    let cursor: string | null = ''
    do {
      const page: { payload: { id: number }[]; meta: { next_cursor: string | null } } = (
        await console.call('GET', `/accounts?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      ).body
      seen.push(...page.payload.map((account) => account.id))
      cursor = page.meta.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(all.payload.map((account: { id: number }) => account.id))
  })

  test('have secrets that sign their webhooks; agents and the audit log never see them', async () => {
    const id = await console.createAccount()
    const path = `/accounts/${id}`
    const [first] = (await console.call('GET', path)).body.payload.settings.webhook_secrets
    const second = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    await console.call('PATCH', path, { settings: { webhook_secrets: [second, first], timezone: 'Asia/Tokyo' } })
    expect((await console.call('GET', path)).body.payload.settings.webhook_secrets).toEqual([second, first])
    const { token } = (await console.call('POST', `${path}/tokens`, { role: 'agent', name: 'reader' })).body.payload
    const seen = await console.call('GET', path, undefined, { token })
    expect(seen.body.payload.settings).toEqual({ timezone: 'Asia/Tokyo' })
    expect((await console.call('GET', `${path}/audit_logs`)).text).not.toContain('whsec_')
    for (const bad of ['whsec_c2hvcnQ=', second.slice(6), `${second}x`, 7, `whsec_${'A'.repeat(92)}`]) {
      const reply = await console.call('PATCH', path, { settings: { webhook_secrets: [bad] } })
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/settings/webhook_secrets/0' }] } })
    }
    expect((await console.call('PATCH', path, { settings: { webhook_secrets: [] } })).status).toBe(422)
  })

  test.each([
    [{ features: [] }, '/name', 'missing'],
    [{ name: ' ', features: [] }, '/name', 'out_of_range'],
    [{ name: 'x'.repeat(256) }, '/name', 'out_of_range'],
    [{ name: 'a\u0000b' }, '/name', 'unstorable_text'],
    [{ name: 'x', features: ['rocket'] }, '/features/0', 'not_allowed'],
    [{ name: 'x', features: 'delayed_automations' }, '/features', 'wrong_type'],
    [{ name: 'x', id: 0 }, '/id', 'out_of_range'],
    [{ name: 'x', id: '5' }, '/id', 'wrong_type'],
    [{ name: 'x', id: 1e15 }, '/id', 'out_of_range'],
    [{ name: 'x', settings: { timezone: 'Mars/Olympus' } }, '/settings/timezone', 'invalid'],
    [{ name: 'x', settings: { timezone: '+02:00' } }, '/settings/timezone', 'invalid'],
    [{ name: 'x', settings: { time_zone: 'UTC' } }, '/settings/time_zone', 'unknown_key'],
    [{ name: 'x', settings: { team_emails: { x: ['a@example.com'] } } }, '/settings/team_emails/x', 'invalid'],
    [{ name: 'x', plan: 'gold' }, '/plan', 'unknown_key'],
  ])('refuse %j at %s', async (body, pointer, code) => {
    const reply = await console.call('POST', '/accounts', body)
    expect(reply.status).toBe(422)
    expect(reply.body.errors).toContainEqual({ pointer, code, message: expect.any(String) })
  })

  test('are erased with everything that belongs to them, and only that', async () => {
    const id = await console.createAccount()
    const other = await console.createAccount()
    for (const account of [id, other]) {
      await console.call('POST', `/accounts/${account}/tokens`, { role: 'agent', name: 'reader' })
      await console.deps.pool.query(ROWS_OF_EVERY_KIND.replaceAll('$account', String(account)))
    }
    const before = await rowsOf(other)
    expect(await rowsOf(id)).toMatchObject(ONE_OF_EACH)

    expect((await console.call('DELETE', `/accounts/${id}`)).status).toBe(204)

    expect(Object.values(await rowsOf(id)).every((count) => count === 0)).toBe(true)
    expect(await rowsOf(other)).toEqual(before)
    expect((await console.call('GET', `/accounts/${id}`)).status).toBe(404)
    expect((await console.call('DELETE', `/accounts/${id}`)).status).toBe(404)
    const [last] = (await console.call('GET', '/audit_logs?limit=1')).body.payload
    expect(last).toMatchObject({ account_id: null, actor: 'admin', action: 'account.erased', subject: `account ${id}` })
  })

  test('that come back under an erased id never meet a version of rules that was known before', async () => {
    const versionOf = async (id: number) =>
      (await console.deps.pool.query('SELECT rules_version FROM accounts WHERE id = $1', [id])).rows[0].rules_version
    const id = await console.createAccount()
    const first = await versionOf(id)
    await console.call('DELETE', `/accounts/${id}`)
    await console.createAccount({ id })
    expect(Math.abs((await versionOf(id)) - first)).toBeGreaterThan(1_000)
  })
})

const ONE_OF_EACH = {
  account_tokens: 1,
  action_deliveries: 1,
  audit_logs: 2,
  automation_rule_pending_executions: 1,
  automation_rules: 1,
  contacts: 1,
  conversations: 1,
  custom_attribute_definitions: 1,
  messages: 1,
  taken_events: 1,
}

const ROWS_OF_EVERY_KIND = `
  INSERT INTO custom_attribute_definitions (account_id, attribute_key, attribute_display_name, attribute_display_type, attribute_model)
    VALUES ($account, 'tier', 'Tier', 'text', 'contact_attribute');
  INSERT INTO automation_rules (account_id, name, event_name) VALUES ($account, 'r', 'message_created');
  WITH row AS (
    INSERT INTO automation_rule_pending_executions
      (account_id, automation_rule_id, conversation_id, due_at, episode_key, status, armed_at, created_at, updated_at, executed_at, finished_at)
    SELECT $account, id, 1, now(), 'status:1', 'executed', now(), now(), now(), now(), now() FROM automation_rules WHERE account_id = $account
    RETURNING id)
  INSERT INTO action_deliveries (id, account_id, pending_execution_id, position, action_name, target, status, payload, delivered_at, created_at, updated_at)
    SELECT id || '-0', $account, id, 0, 'add_label', 'stream', 'delivered', '{}', now(), now(), now() FROM row;
  INSERT INTO conversations (account_id, id) VALUES ($account, 1);
  INSERT INTO contacts (account_id, id) VALUES ($account, 1);
  INSERT INTO messages (account_id, conversation_id, id, stored_at) VALUES ($account, 1, 1, now());
  INSERT INTO taken_events (account_id, event_id, taken_at) VALUES ($account, 'e', now())`

/** Of every table that knows accounts, also of those that came after this test. */
async function rowsOf(account: number): Promise<Record<string, number>> {
  const { rows: tables } = await console.deps.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'account_id'`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await console.deps.pool.query(`SELECT count(*) AS n FROM ${name} WHERE account_id = $1`, [account])
    counts[name] = rows[0].n
  }
  return counts
}
