import { randomUUID } from 'node:crypto'
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

const console = useConsole(useStores(), { quiet: true })

let account: number
let automation: SeededAutomation
beforeEach(async () => {
  await console.setClock('2026-09-14T12:00:00Z')
  account = await console.createAccount()
  automation = await seedAutomation(console.deps.pool, account)
})

const run = (rest: Partial<RunToSeed> & { readonly createdAt: string }) => seedRun(console.deps.pool, automation, rest)
const path = (rest = '', id = automation.id) => `/accounts/${account}/automations/${id}/runs${rest}`
const list = (query: Record<string, string> = {}, id = automation.id) =>
  console.call('GET', `${path('/', id)}?${new URLSearchParams(query)}`)
const idsOf = (reply: { body: { automation_runs: { id: string }[] } }) => reply.body.automation_runs.map(({ id }) => id)
const codes = (reply: { body: { errors: { pointer: string; code: string }[] } }) =>
  reply.body.errors.map(({ pointer, code }) => `${pointer} ${code}`)

/** Ids that compare as they are numbered. */
const numbered = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`

async function seedRuns(count: number, rest: Partial<RunToSeed> = {}): Promise<void> {
  for (let i = 1; i <= count; i += 1) {
    const createdAt = new Date(Date.parse('2026-09-01T10:00:00Z') + i * 60_000).toISOString()
    await run({ id: randomUUID(), createdAt, ...rest })
  }
}

describe('the run list', () => {
  test('names status, failure and the member as it is now, newest first', async () => {
    await seedMember(console.deps.pool, account, { id: 'm1', name: null, email: 'now@example.com' })
    const pending = await run({ createdAt: '2026-09-01T10:00:00.123Z', steps: ['finished', 'pending'] })
    const failed = await run({ createdAt: '2026-09-02T10:00:00Z', steps: ['finished', 'failed'], memberId: 'unknown' })
    const left = await run({ createdAt: '2026-09-03T10:00:00Z', steps: ['member_unsubscribed'] })
    const reply = await list()
    const member = { id: 'm1', name: null, email: 'now@example.com' }
    expect(reply.body).toEqual({
      automation_runs: [
        { id: left, created_at: '2026-09-03T10:00:00.000Z', status: 'exited_early', failed: false, member },
        { id: failed, created_at: '2026-09-02T10:00:00.000Z', status: 'exited_early', failed: true, member: null },
        { id: pending, created_at: '2026-09-01T10:00:00.123Z', status: 'in_progress', failed: false, member },
      ],
      meta: { pagination: { limit: 50, next_cursor: null } },
    })
    expect(idsOf(await list({ status: 'exited_early' }))).toEqual([left, failed])
    expect(idsOf(await list({ order: 'created_at asc', status: 'in_progress' }))).toEqual([pending])
  })

  test('answers with and without the slash at its end', async () => {
    const id = await run({ createdAt: '2026-09-01T10:00:00Z' })
    for (const ending of ['', '/']) {
      expect((await console.call('GET', path(ending))).status).toBe(200)
      expect((await console.call('GET', path(`/${id}${ending}`))).status).toBe(200)
    }
  })

  test('leaves runs without steps out, also of the count of a page', async () => {
    await seedRuns(49)
    await run({ createdAt: '2026-09-01T10:10:30Z', steps: [] })
    await run({ createdAt: '2026-09-03T10:00:00Z', steps: [] })
    const full = await run({ createdAt: '2026-09-02T10:00:00Z' })
    const reply = await list()
    expect(idsOf(reply)).toHaveLength(50)
    expect(idsOf(reply)[0]).toBe(full)
    expect(reply.body.meta.pagination.next_cursor).toBeNull()
  })

  test('pages through runs of one millisecond by their ids, both ways, each once', async () => {
    for (let n = 1; n <= 120; n += 1) await run({ id: numbered(n), createdAt: '2026-09-01T10:00:00.000Z' })
    const walk = async (order: string, rest: Record<string, string> = {}) => {
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const reply = await list({ order, ...rest, ...(cursor === '' ? {} : { cursor }) })
        ids.push(...idsOf(reply))
        cursor = reply.body.meta.pagination.next_cursor
      }
      return ids
    }
    const up = Array.from({ length: 120 }, (_, i) => numbered(i + 1))
    expect(await walk('created_at asc')).toEqual(up)
    expect(await walk('created_at desc')).toEqual(up.toReversed())
    expect(await walk('created_at desc', { status: 'completed' })).toEqual(up.toReversed())
    const day = { date_from: '2026-09-01', date_to: '2026-09-01' }
    expect(await walk('created_at asc', day)).toEqual(up)
    expect(await walk('created_at desc', day)).toEqual(up.toReversed())
  })

  test('takes the days of the zone, to the millisecond', async () => {
    const ids = []
    for (const createdAt of [
      '2026-03-08T04:59:59.999Z',
      '2026-03-08T05:00:00.000Z',
      '2026-03-09T03:59:59.999Z',
      '2026-03-09T04:00:00.000Z',
    ])
      ids.push(await run({ createdAt }))
    const day = { date_from: '2026-03-08', date_to: '2026-03-08', timezone: 'america/new_york' }
    expect(idsOf(await list({ ...day, order: 'created_at asc' }))).toEqual(ids.slice(1, 3))
    expect(idsOf(await list({ ...day, order: 'created_at desc' }))).toEqual(ids.slice(1, 3).toReversed())
  })

  test('keeps the end of the first page over midnight, and refuses another', async () => {
    await seedRuns(51)
    const first = await list({ date_from: '2026-09-01' })
    const { next_cursor: cursor } = first.body.meta.pagination
    await console.setClock('2026-09-15T00:00:01Z')
    expect(idsOf(await list({ date_from: '2026-09-01', cursor }))).toHaveLength(1)
    expect(idsOf(await list({ date_from: '2026-09-01', date_to: '2026-09-14', cursor }))).toHaveLength(1)
    const other = await list({ date_from: '2026-09-01', date_to: '2026-09-15', cursor })
    expect([other.status, ...codes(other)]).toEqual([422, '/cursor cursor_of_another_list'])
  })

  test('takes no cursor of another automation, account, order or search', async () => {
    await seedRuns(51)
    const { next_cursor: cursor } = (await list()).body.meta.pagination
    const other = await seedAutomation(console.deps.pool, account)
    expect((await list({ cursor }, other.id)).status).toBe(422)
    expect((await list({ cursor, order: 'created_at asc' })).status).toBe(422)
    expect((await list({ cursor, search: 'a' })).status).toBe(422)
    expect((await list({ cursor: `${cursor}x` })).status).toBe(422)
    expect((await list({ cursor: '' })).status).toBe(422)
    expect((await list({ cursor })).status).toBe(200)
  })

  test('names every fault of the parameters with its place', async () => {
    const reply = await console.call(
      'GET',
      `${path()}?status=&order=id&date_to=2026-02-30&timezone=Mars&cursor=x&cursor=y`,
    )
    expect(reply.status).toBe(422)
    expect(codes(reply).sort()).toEqual([
      '/cursor invalid_cursor',
      '/date_from date_from_missing',
      '/date_to invalid_date',
      '/order unknown_order',
      '/status unknown_status',
      '/timezone unknown_timezone',
    ])
  })

  test('judges token, rights, existence, parameters in this order', async () => {
    const wrong = '?status=wrong'
    expect((await console.call('GET', path(wrong), undefined, { token: null })).status).toBe(401)
    expect((await console.call('GET', path(wrong, randomUUID()))).status).toBe(404)
    expect((await console.call('GET', path(wrong, 'none'))).status).toBe(404)
    const other = await console.createAccount()
    expect((await console.call('GET', `/accounts/${other}/automations/${automation.id}/runs${wrong}`)).status).toBe(404)
    const { body } = await console.call('POST', `/accounts/${account}/tokens`, { name: 'a', role: 'agent' })
    const agent = { token: body.payload.token }
    expect((await console.call('GET', path(wrong), undefined, agent)).status).toBe(422)
    expect((await console.call('GET', path(), undefined, agent)).status).toBe(200)
  })
})

describe('a step whose status nobody knows', () => {
  afterEach(() =>
    console.deps.pool.query(`UPDATE automation_steps SET status = 'finished' WHERE status = 'teleported'`),
  )

  test('fails the list on every page and for every status', async () => {
    await seedRuns(120)
    await breakStep(console.deps.pool, await run({ createdAt: '2026-09-01T09:00:00Z' }))
    const reply = await list()
    expect([reply.status, reply.body.code]).toEqual([500, 'unknown_step_status'])
    expect((await list({ status: 'in_progress' })).status).toBe(500)
    expect((await list({ date_from: '2026-09-01', date_to: '2026-09-01', order: 'created_at asc' })).status).toBe(500)
  })

  test('fails neither another range of dates nor another automation', async () => {
    const kept = await run({ createdAt: '2026-09-02T09:00:00Z' })
    const broken = await run({ createdAt: '2026-09-01T23:59:59.999Z' })
    const other = await seedAutomation(console.deps.pool, account)
    await breakStep(console.deps.pool, broken)
    expect(idsOf(await list({ date_from: '2026-09-02' }))).toEqual([kept])
    expect((await list({ date_from: '2026-09-01', date_to: '2026-09-01' })).status).toBe(500)
    expect((await list({}, other.id)).status).toBe(200)
  })

  test('fails beside a pending step as well', async () => {
    const id = await run({ createdAt: '2026-09-01T09:00:00Z', steps: ['finished', 'pending'] })
    await breakStep(console.deps.pool, id)
    expect((await list({ status: 'exited_early' })).status).toBe(500)
    expect((await console.call('GET', path(`/${id}`))).body.code).toBe('unknown_step_status')
  })
})

describe('the history of a run', () => {
  test('shows the recorded steps alone, each with the content it was queued with', async () => {
    automation = await seedAutomation(console.deps.pool, account, ['send_email', 'wait', 'send_email'])
    await seedMember(console.deps.pool, account, { id: 'm1', name: 'Ann', email: 'ann@example.com' })
    const id = await run({ createdAt: '2026-09-01T10:00:00Z', steps: ['finished', 'pending'] })
    const [first, second] = automation.actions
    await console.deps.pool.query(
      `UPDATE automation_steps SET created_at = created_at - interval '1 second' WHERE run_id = $1 AND action_id = $2`,
      [id, first?.id],
    )
    await console.deps.pool.query(`UPDATE automation_actions SET position = NULL, deleted_at = now() WHERE id = $1`, [
      first?.id,
    ])
    const { body } = await console.call('GET', path(`/${id}/`))
    expect(body.automation_run_history).toMatchObject([
      {
        id,
        automation_id: automation.id,
        created_at: '2026-09-01T10:00:00.000Z',
        member: { id: 'm1', name: 'Ann', email: 'ann@example.com' },
        status: 'in_progress',
        failed: false,
        ended_at: null,
        end_reason: null,
        steps: [
          {
            automation_action_revision_id: first?.revisionId,
            status: 'finished',
            email_sent_at: null,
            action: { id: first?.id, type: 'send_email', data: { email_subject: 'Subject 0', email_body: 'Hello' } },
          },
          { status: 'pending', finished_at: null, action: { id: second?.id, type: 'wait', data: { wait_hours: 24 } } },
        ],
      },
    ])
  })

  test('orders steps of one instant by their id', async () => {
    const id = await run({ createdAt: '2026-09-01T10:00:00Z', steps: ['finished', 'finished', 'finished'] })
    const { body } = await console.call('GET', path(`/${id}`))
    const ids = body.automation_run_history[0].steps.map((step: { id: string }) => step.id)
    expect(ids).toHaveLength(3)
    expect(ids).toEqual(ids.toSorted())
  })

  test('takes the earliest times of the records of a step and its revision', async () => {
    automation = await seedAutomation(console.deps.pool, account, ['send_email'])
    const id = await run({ createdAt: '2026-09-01T09:00:00Z' })
    const record = (revision: string, sent: string, delivered: string | null) =>
      console.deps.pool.query(
        `INSERT INTO automation_emails (id, account_id, message_id, automation_id, run_id, step_id, action_id, revision_id,
           member_id, status, tracks_opens, tracks_clicks, created_at, updated_at, sent_at, delivered_at)
         SELECT gen_random_uuid(), account_id, gen_random_uuid()::text, automation_id, run_id, id, action_id, $2, 'm1', 'sent',
           true, true, $3::timestamptz, $3::timestamptz, $3::timestamptz, $4::timestamptz
         FROM automation_steps WHERE run_id = $1`,
        [id, revision, sent, delivered],
      )
    const revision = automation.actions[0]?.revisionId ?? ''
    await record(revision, '2026-09-01T10:10:00Z', '2026-09-01T10:12:00Z')
    await record(revision, '2026-09-01T10:00:00Z', null)
    await record(randomUUID(), '2026-09-01T09:30:00Z', '2026-09-01T09:31:00Z')
    const { body } = await console.call('GET', path(`/${id}`))
    expect(body.automation_run_history[0].steps).toMatchObject([
      { email_sent_at: '2026-09-01T10:00:00.000Z', email_delivered_at: '2026-09-01T10:12:00.000Z' },
    ])
  })

  test('takes an empty subject for content', async () => {
    automation = await seedAutomation(console.deps.pool, account, ['send_email'])
    const id = await run({ createdAt: '2026-09-01T09:00:00Z' })
    await console.deps.pool.query(`UPDATE automation_action_revisions SET email_subject = '' WHERE id = $1`, [
      automation.actions[0]?.revisionId,
    ])
    const { body } = await console.call('GET', path(`/${id}`))
    expect(body.automation_run_history[0].steps[0].action.data.email_subject).toBe('')
  })

  test('is not there for unknown runs, and runs of other automations', async () => {
    const id = await run({ createdAt: '2026-09-01T09:00:00Z' })
    const other = await seedAutomation(console.deps.pool, account)
    for (const address of [
      path(`/${randomUUID()}`),
      path('/none'),
      path(`/${id}`, other.id),
      path(`/${id}`, randomUUID()),
    ])
      expect((await console.call('GET', address)).status).toBe(404)
  })

  test.each([
    ['without steps', 'DELETE FROM automation_steps WHERE run_id = $1'],
    ['whose revision is missing', `UPDATE automation_steps SET revision_id = gen_random_uuid() WHERE run_id = $1`],
    [
      'whose revision has lost its content',
      `UPDATE automation_action_revisions SET wait_hours = NULL, email_subject = '', email_body = '', email_format = 'html'
       WHERE id IN (SELECT revision_id FROM automation_steps WHERE run_id = $1)`,
    ],
  ])('of a run %s is an error', async (_what, sql) => {
    const id = await run({ createdAt: '2026-09-01T09:00:00Z' })
    await console.deps.pool.query(sql, [id])
    const reply = await console.call('GET', path(`/${id}`))
    expect([reply.status, reply.body.code]).toEqual([500, 'broken_history'])
  })

  test('of a run with an ended step that has no end is an error', async () => {
    const id = await run({ createdAt: '2026-09-01T09:00:00Z' })
    await console.deps.pool.query('ALTER TABLE automation_steps DROP CONSTRAINT automation_steps_finished_check')
    await console.deps.pool.query('UPDATE automation_steps SET finished_at = NULL WHERE run_id = $1', [id])
    expect((await console.call('GET', path(`/${id}`))).body.code).toBe('broken_history')
  })
})
