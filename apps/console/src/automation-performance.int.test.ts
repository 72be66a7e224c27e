import { randomUUID } from 'node:crypto'
import { mergeRunCounts } from '@dwell/database/automations/run-counts'
import {
  breakStep,
  type RunToSeed,
  type SeededAutomation,
  seedAutomation,
  seedMember,
  seedRun,
} from '@dwell/testing/automation-seeds'
import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

const stores = useStores()
const console = useConsole(stores, { quiet: true })
const impatient = useConsole(stores, { quiet: true, statisticsTimeoutMs: 200 })

let account: number
let automation: SeededAutomation
beforeEach(async () => {
  await console.setClock('2026-09-14T15:20:00Z')
  account = await console.createAccount()
  automation = await seedAutomation(console.deps.pool, account, ['wait', 'send_email'])
})
afterEach(() => console.deps.pool.query(`UPDATE automation_steps SET status = 'finished' WHERE status = 'teleported'`))

const run = (createdAt: string, steps?: RunToSeed['steps']) =>
  seedRun(console.deps.pool, automation, { createdAt, ...(steps === undefined ? {} : { steps }) })
const path = (id = automation.id) => `/accounts/${account}/automations/${id}/performance-stats/`
const read = (query: Record<string, string> = {}, id = automation.id) =>
  console.call('GET', `${path(id)}?${new URLSearchParams(query)}`)
const statsOf = async (query: Record<string, string> = {}) => {
  const reply = await read(query)
  expect(reply.status).toBe(200)
  return reply.body.automation_performance_stats[0]
}

describe('performance statistics', () => {
  test('classify every run by its steps, and count it where it entered', async () => {
    const statuses: RunToSeed['steps'][] = [
      ['pending'],
      ['finished', 'pending'],
      ['finished', 'finished'],
      ['finished', 'finished'],
      ['finished', 'failed'],
      ['automation_disabled'],
      ['finished', 'member_unsubscribed'],
      ['member_status_changed'],
      ['member_tier_changed'],
      [],
    ]
    for (const steps of statuses) await run('2026-09-10T10:00:00Z', steps)
    expect(await statsOf({ date_from: '2026-09-09', date_to: '2026-09-11' })).toEqual({
      automation_id: automation.id,
      total_run_count: 9,
      in_progress_run_count: 2,
      completed_run_count: 2,
      exited_early_run_count: 5,
      entries: [
        { date: '2026-09-09', count: 0 },
        { date: '2026-09-10', count: 9 },
        { date: '2026-09-11', count: 0 },
      ],
      entry_window: { date_from: '2026-09-09', date_to: '2026-09-12', bucket: 'day', timezone: 'UTC' },
    })
  })

  test('of runs without steps alone are those of an empty history: zeros for the hours of today', async () => {
    await run('2026-09-01T10:00:00Z', [])
    const stats = await statsOf()
    expect(stats).toMatchObject({ total_run_count: 0, entry_window: { date_from: '2026-09-14', bucket: 'hour' } })
    expect(stats.entries).toHaveLength(16)
    expect(stats.entries.at(-1)).toEqual({ date: '2026-09-14T15:00:00.000Z', count: 0 })
  })

  test('begin with the first counted run, and end with a later one than today', async () => {
    await run('2026-09-01T10:00:00Z', [])
    await run('2026-09-12T23:59:59.999Z')
    await run('2026-09-15T10:00:00Z')
    const stats = await statsOf()
    expect(stats.entries.map(({ count }: { count: number }) => count)).toEqual([1, 0, 0, 1])
    expect(stats).toMatchObject({
      total_run_count: 2,
      entry_window: { date_from: '2026-09-12', date_to: '2026-09-16', bucket: 'day' },
    })
  })

  test.each([
    ['Asia/Kathmandu', '2026-06-10', '2026-06-09T18:15:00.000Z', 24],
    ['Pacific/Chatham', '2026-04-05', '2026-04-04T10:15:00.000Z', 25],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', 25],
    ['Atlantic/Azores', '2025-10-26', '2025-10-26T00:00:00.000Z', 25],
    ['America/St_Johns', '2026-03-08', '2026-03-08T03:30:00.000Z', 23],
  ])('hold every run of a day in %s, hour by hour', async (timezone, day, start, hours) => {
    const first = Date.parse(start)
    const before = new Date(first - 1).toISOString()
    await run(before)
    for (let minute = 0; minute < hours * 60; minute += 60) await run(new Date(first + minute * 60_000).toISOString())
    const stats = await statsOf({ date_from: day, date_to: day, timezone })
    expect(stats.entries).toHaveLength(hours)
    expect(stats.entries[0]).toEqual({ date: start, count: 1 })
    expect(stats.entries.every(({ count }: { count: number }) => count === 1)).toBe(true)
    expect(stats.total_run_count).toBe(hours)
  })

  test('of days that begin on no quarter of an hour are counted from the runs themselves', async () => {
    // Until 1972 Monrovia was 44:30 behind: its days began in the middle of what is counted together.
    for (const time of ['00:44:29', '00:44:30', '23:59:59']) await run(`1971-03-01T${time}.000Z`)
    await run('1971-03-02T00:44:30Z')
    const day = { date_from: '1971-03-01', date_to: '1971-03-01', timezone: 'Africa/Monrovia' }
    const stats = await statsOf(day)
    expect(stats.total_run_count).toBe(2)
    expect(stats.entries[0]).toEqual({ date: '1971-03-01T00:44:30.000Z', count: 1 })
  })

  test('list a day that the zone skipped, with nothing on it', async () => {
    await run('2011-12-30T09:59:59.999Z')
    await run('2011-12-30T10:00:00.000Z')
    const stats = await statsOf({ date_from: '2011-12-29', date_to: '2011-12-31', timezone: 'Pacific/Apia' })
    expect(stats.entries).toEqual([
      { date: '2011-12-29', count: 1 },
      { date: '2011-12-30', count: 0 },
      { date: '2011-12-31', count: 1 },
    ])
  })

  test('are the same before and after the counts are tidied up', async () => {
    for (const steps of [['pending'], ['finished'], ['failed']] as const) await run('2026-09-10T10:00:00Z', steps)
    const before = await statsOf()
    expect(await mergeRunCounts(console.deps.pool)).toBeGreaterThan(0)
    await run('2026-09-10T10:01:00Z')
    expect(await statsOf()).toEqual({
      ...before,
      total_run_count: 4,
      completed_run_count: 2,
      entries: [{ date: '2026-09-10', count: 4 }, ...before.entries.slice(1)],
    })
  })

  test('judge token, existence, parameters in this order', async () => {
    const wrong = { date_to: '2026-09-01' }
    expect((await console.call('GET', path(), undefined, { token: null })).status).toBe(401)
    expect((await read(wrong, randomUUID())).status).toBe(404)
    const reply = await read(wrong)
    expect([reply.status, reply.body.errors]).toMatchObject([
      422,
      [{ pointer: '/date_from', code: 'date_from_missing' }],
    ])
    expect((await console.call('GET', path().slice(0, -1))).status).toBe(200)
  })
})

describe('a step whose status nobody knows', () => {
  test('fails the statistics, beside a pending one as well', async () => {
    const id = await run('2026-09-10T10:00:00Z', ['finished', 'pending'])
    await breakStep(console.deps.pool, id)
    const reply = await read({ date_from: '2026-09-10', date_to: '2026-09-10' })
    expect([reply.status, reply.body.code]).toEqual([500, 'unknown_step_status'])
    expect((await read()).status).toBe(500)
  })

  test('fails neither other dates nor another automation', async () => {
    await run('2026-09-10T10:00:00Z')
    await breakStep(console.deps.pool, await run('2026-08-31T23:59:59.999Z'))
    expect(await statsOf({ date_from: '2026-09-01', date_to: '2026-09-14' })).toMatchObject({ total_run_count: 1 })
    const other = await seedAutomation(console.deps.pool, account)
    expect((await read({}, other.id)).status).toBe(200)
  })
})

describe('where statistics cannot be read', () => {
  const counts = 'automation_run_counts'
  const without = async (table: string, work: () => Promise<void>) => {
    await console.deps.pool.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
    try {
      await work()
    } finally {
      await console.deps.pool.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)
    }
  }

  test('they fail as a whole, and the list of automations is answered without them', async () => {
    const id = await run('2026-09-10T10:00:00Z')
    await without(counts, async () => {
      const reply = await read()
      expect([reply.status, reply.body.code]).toEqual([500, 'internal'])
      const list = await console.call('GET', `/accounts/${account}/automations`)
      expect(list.status).toBe(200)
      expect(list.body.automations).toMatchObject([{ id: automation.id }])
      expect(list.body.automations[0].stats).toBeUndefined()
      // Neither depends on statistics.
      expect((await console.call('GET', `/accounts/${account}/automations/${automation.id}/runs/`)).status).toBe(200)
      expect((await console.call('GET', `/accounts/${account}/automations/${automation.id}/runs/${id}/`)).status).toBe(
        200,
      )
    })
  })

  test('a list or search whose members cannot be read fails: no run without its member, no empty page', async () => {
    await run('2026-09-10T10:00:00Z')
    await seedMember(console.deps.pool, account, { id: 'm1', name: 'Anna' })
    await without('members', async () => {
      for (const query of ['', '?search=anna']) {
        const reply = await console.call('GET', `/accounts/${account}/automations/${automation.id}/runs/${query}`)
        expect([reply.status, reply.body.code]).toEqual([500, 'internal'])
      }
    })
  })

  test('a reading that takes longer than it may is ended and says so', async () => {
    await run('2026-09-10T10:00:00Z')
    const client = await console.deps.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('LOCK TABLE automation_run_counts, automation_runs')
      const stats = await impatient.call('GET', `${path()}?date_from=2026-09-10`)
      expect([stats.status, stats.body.code]).toEqual([503, 'statistics_timeout'])
      const list = await impatient.call('GET', `/accounts/${account}/automations/${automation.id}/runs/`)
      expect([list.status, list.body.code]).toEqual([503, 'statistics_timeout'])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect((await read()).status).toBe(200)
  })
})

test('the list of automations counts every run, those without steps too, by name', async () => {
  const named = await seedAutomation(console.deps.pool, account, ['wait'], '0 first by name')
  await run('2026-09-10T10:00:00Z', ['pending'])
  await run('2026-09-11T10:00:00.123Z', [])
  await run('2026-09-09T10:00:00Z')
  await mergeRunCounts(console.deps.pool)
  await run('2026-09-08T10:00:00Z', ['pending'])
  const { body } = await console.call('GET', `/accounts/${account}/automations/`)
  expect(body.automations).toMatchObject([
    { id: named.id, stats: { last_run_created_at: null, total_run_count: 0, in_progress_run_count: 0 } },
    {
      id: automation.id,
      stats: { last_run_created_at: '2026-09-11T10:00:00.123Z', total_run_count: 4, in_progress_run_count: 2 },
    },
  ])
})

describe('the links of an action', () => {
  const links = (action: string | undefined, id = automation.id) =>
    console.call('GET', `/accounts/${account}/automations/${id}/actions/${action}/links/`)
  const link = (action: string, revision: string, url: string) =>
    console.deps.pool.query(
      'INSERT INTO automation_email_links (account_id, action_id, revision_id, url) VALUES ($1, $2, $3, $4)',
      [account, action, revision, url],
    )
  const click = (action: string, member: string, url: string) =>
    console.deps.pool.query(
      `INSERT INTO automation_email_events (account_id, email_id, action_id, member_id, type, url, occurred_at)
       VALUES ($1, gen_random_uuid(), $2, $3, 'clicked', $4, now())`,
      [account, action, member, url],
    )

  test('count members over all revisions, with those that nobody followed', async () => {
    const email = automation.actions[1]
    if (email === undefined) throw new Error('the automation has no e-mail')
    const second = randomUUID()
    await console.deps.pool.query(
      `INSERT INTO automation_action_revisions (id, account_id, action_id, email_subject, email_body, email_format, created_at)
       VALUES ($1, $2, $3, '', '', 'html', now())`,
      [second, account, email.id],
    )
    for (const revision of [email.revisionId, second]) await link(email.id, revision, 'https://example.com/b')
    await link(email.id, second, 'https://example.com/c')
    await link(email.id, second, 'https://example.com/a')
    await click(email.id, 'm1', 'https://example.com/b')
    await click(email.id, 'm1', 'https://example.com/b')
    await click(email.id, 'm2', 'https://example.com/b')
    await click(email.id, 'm2', '')
    const reply = await links(email.id)
    expect(reply.body.automation_action_links).toEqual([
      { url: 'https://example.com/b', click_count: 2 },
      { url: 'https://example.com/a', click_count: 0 },
      { url: 'https://example.com/c', click_count: 0 },
    ])
  })

  test('of an action that was removed, or of another automation, are not there', async () => {
    const [wait, email] = automation.actions
    const other = await seedAutomation(console.deps.pool, account)
    expect((await links(email?.id)).status).toBe(200)
    expect((await links(email?.id, other.id)).status).toBe(404)
    expect((await links(randomUUID())).status).toBe(404)
    expect((await links('none')).status).toBe(404)
    await console.deps.pool.query('UPDATE automation_actions SET position = NULL, deleted_at = now() WHERE id = $1', [
      wait?.id,
    ])
    expect((await links(wait?.id)).status).toBe(404)
  })
})
