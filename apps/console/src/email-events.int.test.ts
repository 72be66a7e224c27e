import { randomUUID } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import { type EmailEvent, recordEmailEvents } from '@dwell/database/automations/email-events'
import { markSent } from '@dwell/database/automations/send-records'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import { RuleBooks } from '@dwell/database/rule-books'
import { memberEvent, parsed } from '@dwell/testing/event-builder'
import {
  type SeededEmailAction,
  type SeededMail,
  seedEmailAction,
  seedMail,
  seedRevision,
} from '@dwell/testing/mail-seeds'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import fc from 'fast-check'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())
const AT = '2026-09-01T10:00:00.000000Z'

let account: number
let action: SeededEmailAction

beforeEach(async () => {
  account = await console.createAccount()
  action = await seedEmailAction(console.deps.pool, account)
})

const post = (events: unknown, of = account) => console.call('POST', `/accounts/${of}/email_events`, events)
const event = (mail: Pick<SeededMail, 'messageId'>, type: string, more: object = {}) => ({
  message_id: mail.messageId,
  type,
  at: AT,
  ...more,
})

async function stats(of: SeededEmailAction = action) {
  const { body } = await console.call('GET', `/accounts/${of.accountId}/automations/${of.automationId}`)
  return body.automations[0].actions[0].stats
}

async function mailRow(mail: SeededMail) {
  const { rows } = await console.deps.pool.query(
    `SELECT status, sent_at IS NOT NULL AS sent, dwell_micros(delivered_at) AS delivered, dwell_micros(opened_at) AS opened,
       dwell_micros(clicked_at) AS clicked, dwell_micros(bounced_at) AS bounced, dwell_micros(complained_at) AS complained
     FROM automation_emails WHERE id = $1`,
    [mail.id],
  )
  return rows[0]
}

async function optedOut(mail: SeededMail): Promise<string | null> {
  const { rows } = await console.deps.pool.query(
    `SELECT to_char(opted_out_at, 'HH24:MI:SS') AS at FROM members WHERE account_id = $1 AND id = $2`,
    [account, mail.memberId],
  )
  return rows[0]?.at ?? null
}

test('statistics count each recipient once per kind, rates are whole percentages of the tracked sends', async () => {
  const mails = [await seedMail(console.deps.pool, action), await seedMail(console.deps.pool, action)]
  mails.push(await seedMail(console.deps.pool, action))
  const [first, second] = mails as [SeededMail, SeededMail]
  const reply = await post([
    ...mails.map((mail) => event(mail, 'delivered')),
    event(first, 'opened'),
    event(first, 'opened', { at: '2026-09-01T11:00:00Z' }),
    event(first, 'clicked', { url: 'https://example.com/a' }),
    event(second, 'clicked', { url: 'https://example.com/a' }),
    event(second, 'clicked', { url: 'https://example.com/b' }),
  ])
  expect(reply.status).toBe(200)
  expect(reply.body.payload.recorded).toBe(8)
  expect(await stats()).toEqual({
    sent_count: 3,
    delivered_count: 3,
    opened_count: 1,
    clicked_count: 2,
    opened_rate: 33,
    clicked_rate: 67,
  })
})

test('the earliest instant of each kind stands, whatever comes later; every click is kept', async () => {
  const mail = await seedMail(console.deps.pool, action)
  await post([event(mail, 'opened', { at: '2026-09-01T12:00:00Z' })])
  await post([event(mail, 'opened', { at: '2026-09-01T10:30:00.000001Z' })])
  await post([event(mail, 'opened', { at: '2026-09-01T13:00:00Z' })])
  expect((await mailRow(mail)).opened).toBe(Date.parse('2026-09-01T10:30:00Z') * 1_000 + 1)
  for (const second of [1, 2, 3])
    await post(event(mail, 'clicked', { at: `2026-09-01T10:00:0${second}Z`, url: 'https://x.example' }))
  const { rows } = await console.deps.pool.query(
    `SELECT FROM automation_email_events WHERE email_id = $1 AND type = 'clicked'`,
    [mail.id],
  )
  expect(rows).toHaveLength(3)
  expect(await stats()).toMatchObject({ opened_count: 1, clicked_count: 1 })
})

test('a second send of the same revision, or of an edited one, to the same member is counted apart', async () => {
  const mail = await seedMail(console.deps.pool, action)
  const again = await seedMail(console.deps.pool, action, { memberId: mail.memberId })
  const edited = await seedMail(console.deps.pool, await seedRevision(console.deps.pool, action), {
    memberId: mail.memberId,
  })
  await post([mail, again, edited].map((one) => event(one, 'clicked', { url: 'https://x.example' })))
  expect(await stats()).toMatchObject({ sent_count: 3, clicked_count: 3 })
})

test('what is sent twice says so and changes nothing', async () => {
  const mail = await seedMail(console.deps.pool, action)
  const events = [
    event(mail, 'delivered'),
    event(mail, 'delivered'),
    event(mail, 'clicked', { url: 'https://x.example' }),
  ]
  const outcomes = async () =>
    (await post(events)).body.payload.results.map(({ outcome }: { outcome: string }) => outcome)
  expect(await outcomes()).toEqual(['recorded', 'duplicate', 'recorded'])
  expect(await outcomes()).toEqual(['duplicate', 'duplicate', 'duplicate'])
  expect(await stats()).toMatchObject({ delivered_count: 1, clicked_count: 1 })
})

test('a Message-ID is known with and without its brackets', async () => {
  const mail = await seedMail(console.deps.pool, action)
  await post(event({ messageId: mail.messageId.slice(1, -1) }, 'delivered'))
  expect(await stats()).toMatchObject({ delivered_count: 1 })
})

test('bad events and unknown mails are told one by one and hold up none of the others', async () => {
  const mail = await seedMail(console.deps.pool, action)
  const other = await seedMail(
    console.deps.pool,
    await seedEmailAction(console.deps.pool, await console.createAccount()),
  )
  const reply = await post([
    event(mail, 'eaten'),
    event(mail, 'opened', { at: 'yesterday' }),
    'opened',
    event({ messageId: `<${randomUUID()}@desk.example>` }, 'opened'),
    event(other, 'opened'),
    { ...event(mail, 'opened'), colour: 'red' },
    event({ messageId: 'a\u0000b' }, 'opened'),
    event(mail, 'opened'),
  ])
  expect(reply.status).toBe(200)
  expect(reply.body.payload.recorded).toBe(1)
  expect(reply.body.payload.results).toMatchObject([
    { outcome: 'invalid', errors: [{ pointer: '/0/type', code: 'not_allowed' }] },
    { outcome: 'invalid', errors: [{ pointer: '/1/at' }] },
    { outcome: 'invalid', errors: [{ pointer: '/2', code: 'wrong_type' }] },
    { outcome: 'unknown_message' },
    { outcome: 'unknown_message' },
    { outcome: 'invalid', errors: [{ pointer: '/5/colour', code: 'unknown_key' }] },
    { outcome: 'invalid', errors: [{ pointer: '/6/message_id', code: 'unstorable_text' }] },
    { outcome: 'recorded' },
  ])
  expect((await mailRow(other)).opened).toBeNull()
})

test.each<[string, unknown, string]>([
  ['nothing', undefined, ''],
  ['a text', 'opened', ''],
  ['one event without its kind', { message_id: '<a@b>', at: AT }, '/type'],
  ['a list of bad ones', [{ message_id: '<a@b>', type: 'opened' }], '/0/at'],
])('where nothing could be taken the request is refused: %s', async (_name, body, pointer) => {
  const reply = await post(body)
  expect(reply.status).toBe(422)
  expect(reply.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer)
})

test('an empty list is nothing, and more than a thousand events are too many', async () => {
  expect((await post([])).body.payload).toEqual({ recorded: 0, results: [] })
  expect((await post(Array.from({ length: 1_001 }, () => ({})))).status).toBe(422)
})

test('agents may not report; another account is not there', async () => {
  const { body } = await console.call('POST', `/accounts/${account}/tokens`, { role: 'agent', name: 'A' })
  const token = body.payload.token
  expect((await console.call('POST', `/accounts/${account}/email_events`, [], { token })).status).toBe(403)
  const other = await console.createAccount()
  const admin = await console.call('POST', `/accounts/${account}/tokens`, { role: 'administrator', name: 'B' })
  const reply = await console.call('POST', `/accounts/${other}/email_events`, [], { token: admin.body.payload.token })
  expect(reply.status).toBe(404)
})

test('a complaint takes the consent back, once: a repetition does not undo a later change of mind', async () => {
  const mail = await seedMail(console.deps.pool, action)
  await post(event(mail, 'complained'))
  expect(await optedOut(mail)).toBe('10:00:00')
  await console.deps.pool.query('UPDATE members SET opted_out_at = NULL WHERE account_id = $1', [account])
  await post(event(mail, 'complained'))
  expect(await optedOut(mail)).toBeNull()
})

test('a bounce is kept with the mail and counts nowhere', async () => {
  const mail = await seedMail(console.deps.pool, action)
  await post(event(mail, 'bounced'))
  expect(await mailRow(mail)).toMatchObject({ status: 'sent', bounced: Date.parse(AT) * 1_000, delivered: null })
  expect(await stats()).toMatchObject({ sent_count: 1, delivered_count: 0 })
  expect(await optedOut(mail)).toBeNull()
})

test('opens and clicks of a mail that was sent untracked are not kept', async () => {
  const mail = await seedMail(console.deps.pool, action, { tracksOpens: false, tracksClicks: false })
  const reply = await post([event(mail, 'opened'), event(mail, 'clicked'), event(mail, 'delivered')])
  expect(reply.body.payload.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'not_tracked',
    'not_tracked',
    'recorded',
  ])
  expect(await stats()).toMatchObject({ opened_count: 0, opened_rate: null, clicked_rate: null, delivered_count: 1 })
})

test.each(['sending', 'unknown', 'deferred', 'failed'] as const)(
  'a mail that arrived was sent, though its record says %s: counted once, also when the worker writes it down afterwards',
  async (status) => {
    const mail = await seedMail(console.deps.pool, action, { status })
    await post(event(mail, 'opened'))
    await markSent(console.deps.pool, { id: mail.id, revisionId: action.revisionId }, 1 as Micros)
    expect(await mailRow(mail)).toMatchObject({ status: 'sent', sent: true })
    expect(await stats()).toMatchObject({ sent_count: 1, opened_count: 1, opened_rate: 100 })
  },
)

test('a bounce of a mail that the mail server refused does not make it a sent one', async () => {
  const mail = await seedMail(console.deps.pool, action, { status: 'failed' })
  await post(event(mail, 'bounced'))
  expect(await mailRow(mail)).toMatchObject({ status: 'failed', sent: false })
})

/** Runs `work` while another transaction holds what it has done; ends that transaction once `work` waits for it. */
async function beside(
  held: string,
  values: unknown[],
  work: () => Promise<unknown>,
  whileWaiting: () => Promise<void>,
) {
  const other = await console.deps.pool.connect()
  try {
    await other.query('BEGIN')
    await other.query(held, values)
    const pending = work()
    await waitFor('the recording to wait', async () => {
      const { rows } = await console.deps.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    })
    await whileWaiting()
    await other.query('COMMIT')
    await pending
  } finally {
    await other.query('ROLLBACK')
    other.release()
  }
}

test('whoever waits for a revision holds no mail of it: workers take revisions first as well', async () => {
  const { pool } = console.deps
  const mail = await seedMail(pool, action)
  await beside(
    'SELECT FROM automation_action_revisions WHERE id = $1 FOR NO KEY UPDATE',
    [action.revisionId],
    () => post(event(mail, 'opened')),
    async () => {
      const free = 'SELECT FROM automation_emails WHERE id = $1 FOR NO KEY UPDATE NOWAIT'
      await expect(pool.query(free, [mail.id])).resolves.toMatchObject({ rowCount: 1 })
    },
  )
  expect(await stats()).toMatchObject({ opened_count: 1 })
})

test('what another has written of a mail meanwhile is seen: it is counted once', async () => {
  const mail = await seedMail(console.deps.pool, action)
  await beside(
    'UPDATE automation_emails SET opened_at = $2 WHERE id = $1',
    [mail.id, '2026-09-01T09:59:00Z'],
    () => post(event(mail, 'opened')),
    async () => undefined,
  )
  expect(await stats()).toMatchObject({ opened_count: 0 })
  expect((await mailRow(mail)).opened).toBe(Date.parse('2026-09-01T09:59:00Z') * 1_000)
})

test('workers that write sends down, reports and deletions of members do not hinder each other', async () => {
  const { pool } = console.deps
  const edited = await seedRevision(pool, action)
  const mails: SeededMail[] = []
  for (let index = 0; index < 30; index += 1)
    mails.push(await seedMail(pool, index % 2 === 0 ? action : edited, { status: 'sending' }))
  const revisionOf = (index: number) => (index % 2 === 0 ? action : edited).revisionId
  const told = (type: string, from: readonly SeededMail[]) => post(from.map((mail) => event(mail, type)))
  const backwards = mails.toReversed()
  const [opened, complained, delivered] = await Promise.all([
    told('opened', mails),
    told('complained', backwards),
    told('delivered', backwards),
    ...mails.map(({ id }, index) => markSent(pool, { id, revisionId: revisionOf(index) }, 1 as Micros)),
    ...[0, 10, 20].map((start) =>
      takeBatch(
        pool,
        new RuleBooks(),
        mails
          .slice(start, start + 10)
          .map(({ memberId: id }) =>
            parsed(memberEvent('member_deleted', { account_id: account, at: AT, member: { id } })),
          ),
        1 as Micros,
      ),
    ),
  ])
  for (const reply of [opened, complained, delivered]) expect(reply.body.payload.recorded).toBe(30)
  expect(await stats()).toMatchObject({ sent_count: 30, opened_count: 30, delivered_count: 30, opened_rate: 100 })
}, 60_000)

test('any order, repetition and grouping of the same events gives the same statistics, also at once', async () => {
  const { pool } = console.deps
  const kinds = ['delivered', 'opened', 'clicked', 'bounced', 'complained'] as const
  const one = fc.record({
    mail: fc.nat(3),
    type: fc.constantFrom(...kinds),
    second: fc.nat(4),
    url: fc.constantFrom('https://x.example/a', 'https://x.example/b'),
  })
  const history = fc.array(one, { minLength: 1, maxLength: 12 }).chain((events) =>
    fc.record({
      events: fc.constant(events),
      // Every event at least once, some twice, in another order, in requests of other sizes.
      told: fc
        .subarray(events, { minLength: 0 })
        .chain((again) => fc.shuffledSubarray([...events, ...again], { minLength: events.length + again.length })),
      size: fc.integer({ min: 1, max: 5 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(history, async ({ events, told, size }) => {
      const sides = await Promise.all([0, 1].map(() => scene()))
      const [plain, mixed] = sides as [Scene, Scene]
      await recordEmailEvents(
        pool,
        account,
        events.map((input) => plain.event(input)),
      )
      const groups: EmailEvent[][] = []
      for (let at = 0; at < told.length; at += size)
        groups.push(told.slice(at, at + size).map((input) => mixed.event(input)))
      await Promise.all(groups.map((group) => recordEmailEvents(pool, account, group)))
      expect(await mixed.state()).toEqual(await plain.state())
    }),
    { numRuns: 25 },
  )
}, 120_000)

interface Scene {
  event(input: { mail: number; type: EmailEvent['type']; second: number; url: string }): EmailEvent
  state(): Promise<unknown>
}

/** Two e-mails of two revisions each, to members of its own; the last mail's outcome is not known. */
async function scene(): Promise<Scene> {
  const { pool } = console.deps
  const first = await seedEmailAction(pool, account)
  const revisions = [first, await seedRevision(pool, first)] as const
  const mails: SeededMail[] = []
  for (const index of [0, 1, 2, 3])
    mails.push(await seedMail(pool, revisions[index % 2 === 0 ? 0 : 1], { status: index === 3 ? 'unknown' : 'sent' }))
  return {
    event: ({ mail, type, second, url }) => ({
      mail: { messageId: mails[mail]?.messageId ?? '' },
      type,
      at: (Date.parse(AT) * 1_000 + second) as Micros,
      url: type === 'clicked' ? url : '',
    }),
    async state() {
      const members = await pool.query(
        `SELECT dwell_micros(opted_out_at) AS out FROM members WHERE account_id = $1 AND id = ANY($2) ORDER BY array_position($2, id)`,
        [account, mails.map(({ memberId }) => memberId)],
      )
      const rows = await Promise.all(mails.map(mailRow))
      const kept = await pool.query(
        `SELECT array_position($1::uuid[], email_id) AS mail, type, url, dwell_micros(occurred_at) AS at
         FROM automation_email_events WHERE email_id = ANY($1) ORDER BY 1, 2, 3, 4`,
        [mails.map(({ id }) => id)],
      )
      return { stats: await stats(first), rows, kept: kept.rows, members: members.rows }
    },
  }
}
