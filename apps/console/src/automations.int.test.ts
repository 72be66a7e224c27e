import { randomUUID } from 'node:crypto'
import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

const wait = (id: string, hours: unknown = 24) => ({ id, type: 'wait', data: { wait_hours: hours } })
const email = (id: string, subject = 'Hello', body = 'Welcome!') => ({
  id,
  type: 'send_email',
  data: { email_subject: subject, email_body: body },
})
const edge = (source_action_id: string, target_action_id: string) => ({ source_action_id, target_action_id })

function pathBody(overrides: object = {}) {
  const [a, b] = [randomUUID(), randomUUID()]
  return {
    name: 'Welcome',
    description: '',
    status: 'active',
    trigger_tier_scope: 'free',
    actions: [email(a), wait(b)],
    edges: [edge(a, b)],
    ...overrides,
  }
}

const send = (method: string, path: string, automation: object, headers: Record<string, string> = {}) =>
  console.call(method, path, { automations: [automation] }, { headers })

async function created(account: number, overrides: object = {}) {
  const reply = await send('POST', `/accounts/${account}/automations`, pathBody(overrides))
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body.automations[0]
}

const pathTo = (account: number, id: string) => `/accounts/${account}/automations/${id}`

async function revisions(actionId: string): Promise<number> {
  const sql = 'SELECT FROM automation_action_revisions WHERE action_id = $1'
  return (await console.deps.pool.query(sql, [actionId])).rowCount ?? 0
}

const pointers = (reply: { body: { errors: { pointer: string }[] } }) => reply.body.errors.map(({ pointer }) => pointer)

describe('saves of automations', () => {
  test('come back as saved, with a version that is the ETag, and raise the version of the rules', async () => {
    const account = await console.createAccount()
    const made = await created(account)
    const reply = await console.call('GET', pathTo(account, made.id))
    expect(reply.body.automations[0]).toEqual(made)
    expect(reply.headers.get('etag')).toBe('"1"')
    const list = await console.call('GET', `/accounts/${account}/automations`)
    const stats = { last_run_created_at: null, total_run_count: 0, in_progress_run_count: 0 }
    expect(list.body.automations).toMatchObject([{ id: made.id, name: 'Welcome', stats }])
    const { rows } = await console.deps.pool.query('SELECT rules_version FROM accounts WHERE id = $1', [account])
    expect(rows[0].rules_version).toBeGreaterThan(0)
  })

  test('write a revision only of what changed, and answers can be sent back', async () => {
    const account = await console.createAccount()
    const made = await created(account)
    const [first] = made.actions
    expect((await send('PUT', pathTo(account, made.id), made)).status).toBe(200)
    expect(await revisions(first.id)).toBe(1)
    const changed = made.actions.map((action: { id: string; type: string }) =>
      action.type === 'wait' ? wait(action.id, 48) : action,
    )
    const { version: _version, ...body } = made
    const reply = await send('PUT', pathTo(account, made.id), { ...body, actions: changed })
    expect(reply.status).toBe(200)
    expect(await revisions(changed.find(({ type }: { type: string }) => type === 'wait').id)).toBe(2)
  })

  test('report several faults at once, each with its place, and change nothing', async () => {
    const account = await console.createAccount()
    const action = randomUUID()
    const reply = await send('POST', `/accounts/${account}/automations`, {
      ...pathBody({ name: ' ', status: 'on' }),
      actions: [wait(action, 1.5)],
      edges: [],
    })
    expect(reply.status).toBe(422)
    expect(pointers(reply)).toEqual([
      '/automations/0/status',
      '/automations/0/name',
      '/automations/0/actions/0/data/wait_hours',
    ])
    expect((await console.call('GET', `/accounts/${account}/automations`)).body.automations).toEqual([])
  })

  test('on another version than the present one lose, one of two at once', async () => {
    const account = await console.createAccount()
    const made = await created(account)
    const replies = await Promise.all(
      ['A', 'B'].map((name) => send('PUT', pathTo(account, made.id), { ...made, name }, { 'if-match': '"1"' })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412])
    expect((await send('PUT', pathTo(account, made.id), { status: 'on', version: 1 })).status).toBe(412)
  })

  test('revive no action, and take none of another automation', async () => {
    const account = await console.createAccount()
    const made = await created(account)
    const kept = made.actions[0]
    const gone = made.actions[1]
    const cut = await send('PUT', pathTo(account, made.id), { actions: [kept], edges: [], status: 'inactive' })
    expect(cut.status).toBe(200)
    const back = { actions: [kept, gone], edges: [edge(kept.id, gone.id)], status: 'inactive' }
    expect(pointers(await send('PUT', pathTo(account, made.id), back))).toEqual(['/automations/0/actions/1/id'])
    const other = await send('POST', `/accounts/${account}/automations`, {
      ...pathBody({ name: 'Other', actions: [wait(kept.id)], edges: [] }),
    })
    expect(pointers(other)).toEqual(['/automations/0/actions/0/id'])
  })

  test('turn off by the status alone, never on, and what waits ends at once', async () => {
    const account = await console.createAccount()
    const made = await created(account)
    const [run, step, action] = [randomUUID(), randomUUID(), made.actions[0].id]
    await console.deps.pool.query(
      `INSERT INTO automation_runs (id, account_id, automation_id, member_id, event_id, created_at, status)
       VALUES ($1, $2, $3, 'm1', 'e1', now(), 'in_progress')`,
      [run, account, made.id],
    )
    await console.deps.pool.query(
      `INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at,
         created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $1, true, now(), now(), now())`,
      [step, account, made.id, run, action],
    )
    expect((await send('PUT', pathTo(account, made.id), { status: 'active' })).status).toBe(422)
    const off = await send('PUT', pathTo(account, made.id), { status: 'inactive', name: 'Ignored' })
    expect(off.body.automations[0]).toMatchObject({ status: 'inactive', name: 'Welcome', version: 2 })
    const { rows } = await console.deps.pool.query(
      'SELECT s.status, r.end_reason FROM automation_steps s JOIN automation_runs r ON r.id = s.run_id WHERE s.id = $1',
      [step],
    )
    expect(rows).toEqual([{ status: 'automation_disabled', end_reason: 'automation_disabled' }])
  })

  test('of another account answer 404, before anything is said about the body', async () => {
    const account = await console.createAccount()
    const other = await console.createAccount()
    const made = await created(account)
    expect((await console.call('GET', pathTo(other, made.id))).status).toBe(404)
    expect((await console.call('PUT', pathTo(other, made.id), {})).status).toBe(404)
    expect((await console.call('PUT', pathTo(account, made.id), {})).status).toBe(400)
    expect((await console.call('GET', pathTo(account, 'none'))).status).toBe(404)
  })

  test('are noted in the audit log', async () => {
    const account = await console.createAccount()
    const made = await created(account)
    await send('PUT', pathTo(account, made.id), { status: 'inactive' })
    const { rows } = await console.deps.pool.query(
      `SELECT action FROM audit_logs WHERE account_id = $1 AND subject = $2 ORDER BY id`,
      [account, `automation ${made.id}`],
    )
    expect(rows.map(({ action }) => action)).toEqual(['automation.created', 'automation.updated'])
  })
})

test('a preview renders for a made-up member, and names the field that cannot be rendered', async () => {
  const account = await console.createAccount()
  const path = `/accounts/${account}/automation_emails/preview`
  const shown = await console.call('POST', path, { email_subject: 'Hi {{ member.first_name }}', email_body: '*Hello*' })
  expect(shown.body.automation_email_previews[0]).toMatchObject({
    email_subject: 'Hi Alex',
    email_html: expect.stringContaining('<em>Hello</em>'),
  })
  const broken = await console.call('POST', path, { email_subject: '{{ x | nothing }}', email_body: '' })
  expect(broken.status).toBe(422)
  expect(pointers(broken)).toEqual(['/email_subject'])
})
