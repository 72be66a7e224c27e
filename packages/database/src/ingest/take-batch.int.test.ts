import type { InboundEventInput } from '@dwell/contracts/events'
import type { Condition } from '@dwell/contracts/rule'
import { contactEvent, conversationEvent, messageCreated, parsed } from '@dwell/testing/event-builder'
import { instant } from '@dwell/testing/fixed-clock'
import { seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import type { Pool } from 'pg'
import { createPool, inTransaction } from '../pool'
import { RuleBooks } from '../rule-books'
import { lockPendingExecutions, writePendingExecutions } from './pending-executions'
import { takeBatch } from './take-batch'

const NOW = instant('2026-09-01T12:00:00Z')
const at = (time: string) => `2026-09-01T${time}:00.000000Z`

const is = (attribute_key: string, ...values: unknown[]): Condition => ({
  attribute_key,
  filter_operator: 'equal_to',
  values,
  query_operator: null,
})
const CHASE = {
  event_name: 'message_created',
  conditions: [is('message_type', 'outgoing')],
  execution_delay: 60,
} as const

const stores = useStores()
let pool: Pool
let account: number
let books: RuleBooks

beforeAll(() => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 8, applicationName: 'test' })
  stores.closeBefore(() => pool.end())
})

beforeEach(async () => {
  account = await seedAccount(pool)
  books = new RuleBooks()
})

const take = (...events: InboundEventInput[]) =>
  takeBatch(
    pool,
    books,
    events.map((event) => parsed({ ...event, account_id: account })),
    NOW,
  )

const rows = () => seenExecutions(pool, account)

const pending = (time: string, rest: object = {}) =>
  conversationEvent('conversation_updated', {
    at: at(time),
    conversation: { status: 'pending', created_at: at('08:00') },
    ...rest,
  })
const outgoing = (time: string, id: number, rest: object = {}) =>
  messageCreated({ at: at(time), message: { id, message_type: 'outgoing', content: `text of ${id}` }, ...rest })
const incoming = (time: string, id: number) => messageCreated({ at: at(time), message: { id } })

async function facts(table: 'conversations' | 'contacts' | 'messages', id: number): Promise<Record<string, unknown>> {
  const { rows } = await pool.query(`SELECT * FROM ${table} WHERE account_id = $1 AND id = $2`, [account, id])
  return rows[0] ?? {}
}

describe('a batch', () => {
  test('leaves the facts, the row and the mark of its event', async () => {
    const rule = await seedRule(pool, account)
    const event = pending('10:00', { contact: { id: 9, name: 'Ada', email: null }, traceparent: '00-aa-bb-01' })
    expect(await take(event)).toEqual({
      outcomes: ['taken'],
      changes: { armed: 1 },
      runsBegun: 0,
      immediateIds: [],
      earliestDue: instant(at('11:00')),
    })
    expect(await rows()).toEqual([
      {
        rule,
        conversation: 101,
        state: 'pending',
        key: `status:${instant(at('10:00'))}`,
        due: at('11:00'),
        message: null,
      },
    ])
    expect(await facts('conversations', 101)).toMatchObject({
      status: 'pending',
      status_changed_at: '2026-09-01 10:00:00+00',
      inbox_id: 5,
      labels: [],
      can_reply: true,
      contact_id: 9,
      revision: 1,
      fact_times: { at: instant(at('10:00')) },
    })
    expect(await facts('contacts', 9)).toMatchObject({ name: 'Ada', email: null, revision: 1 })
    const { rows: executions } = await pool.query(
      `SELECT traceparent, created_at, armed_at FROM automation_rule_pending_executions WHERE account_id = $1`,
      [account],
    )
    expect(executions).toEqual([
      { traceparent: '00-aa-bb-01', created_at: '2026-09-01 12:00:00+00', armed_at: '2026-09-01 10:00:00+00' },
    ])
  })

  test('keeps every microsecond of a key and of the time it waits until', async () => {
    await seedRule(pool, account)
    await take(
      conversationEvent('conversation_updated', {
        at: '2026-09-01T10:00:00.123457Z',
        conversation: { status: 'pending', status_changed_at: '2026-09-01T10:00:00.123456Z' },
      }),
    )
    expect(await rows()).toMatchObject([{ key: 'status:1788256800123456', due: '2026-09-01T11:00:00.123456Z' }])
  })

  test('keeps texts and attributes of any kind as they are', async () => {
    await seedRule(pool, account)
    const attributes = { quote: '"\\\'', list: [1, { a: null }], ключ: '🐢 \n\t', __proto__x: 1e21, empty: '' }
    await take(
      pending('10:00', {
        conversation: { custom_attributes: attributes, labels: ['a "b"', 'c\\d', '{e,f}'] },
        contact: { id: 9, name: 'O’Hara\\', additional_attributes: attributes },
      }),
    )
    expect(await facts('conversations', 101)).toMatchObject({
      custom_attributes: attributes,
      labels: ['a "b"', 'c\\d', '{e,f}'],
    })
    expect(await facts('contacts', 9)).toMatchObject({ name: 'O’Hara\\', additional_attributes: attributes })
  })

  test('that is delivered again changes nothing', async () => {
    await seedRule(pool, account)
    await seedRule(pool, account, CHASE)
    const events = [pending('10:00'), incoming('10:05', 501), outgoing('10:10', 502)]
    await take(...events)
    const before = [await rows(), await facts('conversations', 101), await facts('messages', 502)]
    expect(await take(...events)).toEqual({
      outcomes: ['duplicate', 'duplicate', 'duplicate'],
      changes: {},
      immediateIds: [],
      runsBegun: 0,
      earliestDue: null,
    })
    expect([await rows(), await facts('conversations', 101), await facts('messages', 502)]).toEqual(before)
  })

  test('takes the copies of an event in it once', async () => {
    await seedRule(pool, account)
    const event = pending('10:00')
    expect((await take(event, event, pending('10:20'), event)).outcomes).toEqual([
      'taken',
      'duplicate',
      'taken',
      'duplicate',
    ])
    expect(await facts('conversations', 101)).toMatchObject({ revision: 2 })
  })

  test('that fails leaves nothing behind, not even the mark of its events', async () => {
    await seedRule(pool, account)
    await pool.query(
      `ALTER TABLE automation_rule_pending_executions ADD CONSTRAINT no_102 CHECK (conversation_id <> 102) NOT VALID`,
    )
    const good = pending('10:00')
    try {
      await expect(
        take(good, pending('10:00', { conversation: { id: 102, status: 'pending' } })),
      ).rejects.toMatchObject({
        code: '23514',
      })
    } finally {
      await pool.query(`ALTER TABLE automation_rule_pending_executions DROP CONSTRAINT no_102`)
    }
    expect(await facts('conversations', 101)).toEqual({})
    expect((await take(good)).outcomes).toEqual(['taken'])
  })
})

describe('accounts', () => {
  test('an unknown one is named, and nothing is made of it', async () => {
    const unknown = parsed({ ...pending('10:00'), account_id: 987_654_321 })
    expect((await takeBatch(pool, books, [unknown], NOW)).outcomes).toEqual(['unknown_account'])
    const { rows } = await pool.query('SELECT FROM accounts WHERE id = 987654321')
    expect(rows).toHaveLength(0)
  })

  test('one without any rule costs nothing; one with an inactive rule is learnt about', async () => {
    expect((await take(pending('10:00'))).outcomes).toEqual(['ignored'])
    expect(await facts('conversations', 101)).toEqual({})
    await seedRule(pool, account, { active: false })
    expect((await take(pending('10:10'))).outcomes).toEqual(['taken'])
    expect(await facts('conversations', 101)).toMatchObject({ status: 'pending' })
    expect(await rows()).toEqual([])
  })

  test('an edit of the rules holds from the next event on', async () => {
    const rule = await seedRule(pool, account)
    await take(pending('10:00'))
    await edit(`UPDATE automation_rules SET execution_delay = 240 WHERE id = ${rule}`)
    await take(pending('10:20', { conversation: { id: 102, status: 'pending' } }))
    await edit(`UPDATE automation_rules SET deleted_at = now() WHERE id = ${rule}`)
    await take(pending('10:30', { conversation: { id: 103, status: 'pending' } }))
    expect(await rows()).toMatchObject([
      { conversation: 101, due: at('11:00') },
      { conversation: 102, due: at('14:20') },
    ])
  })

  test('a batch that an edit overtakes is judged by the edited rules', async () => {
    const rule = await seedRule(pool, account)
    await take(pending('09:00', { conversation: { id: 100, status: 'open' } }))
    // Holds the batch up in its middle, after it has read the rules.
    const blocker = await pool.connect()
    await blocker.query('BEGIN')
    await blocker.query(`SELECT FROM conversations WHERE account_id = $1 AND id = 100 FOR UPDATE`, [account])
    const batch = take(pending('10:00', { conversation: { id: 100, status: 'pending' } }))
    await untilSomebodyWaits()
    await edit(`UPDATE automation_rules SET execution_delay = 240 WHERE id = ${rule}`)
    await blocker.query('COMMIT')
    blocker.release()
    expect((await batch).outcomes).toEqual(['taken'])
    expect(await rows()).toMatchObject([{ due: at('14:00') }])
  })

  test('an edit finds the rows of every batch that was judged before it', async () => {
    const rule = await seedRule(pool, account)
    const batch = take(pending('10:00'))
    await inTransaction(pool, async (client) => {
      await client.query('UPDATE accounts SET rules_version = rules_version + 1 WHERE id = $1', [account])
      await client.query('UPDATE automation_rules SET active = false WHERE id = $1', [rule])
      await client.query(
        `UPDATE automation_rule_pending_executions SET status = 'skipped', skip_reason = 'rule_inactive', finished_at = now()
         WHERE automation_rule_id = $1`,
        [rule],
      )
    })
    await batch
    // Before the edit and skipped by it, or after it and never armed: nothing waits on a rule that is off.
    expect((await rows()).filter(({ state }) => state === 'pending')).toEqual([])
  })

  test('a rule of another account never sees the event', async () => {
    const other = await seedAccount(pool)
    await seedRule(pool, other)
    await seedRule(pool, account, { active: false })
    await take(pending('10:00'))
    expect(await seenExecutions(pool, other)).toEqual([])
  })

  async function edit(sql: string): Promise<void> {
    await inTransaction(pool, async (client) => {
      await client.query('UPDATE accounts SET rules_version = rules_version + 1 WHERE id = $1', [account])
      await client.query(sql)
    })
  }

  async function untilSomebodyWaits(): Promise<void> {
    for (;;) {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      if (rows.length > 0) return
    }
  }
})

describe('rows', () => {
  test('a customer wait starts again from every newer agent message', async () => {
    await seedRule(pool, account, CHASE)
    await take(incoming('09:50', 500), outgoing('10:00', 501))
    expect((await take(outgoing('10:10', 502), outgoing('10:12', 503))).changes).toEqual({ advanced: 1 })
    expect(await rows()).toMatchObject([{ state: 'pending', key: 'reply_chase:500', due: at('11:12'), message: 503 }])
    expect(await facts('messages', 503)).toMatchObject({ content: 'text of 503', message_type: 'outgoing' })
    expect(await facts('messages', 502)).toEqual({})
  })

  test('a newer message takes the row out of a worker’s hands: its claim is gone', async () => {
    await seedRule(pool, account, CHASE)
    await take(outgoing('10:00', 501))
    await pool.query(
      `UPDATE automation_rule_pending_executions
       SET status = 'processing', claim_token = gen_random_uuid(), claimed_at = now() WHERE account_id = $1`,
      [account],
    )
    expect(await take(outgoing('11:01', 502))).toMatchObject({
      changes: { superseded: 1 },
      earliestDue: instant(at('12:01')),
    })
    const { rows: claims } = await pool.query(
      `SELECT status, claim_token, claimed_at FROM automation_rule_pending_executions WHERE account_id = $1`,
      [account],
    )
    expect(claims).toEqual([{ status: 'pending', claim_token: null, claimed_at: null }])
  })

  test('an agent wait that a worker holds tracks the newer message and keeps the claim', async () => {
    await seedRule(pool, account, { ...CHASE, conditions: [is('message_type', 'incoming')] })
    await take(incoming('10:00', 601))
    await pool.query(
      `UPDATE automation_rule_pending_executions
       SET status = 'processing', claim_token = gen_random_uuid(), claimed_at = now() WHERE account_id = $1`,
      [account],
    )
    const waiting = { waiting_since: at('10:00') }
    await take(messageCreated({ at: at('10:15'), message: { id: 602 }, conversation: waiting }))
    const { rows: claims } = await pool.query(
      `SELECT status, claim_token IS NOT NULL AS claimed, message_id, dwell_micros(due_at) AS due
       FROM automation_rule_pending_executions WHERE account_id = $1`,
      [account],
    )
    expect(claims).toEqual([{ status: 'processing', claimed: true, message_id: 602, due: instant(at('11:00')) }])
  })

  test('a skipped row is armed again without a trace of why it was skipped', async () => {
    await seedRule(pool, account)
    await take(pending('10:00'))
    await pool.query(
      `UPDATE automation_rule_pending_executions
       SET status = 'skipped', skip_reason = 'expired', finished_at = now(), guard_outcome = '[]' WHERE account_id = $1`,
      [account],
    )
    const held = { status: 'pending', status_changed_at: at('10:00') } as const
    expect(
      (await take(conversationEvent('conversation_updated', { at: at('10:30'), conversation: held }))).changes,
    ).toEqual({
      rearmed: 1,
    })
    const { rows: after } = await pool.query(
      `SELECT status, skip_reason, finished_at, guard_outcome FROM automation_rule_pending_executions WHERE account_id = $1`,
      [account],
    )
    expect(after).toEqual([{ status: 'pending', skip_reason: null, finished_at: null, guard_outcome: null }])
  })

  test('an incoming message that comes late moves the row to its own silence', async () => {
    await seedRule(pool, account, CHASE)
    await take(outgoing('10:05', 502))
    expect(await rows()).toMatchObject([{ key: 'reply_chase:0', due: at('11:05') }])
    expect((await take(incoming('10:00', 501))).changes).toEqual({ moved: 1 })
    await take(outgoing('10:10', 503))
    expect(await rows()).toMatchObject([{ key: 'reply_chase:501', state: 'pending', due: at('11:10'), message: 503 }])
  })

  test('several rows of a conversation move in one batch', async () => {
    await seedRule(pool, account, CHASE)
    await take(outgoing('10:05', 502), incoming('10:20', 510), outgoing('10:25', 511))
    // 502 belongs to 501, 511 to 515; told late and at once.
    expect((await take(incoming('10:00', 501), incoming('10:22', 515))).changes).toEqual({ moved: 2 })
    expect(await rows()).toMatchObject([
      { key: 'reply_chase:501', message: 502 },
      { key: 'reply_chase:515', message: 511 },
    ])
  })

  test('rows may trade keys', async () => {
    const rule = await seedRule(pool, account, CHASE)
    await take(outgoing('10:05', 502), incoming('10:20', 510), outgoing('10:25', 511))
    await inTransaction(pool, async (client) => {
      const wanted = { keys: [], conversations: [{ accountId: account, conversationId: 101 }] }
      const [first, second] = await lockPendingExecutions(client, wanted)
      if (first === undefined || second === undefined) throw new Error('two rows were armed')
      const traded = [
        { before: first, row: { ...first, episodeKey: second.episodeKey } },
        { before: second, row: { ...second, episodeKey: first.episodeKey } },
      ]
      await writePendingExecutions(client, traded, NOW)
    })
    expect(await rows()).toMatchObject([
      { rule, key: 'reply_chase:510', message: 502 },
      { rule, key: 'reply_chase:0', message: 511 },
    ])
  })

  test('a row whose silence has one already ends episode_moved', async () => {
    const rule = await seedRule(pool, account, CHASE)
    await take(outgoing('10:05', 502))
    await pool.query(
      `INSERT INTO automation_rule_pending_executions (account_id, automation_rule_id, conversation_id, message_id,
         message_created_at, due_at, episode_key, status, armed_at, created_at, updated_at)
       VALUES ($1, $2, 101, 503, $3, $3, 'reply_chase:501', 'pending', $3, $3, $3)`,
      [account, rule, at('10:06')],
    )
    await take(incoming('10:00', 501))
    expect(await rows()).toMatchObject([
      { key: 'reply_chase:0', state: 'skipped:episode_moved' },
      { key: 'reply_chase:501', state: 'pending' },
    ])
  })

  test('an immediate rule leaves one row per event, whose id is answered', async () => {
    await seedRule(pool, account, { execution_delay: null })
    const event = pending('10:00', { id: 'evt "1"' })
    const batch = await take(event, pending('10:10'))
    expect(batch).toMatchObject({ changes: { armed: 2 }, earliestDue: null })
    const { rows: stored } = await pool.query(
      `SELECT id FROM automation_rule_pending_executions WHERE account_id = $1 ORDER BY id`,
      [account],
    )
    expect([...batch.immediateIds].sort()).toEqual(stored.map(({ id }) => id))
    expect((await rows()).map(({ key }) => key)).toContain('event:evt "1"')
  })

  test('an immediate row outlives the mark of its event: it does not act again', async () => {
    await seedRule(pool, account, { execution_delay: null })
    const event = pending('10:00')
    await take(event)
    await pool.query('DELETE FROM taken_events WHERE account_id = $1', [account])
    expect(await take(event)).toMatchObject({ outcomes: ['taken'], changes: {}, immediateIds: [] })
    expect(await rows()).toHaveLength(1)
  })
})

describe('messages', () => {
  test('an edit that comes before the message is not forgotten, and a deletion stays one', async () => {
    await seedRule(pool, account, CHASE)
    const conversation = { id: 101 }
    const changed = {
      ...outgoing('10:30', 501),
      event: 'message_updated',
      conversation,
      message: { id: 501, content: 'new' },
    }
    const deleted = { ...outgoing('10:40', 501), event: 'message_deleted', conversation, message: { id: 501 } }
    await take({ ...changed, id: 'c' } as never)
    await take(outgoing('10:00', 501))
    await take({ ...deleted, id: 'd' } as never)
    expect(await facts('messages', 501)).toMatchObject({
      content: 'new',
      message_type: 'outgoing',
      created_at: '2026-09-01 10:00:00+00',
      deleted_at: '2026-09-01 10:40:00+00',
    })
  })

  test('one on which nothing is anchored is not stored', async () => {
    await seedRule(pool, account, CHASE)
    await take(incoming('10:00', 501))
    expect(await facts('messages', 501)).toEqual({})
  })
})

describe('contacts', () => {
  test('one known from before counts for a conversation event that does not carry it', async () => {
    await seedRule(pool, account, { conditions: [is('email', 'ada@example.com')] })
    await take(
      { ...contactEvent('contact_updated', { at: at('09:00') }) },
      pending('09:30', { contact: { id: 9 }, performed_by: { type: 'automation_rule', id: 1 } }),
    )
    expect(await rows()).toEqual([])
    await take(pending('10:00'))
    expect(await rows()).toHaveLength(1)
  })
})

describe('several consumers at once', () => {
  test('leave the same facts and rows as one that takes everything in order', async () => {
    await seedRule(pool, account)
    await seedRule(pool, account, CHASE)
    const history: InboundEventInput[] = []
    for (let minute = 0; minute < 40; minute += 1) {
      for (let conversation = 1; conversation <= 8; conversation += 1) {
        const time = `10:${String(minute).padStart(2, '0')}`
        const id = conversation * 1_000 + minute
        const event =
          minute % 4 === 0
            ? pending(time, { conversation: { id: conversation, status: 'pending', status_changed_at: at('10:00') } })
            : minute % 4 === 1
              ? messageCreated({ at: at(time), conversation: { id: conversation }, message: { id } })
              : outgoing(time, id, { conversation: { id: conversation } })
        history.push({ ...event, contact: { id: 1 + (conversation % 3), name: `seen ${time}` } })
      }
    }
    // Each batch has events of all conversations and contacts; neighbours are taken by different consumers.
    const batches: InboundEventInput[][] = []
    for (let i = 0; i < history.length; i += 16) batches.push(history.slice(i, i + 16))
    let next = 0
    const consumer = async () => {
      const own = new RuleBooks()
      for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
        await takeBatch(
          pool,
          own,
          batch.toReversed().map((event) => parsed({ ...event, account_id: account })),
          NOW,
        )
      }
    }
    await Promise.all([consumer(), consumer(), consumer(), consumer()])
    const together = await everything()

    const alone = await seedAccount(pool)
    const { rows: rules } = await pool.query(
      `INSERT INTO automation_rules (account_id, name, event_name, conditions, actions, execution_delay)
       SELECT $1, name, event_name, conditions, actions, execution_delay FROM automation_rules WHERE account_id = $2
       ORDER BY id RETURNING id`,
      [alone, account],
    )
    expect(rules).toHaveLength(2)
    account = alone
    for (const event of history) await take(event)
    expect(together).toEqual(await everything())
  }, 30_000)

  async function everything() {
    const conversations = await pool.query(
      `SELECT id, status, recent_incoming, fact_times, revision FROM conversations WHERE account_id = $1 ORDER BY id`,
      [account],
    )
    const contacts = await pool.query(
      `SELECT id, name, fact_times, revision FROM contacts WHERE account_id = $1 ORDER BY id`,
      [account],
    )
    // Which silence had a row while it lasted depends on when its messages were told; the last one always has.
    const executions = await pool.query(
      `SELECT DISTINCT ON (conversation_id, r.event_name) conversation_id, r.event_name, episode_key, e.status, due_at, message_id
       FROM automation_rule_pending_executions e JOIN automation_rules r ON r.id = e.automation_rule_id
       WHERE e.account_id = $1 ORDER BY conversation_id, r.event_name, due_at DESC`,
      [account],
    )
    return [conversations.rows, contacts.rows, executions.rows]
  }
})
