import { randomUUID } from 'node:crypto'
import type { MemberEventInput } from '@dwell/contracts/member-events'
import { memberEvent, parsed } from '@dwell/testing/event-builder'
import { instant } from '@dwell/testing/fixed-clock'
import { seedAccount } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import type { Pool } from 'pg'
import { createPool, inTransaction } from '../pool'
import { RuleBooks } from '../rule-books'
import { takeBatch } from './take-batch'
import { takeMembers } from './take-members'

const NOW = instant('2026-09-01T12:00:00Z')
const at = (time: string) => `2026-09-01T${time}:00.000000Z`

const stores = useStores()
let pool: Pool
let account: number
let books: RuleBooks

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 10, applicationName: 'test' })
  stores.closeBefore(() => pool.end())
})

beforeEach(async () => {
  account = await seedAccount(pool)
  books = new RuleBooks()
})

const parsedHere = (events: readonly MemberEventInput[]) =>
  events.map((event) => parsed({ ...event, account_id: account }))
const take = (...events: MemberEventInput[]) => takeBatch(pool, books, parsedHere(events), NOW)

async function seedAutomation(columns: Record<string, unknown> = {}, waitHours: number | null = 24): Promise<string> {
  const [id, action, revision] = [randomUUID(), randomUUID(), randomUUID()]
  const row = { status: 'active', trigger_tier_scope: 'free', re_entry: 'always', re_entry_days: null, ...columns }
  await inTransaction(pool, async (client) => {
    await client.query('UPDATE accounts SET rules_version = rules_version + 1 WHERE id = $1', [account])
    await client.query(
      `INSERT INTO automations (id, account_id, name, description, status, trigger_tier_scope, re_entry, re_entry_days,
         created_at, updated_at) VALUES ($1::uuid, $2, $1::uuid::text, '', $3, $4, $5, $6, now(), now())`,
      [id, account, row.status, row.trigger_tier_scope, row.re_entry, row.re_entry_days],
    )
    await client.query(
      `INSERT INTO automation_actions (id, account_id, automation_id, type, position, created_at)
       VALUES ($1, $2, $3, $4, 0, now())`,
      [action, account, id, waitHours === null ? 'send_email' : 'wait'],
    )
    const email = waitHours === null ? ['Hello', 'Text', 'markdown'] : [null, null, null]
    await client.query(
      `INSERT INTO automation_action_revisions (id, account_id, action_id, wait_hours, email_subject, email_body,
         email_format, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, now())`,
      [revision, account, action, waitHours, ...email],
    )
  })
  return id
}

async function runs(): Promise<{ automation_id: string; member_id: string; member_email: string | null }[]> {
  const { rows } = await pool.query(
    `SELECT automation_id, member_id, member_email, (SELECT count(*) FROM automation_steps s WHERE s.run_id = r.id) AS steps
     FROM automation_runs r WHERE account_id = $1 ORDER BY created_at`,
    [account],
  )
  return rows
}

const signUp = (time = '10:00', id = 'm1', rest: object = {}) =>
  memberEvent('member_signed_up', { at: at(time), member: { id, status: 'free' }, ...rest })

test('a sign-up begins a run and its first step, ready when the wait is over', async () => {
  const automation = await seedAutomation()
  const batch = await take(signUp())
  expect(batch).toMatchObject({ outcomes: ['taken'], earliestDue: instant('2026-09-02T10:00:00Z') })
  expect(await runs()).toEqual([
    { automation_id: automation, member_id: 'm1', member_email: 'ada@example.com', steps: 1 },
  ])
})

test('an account without rules and automations costs nothing', async () => {
  expect(await take(signUp())).toMatchObject({ outcomes: ['ignored'] })
  expect((await pool.query('SELECT FROM members WHERE account_id = $1', [account])).rowCount).toBe(0)
})

test('three automations start by one event, each once, however often and in parallel it comes', async () => {
  for (let i = 0; i < 3; i += 1) await seedAutomation()
  const event = signUp()
  const batches = await Promise.all(Array.from({ length: 8 }, () => take(event, event)))
  expect((await runs()).length).toBe(3)
  expect(batches.reduce((total, { runsBegun }) => total + runsBegun, 0)).toBe(3)
})

test('also after the mark of the event was pruned the run is not begun again', async () => {
  await seedAutomation()
  const event = signUp()
  await take(event)
  await pool.query('DELETE FROM taken_events WHERE account_id = $1', [account])
  expect(await take(event)).toMatchObject({ outcomes: ['taken'], earliestDue: null })
  expect(await runs()).toHaveLength(1)
})

test.each([
  ['always', null, 6],
  ['once', null, 1],
  ['after_days', 1, 1],
])('re-entry %s holds among events that come at once', async (re_entry, re_entry_days, expected) => {
  await seedAutomation({ re_entry, re_entry_days })
  await Promise.all(Array.from({ length: 6 }, (_, i) => take(signUp(`10:0${i}`))))
  expect(await runs()).toHaveLength(expected)
})

test('who enters after as many days enters again', async () => {
  await seedAutomation({ re_entry: 'after_days', re_entry_days: 1 })
  await take(signUp())
  await take(memberEvent('member_signed_up', { at: '2026-09-02T10:00:00.000000Z', member: { status: 'free' } }))
  expect(await runs()).toHaveLength(2)
})

test('a batch that is rolled back leaves no member, no run and no step; taken again, its event begins exactly one', async () => {
  await seedAutomation()
  const event = signUp()
  const broken = new Error('broken')
  await expect(
    inTransaction(pool, async (client) => {
      const found = await books.at(client, await versions())
      await takeMembers(
        client,
        parsedHere([event]).filter((one) => 'member' in one),
        found,
        NOW,
      )
      throw broken
    }),
  ).rejects.toBe(broken)
  expect(await runs()).toEqual([])
  expect((await pool.query('SELECT FROM members WHERE account_id = $1', [account])).rowCount).toBe(0)
  expect(await take(event, event)).toMatchObject({ outcomes: ['taken', 'duplicate'], runsBegun: 1 })
  expect(await runs()).toMatchObject([{ member_id: 'm1', steps: 1 }])
})

test('an automation without actions starts nothing, and the event is taken like any other', async () => {
  const automation = await seedAutomation()
  await pool.query('UPDATE automation_actions SET position = NULL, deleted_at = now() WHERE automation_id = $1', [
    automation,
  ])
  await pool.query('UPDATE accounts SET rules_version = rules_version + 1 WHERE id = $1', [account])
  expect(await take(signUp())).toMatchObject({ outcomes: ['taken'], runsBegun: 0, earliestDue: null })
  expect(await runs()).toEqual([])
})

test('an inactive automation starts nothing and an edit holds from the next event on', async () => {
  const automation = await seedAutomation({ status: 'inactive' })
  await take(signUp('10:00', 'm1'))
  await pool.query(`UPDATE automations SET status = 'active' WHERE id = $1`, [automation])
  await pool.query('UPDATE accounts SET rules_version = rules_version + 1 WHERE id = $1', [account])
  await take(signUp('10:01', 'm2'))
  expect((await runs()).map((run) => run.member_id)).toEqual(['m2'])
})

test('a deletion keeps the run and drops who it was, and a late event does not bring them back', async () => {
  await seedAutomation()
  await take(signUp('10:00'))
  await take(memberEvent('member_deleted', { at: at('11:00') }))
  await take(memberEvent('member_updated', { at: at('10:30') }))
  expect(await runs()).toMatchObject([{ member_id: 'm1', member_email: null }])
  const { rows } = await pool.query('SELECT name, email, gone, search_text FROM members WHERE account_id = $1', [
    account,
  ])
  expect(rows).toEqual([{ name: null, email: null, gone: true, search_text: '' }])
})

test('reordered events leave the younger facts', async () => {
  await seedAutomation()
  await take(memberEvent('member_updated', { at: at('11:00'), member: { name: 'New' } }))
  await take(memberEvent('member_updated', { at: at('10:00'), member: { name: 'Old' } }))
  expect((await pool.query('SELECT name FROM members WHERE account_id = $1', [account])).rows).toEqual([
    { name: 'New' },
  ])
})

async function versions(): Promise<Map<number, number>> {
  const { rows } = await pool.query('SELECT rules_version FROM accounts WHERE id = $1', [account])
  return new Map([[account, rows[0]?.rules_version]])
}
