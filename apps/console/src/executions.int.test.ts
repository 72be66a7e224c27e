import { useStores } from '@dwell/testing/stores'
import { insertDelivery, insertRow } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

async function history() {
  const account = await console.createAccount()
  const path = `/accounts/${account}`
  const rule = (await console.call('POST', `${path}/automation_rules`, ruleBody())).body.payload.id
  const other = (await console.call('POST', `${path}/automation_rules`, ruleBody())).body.payload.id
  const insert = (row: object) => insertRow(console.deps.pool, { accountId: account, ruleId: rule, ...row })
  const executed = await insert({ conversationId: 1, status: 'executed', messageId: 501 })
  await insertDelivery(console.deps.pool, { accountId: account, executionId: executed })
  await insertDelivery(console.deps.pool, {
    accountId: account,
    executionId: executed,
    position: 1,
    target: 'webhook',
    status: 'failed',
    error: 'answered 500',
    attempts: [{ at: '2026-09-01T11:01:00.000000Z', outcome: 'failed', error: 'answered 500' }],
  })
  const moved = await insert({ conversationId: 2, status: 'skipped', skipReason: 'episode_moved' })
  const changed = await insert({ conversationId: 3, status: 'skipped', skipReason: 'conditions_changed' })
  const pending = await insert({ conversationId: 1, episodeKey: 'status:9' })
  const immediate = await insert({ conversationId: 1, episodeKey: 'event:e1', ruleId: other })
  return { account, path, rule, other, executed, moved, changed, pending, immediate }
}

const idsOf = (reply: { body: { payload: { id: number }[] } }) => reply.body.payload.map(({ id }) => id)

describe('executions', () => {
  test('say why: times to the microsecond, reason, guards, deliveries with their attempts', async () => {
    const { path, account, rule, executed } = await history()
    const { body } = await console.call('GET', `${path}/executions/${executed}`)
    expect(body.payload).toEqual({
      id: executed,
      account_id: account,
      automation_rule_id: rule,
      automation_rule_name: 'R1',
      conversation_id: 1,
      message_id: 501,
      due_at: '2026-09-01T11:00:00.123456Z',
      episode_key: 'status:1788256800000000',
      status: 'executed',
      skip_reason: null,
      armed_at: '2026-09-01T10:00:00.000001Z',
      claimed_at: null,
      created_at: '2026-09-01T10:00:00.000001Z',
      updated_at: '2026-09-01T10:00:00.000001Z',
      executed_at: '2026-09-01T11:01:00.000000Z',
      finished_at: '2026-09-01T11:01:00.000000Z',
      guard_outcome: [{ guard: 'kill_switch', passed: true }],
      deliveries: [
        {
          id: `${executed}-0`,
          position: 0,
          action_name: 'add_label',
          target: 'stream',
          status: 'delivered',
          attempts: [],
          next_attempt_at: null,
          delivered_at: expect.any(String),
        },
        {
          id: `${executed}-1`,
          position: 1,
          action_name: 'add_label',
          target: 'webhook',
          status: 'failed',
          error: 'answered 500',
          attempts: [{ at: '2026-09-01T11:01:00.000000Z', outcome: 'failed', error: 'answered 500' }],
          next_attempt_at: null,
          delivered_at: null,
        },
      ],
    })
    const [listed] = (await console.call('GET', `${path}/executions?status=executed`)).body.payload
    expect(listed).toEqual(body.payload)
  })

  test('are listed per account and per rule, newest first, narrowed by exactly what is asked', async () => {
    const { path, rule, other, executed, moved, changed, pending, immediate } = await history()
    const list = async (query: string, of = `/automation_rules/${rule}`) =>
      idsOf(await console.call('GET', `${path}${of}/executions${query}`))
    expect(await list('', '')).toEqual([immediate, pending, changed, moved, executed])
    expect(await list('')).toEqual([pending, changed, moved, executed])
    expect(await list('?skip_reason=episode_moved')).toEqual([moved])
    expect(await list('?status=executed')).toEqual([executed])
    expect(await list('?status=skipped')).toEqual([changed, moved])
    expect(await list('?conversation_id=1')).toEqual([pending, executed])
    expect(await list('?conversation_id=1&status=pending', '')).toEqual([immediate, pending])
    expect(await list('?status=processing')).toEqual([])
    expect(await list(`?automation_rule_id=${other}`, '')).toEqual([immediate])
    expect(await list(`?automation_rule_id=${rule}&status=skipped`, '')).toEqual([changed, moved])
  })

  test('name their rule, also when it was deleted', async () => {
    const { path, rule, executed } = await history()
    await console.call('PATCH', `${path}/automation_rules/${rule}`, { name: 'Renamed' })
    await console.call('DELETE', `${path}/automation_rules/${rule}`)
    const { body } = await console.call('GET', `${path}/executions/${executed}`)
    expect(body.payload.automation_rule_name).toBe('Renamed')
  })

  test('page through without missing or repeating one, also while rows are added', async () => {
    const { account, path, rule, executed, moved, changed, pending, immediate } = await history()
    const first = await console.call('GET', `${path}/executions?limit=2`)
    await insertRow(console.deps.pool, { accountId: account, ruleId: rule })
    const second = await console.call('GET', `${path}/executions?limit=2&cursor=${first.body.meta.next_cursor}`)
    const third = await console.call('GET', `${path}/executions?limit=2&cursor=${second.body.meta.next_cursor}`)
    expect([first, second, third].flatMap(idsOf)).toEqual([immediate, pending, changed, moved, executed])
    expect(third.body.meta.next_cursor).toBeNull()
  })

  test.each([
    ['status=done', '/status'],
    ['skip_reason=bored', '/skip_reason'],
    ['conversation_id=abc', '/conversation_id'],
    ['conversation_id=0', '/conversation_id'],
    ['conversation_id=1&conversation_id=2', '/conversation_id'],
    ['cursor=%00', '/cursor'],
    ['cursor=eyJpZCI6MX0', '/cursor'],
    ['cursor=YmVmb3JlOjA1', '/cursor'],
    ['limit=0', '/limit'],
    ['limit=501', '/limit'],
    ['limit=many', '/limit'],
  ])('refuse ?%s', async (query, pointer) => {
    const { path, rule } = await history()
    for (const list of [`${path}/executions`, `${path}/automation_rules/${rule}/executions`]) {
      const reply = await console.call('GET', `${list}?${query}`)
      expect(reply.status).toBe(422)
      expect(reply.body.errors).toContainEqual({ pointer, code: expect.any(String), message: expect.any(String) })
    }
  })
})

describe('a conversation', () => {
  test('is shown with what is known and what waits on it', async () => {
    const { account, path, pending, immediate } = await history()
    await console.deps.pool.query(
      `INSERT INTO contacts (account_id, id, name, custom_attributes) VALUES ($1, 9, 'Ann', '{"plan":"gold"}');`.replace(
        '$1',
        String(account),
      ),
    )
    await console.deps.pool.query(
      `INSERT INTO conversations (account_id, id, inbox_id, status, status_changed_at, labels, contact_id, recent_incoming, revision)
       VALUES ($1, 1, 5, 'pending', '2026-09-01T10:00:00.000001Z', '["bug"]', 9, '[[1788256800000002,501]]', 3)`,
      [account],
    )
    expect((await console.call('GET', `${path}/conversations/1`)).body.payload).toMatchObject({
      id: 1,
      account_id: account,
      inbox_id: 5,
      status: 'pending',
      status_changed_at: '2026-09-01T10:00:00.000001Z',
      waiting_since: null,
      labels: ['bug'],
      contact: { id: 9, name: 'Ann', custom_attributes: { plan: 'gold' }, deleted_at: null },
      recent_incoming: [{ id: 501, created_at: '2026-09-01T10:00:00.000002Z' }],
      deleted_at: null,
      revision: 3,
      armed: [{ id: pending, status: 'pending' }, { id: immediate }],
    })
    expect((await console.call('GET', `${path}/conversations/2`)).status).toBe(404)
  })
})
