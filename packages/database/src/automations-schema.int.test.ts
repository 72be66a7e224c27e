import { createTestDatabase, type TestDatabase } from '@dwell/testing/database'
import { seedAccount } from '@dwell/testing/seeds'
import type { Pool } from 'pg'
import { createPool } from './pool'

let database: TestDatabase
let pool: Pool
let account: number

beforeAll(async () => {
  database = await createTestDatabase()
  pool = createPool({ connectionString: database.url, max: 4, applicationName: 'test' })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(async () => {
  account = await seedAccount(pool)
})

let count = 0
const uuid = () => `00000000-0000-7000-8000-${String(++count).padStart(12, '0')}`
const NOW = '2026-09-01T10:00:00Z'

/** The constraint that refuses a row; null where it is taken. */
async function refusedBy(insert: Promise<unknown>): Promise<string | null> {
  try {
    await insert
    return null
  } catch (error) {
    const { constraint, message } = error as { constraint?: string; message: string }
    return constraint ?? message
  }
}

async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row)
  const places = columns.map((_, i) => `$${i + 1}`)
  await pool.query(`INSERT INTO ${table} (${columns.join()}) VALUES (${places.join()})`, Object.values(row))
}

async function automation(change: object = {}): Promise<string> {
  const id = uuid()
  const row = { id, account_id: account, name: id, description: '', status: 'active', created_at: NOW, updated_at: NOW }
  await insert('automations', { ...row, ...change })
  return id
}

const run = (automation_id: string, change: object = {}) => {
  const row = { id: uuid(), account_id: account, automation_id, member_id: '1', event_id: uuid(), created_at: NOW }
  return insert('automation_runs', { ...row, status: 'in_progress', ...change })
}

const step = (run_id: string, change: object = {}) => {
  const ids = { id: uuid(), account_id: account, automation_id: uuid(), run_id, action_id: uuid(), revision_id: uuid() }
  return insert('automation_steps', {
    ...ids,
    followed: false,
    ready_at: NOW,
    created_at: NOW,
    updated_at: NOW,
    ...change,
  })
}

describe('runs', () => {
  test('the same event never starts a run of an automation twice; another automation, or event, does', async () => {
    const [a, b] = [await automation(), await automation()]
    await run(a, { event_id: 'e1' })
    expect(await refusedBy(run(a, { event_id: 'e1', member_id: '2' }))).toBe(
      'automation_runs_automation_id_event_id_key',
    )
    expect(await refusedBy(run(a, { event_id: 'e2' }))).toBeNull()
    expect(await refusedBy(run(b, { event_id: 'e1' }))).toBeNull()
  })

  test('re-entry once keeps every later run of the member out, and of nobody else', async () => {
    const a = await automation()
    const once = { re_entry_policy: 'once', re_entry_until: 'infinity' }
    await run(a, once)
    const later = { ...once, created_at: '2036-01-01T00:00:00Z' }
    expect(await refusedBy(run(a, later))).toBe('automation_runs_re_entry_excl')
    expect(await refusedBy(run(a, { ...later, member_id: '2' }))).toBeNull()
    expect(await refusedBy(run(await automation(), later))).toBeNull()
  })

  test('re-entry after days keeps runs out for exactly so long, before and after, under that policy only', async () => {
    const a = await automation()
    const entered = (from: string, until: string, policy = 'after_days:7') =>
      run(a, { re_entry_policy: policy, created_at: from, re_entry_until: until })
    await entered('2026-09-08T10:00:00Z', '2026-09-15T10:00:00Z')
    expect(await refusedBy(entered('2026-09-15T09:59:59.999Z', '2026-09-22T09:59:59.999Z'))).not.toBeNull()
    expect(await refusedBy(entered('2026-09-01T10:00:00.001Z', '2026-09-08T10:00:00.001Z'))).not.toBeNull()
    expect(await refusedBy(entered('2026-09-15T10:00:00Z', '2026-09-22T10:00:00Z'))).toBeNull()
    expect(await refusedBy(entered('2026-09-01T10:00:00Z', '2026-09-08T10:00:00Z'))).toBeNull()
    expect(await refusedBy(entered('2026-09-09T10:00:00Z', '2026-09-12T10:00:00Z', 'after_days:3'))).toBeNull()
  })

  test('of the default policy keep nobody out', async () => {
    const a = await automation()
    await run(a)
    expect(await refusedBy(run(a))).toBeNull()
  })

  test('have the status that follows from why they ended', async () => {
    const a = await automation()
    const ended = (status: string | null, end_reason: string) => run(a, { status, end_reason, ended_at: NOW })
    for (const reason of ['completed', 'path_cut', 'turned_off']) {
      expect(await refusedBy(ended('completed', reason))).toBeNull()
      expect(await refusedBy(ended('exited_early', reason))).toBe('automation_runs_status_check')
    }
    for (const reason of ['failed', 'automation_disabled', 'member_status_changed', 'member_tier_changed']) {
      expect(await refusedBy(ended('exited_early', reason))).toBeNull()
      expect(await refusedBy(ended('in_progress', reason))).toBe('automation_runs_status_check')
    }
    expect(await refusedBy(ended(null, 'completed'))).toBe('automation_runs_status_check')
    expect(await refusedBy(run(a, { status: 'completed' }))).toBe('automation_runs_status_check')
    expect(await refusedBy(run(a, { ended_at: NOW }))).toBe('automation_runs_ended_check')
    expect(await refusedBy(run(a, { status: null }))).toBeNull()
  })
})

describe('steps', () => {
  test('a run has one pending step at most', async () => {
    const runId = uuid()
    await step(runId, { status: 'finished', finished_at: NOW })
    await step(runId)
    expect(await refusedBy(step(runId))).toBe('automation_steps_pending_run_key')
  })

  test('a status nobody knows is refused', async () => {
    expect(await refusedBy(step(uuid(), { status: 'teleported', finished_at: NOW }))).toBe(
      'automation_steps_status_check',
    )
  })

  test('an end is noted exactly when there is one; only a pending step is locked', async () => {
    expect(await refusedBy(step(uuid(), { finished_at: NOW }))).toBe('automation_steps_finished_check')
    expect(await refusedBy(step(uuid(), { status: 'failed' }))).toBe('automation_steps_finished_check')
    const locked = { lock_token: uuid(), locked_at: NOW }
    expect(await refusedBy(step(uuid(), locked))).toBeNull()
    expect(await refusedBy(step(uuid(), { lock_token: uuid() }))).toBe('automation_steps_locked_check')
    expect(await refusedBy(step(uuid(), { ...locked, status: 'failed', finished_at: NOW }))).toBe(
      'automation_steps_locked_check',
    )
  })
})

describe('automations', () => {
  test('a name is unique per account', async () => {
    await automation({ name: 'Welcome' })
    expect(await refusedBy(automation({ name: 'Welcome' }))).toBe('automations_account_id_name_key')
    account = await seedAccount(pool)
    expect(await refusedBy(automation({ name: 'Welcome' }))).toBeNull()
  })

  test('tiers go with selected_paid, days with after_days', async () => {
    const refused = (change: object) => refusedBy(automation(change))
    expect(await refused({ trigger_tier_scope: 'selected_paid', trigger_tier_ids: ['t1'] })).toBeNull()
    expect(await refused({ trigger_tier_scope: 'selected_paid' })).toBe('automations_trigger_tier_ids_check')
    expect(await refused({ trigger_tier_scope: 'free', trigger_tier_ids: ['t1'] })).toBe(
      'automations_trigger_tier_ids_check',
    )
    expect(await refused({ trigger_tier_ids: ['t1'] })).toBe('automations_trigger_tier_ids_check')
    expect(await refused({ re_entry: 'after_days', re_entry_days: 7 })).toBeNull()
    expect(await refused({ re_entry: 'after_days' })).toBe('automations_re_entry_days_check')
    expect(await refused({ re_entry: 'once', re_entry_days: 7 })).toBe('automations_re_entry_days_check')
  })

  test('actions may change places within a transaction, but never share one; a removed one has none', async () => {
    const automationId = await automation()
    const action = (id: string, position: number | null, deleted_at: string | null = null) => {
      const row = { id, account_id: account, automation_id: automationId, type: 'wait', created_at: NOW }
      return insert('automation_actions', { ...row, position, deleted_at })
    }
    const [a, b] = [uuid(), uuid()]
    await action(a, 0)
    await action(b, 1)
    await pool.query('UPDATE automation_actions SET position = 1 - position WHERE automation_id = $1', [automationId])
    expect(await refusedBy(action(uuid(), 1))).toBe('automation_actions_automation_id_position_key')
    expect(await refusedBy(action(uuid(), null))).toBe('automation_actions_position_check')
    expect(await refusedBy(action(uuid(), 2, NOW))).toBe('automation_actions_position_check')
    expect(await refusedBy(action(uuid(), null, NOW))).toBeNull()
    expect(await refusedBy(action(uuid(), null, NOW))).toBeNull()
  })

  test('a revision is a wait or an e-mail, and is younger than the one before', async () => {
    const automationId = await automation()
    const actionId = uuid()
    const own = { account_id: account, created_at: NOW }
    await insert('automation_actions', { ...own, id: actionId, automation_id: automationId, type: 'wait', position: 0 })
    const revision = (content: object) =>
      refusedBy(insert('automation_action_revisions', { id: uuid(), action_id: actionId, ...own, ...content }))
    expect(await revision({ wait_hours: 24 })).toBeNull()
    expect(await revision({ wait_hours: 24 })).toBe('automation_action_revisions_action_id_created_at_key')
    const later = { created_at: '2026-09-01T10:00:00.000001Z' }
    const mail = { email_subject: '', email_body: '', email_format: 'markdown' }
    expect(await revision({ ...later, ...mail, wait_hours: 24 })).toBe('automation_action_revisions_content_check')
    expect(await revision({ ...later, ...mail, email_subject: null })).toBe('automation_action_revisions_content_check')
    expect(await revision({ ...later, wait_hours: 721 })).toBe('automation_action_revisions_wait_hours_check')
    expect(await revision({ ...later, ...mail })).toBeNull()
  })

  test('go with their account', async () => {
    const id = await automation()
    await pool.query('DELETE FROM accounts WHERE id = $1', [account])
    expect((await pool.query('SELECT FROM automations WHERE id = $1', [id])).rowCount).toBe(0)
  })
})

describe('members', () => {
  test('are gone exactly when they were deleted and have not signed up again', async () => {
    const member = (change: object) => refusedBy(insert('members', { account_id: account, id: uuid(), ...change }))
    expect(await member({})).toBeNull()
    expect(await member({ deleted_at: NOW, gone: true })).toBeNull()
    expect(await member({ deleted_at: NOW, signed_up_at: NOW, gone: true })).toBeNull()
    expect(await member({ deleted_at: NOW, signed_up_at: '2026-09-02T10:00:00Z' })).toBeNull()
    expect(await member({ deleted_at: NOW })).toBe('members_gone_check')
    expect(await member({ gone: true })).toBe('members_gone_check')
    expect(await member({ deleted_at: NOW, signed_up_at: '2026-09-02T10:00:00Z', gone: true })).toBe(
      'members_gone_check',
    )
  })
})

describe('e-mails', () => {
  test('an event of a mail is kept once, however often it is reported', async () => {
    const event = { account_id: account, email_id: uuid(), action_id: uuid(), member_id: '1', occurred_at: NOW }
    const report = (change: object) => refusedBy(insert('automation_email_events', { ...event, ...change }))
    expect(await report({ type: 'opened' })).toBeNull()
    expect(await report({ type: 'opened' })).toBe('automation_email_events_once_key')
    expect(await report({ type: 'clicked', url: `https://example.com/${'x'.repeat(5000)}` })).toBeNull()
    expect(await report({ type: 'clicked', url: 'https://example.com/b' })).toBeNull()
    expect(await report({ type: 'clicked', url: 'https://example.com/b' })).toBe('automation_email_events_once_key')
  })
})
