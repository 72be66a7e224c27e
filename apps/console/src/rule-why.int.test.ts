import { useStores } from '@dwell/testing/stores'
import { insertRow } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

async function setUp(body: object = {}) {
  const account = await console.createAccount()
  const path = `/accounts/${account}`
  const rule = (await console.call('POST', `${path}/automation_rules`, ruleBody(body))).body.payload.id
  const why = async (query = '') =>
    (await console.call('GET', `${path}/automation_rules/${rule}/why?conversation_id=1${query}`)).body.payload
  const conversation = (status: string, since: string) =>
    console.deps.pool.query(
      `INSERT INTO conversations (account_id, id, status, status_changed_at, recent_incoming, revision)
       VALUES ($1, 1, $2, $3, '[[1788256700000000,500]]', 1)
       ON CONFLICT (account_id, id) DO UPDATE SET status = $2, status_changed_at = $3`,
      [account, status, since],
    )
  const row = (fields: object = {}) =>
    insertRow(console.deps.pool, { accountId: account, ruleId: rule, conversationId: 1, ...fields })
  return { account, path, rule, why, conversation, row }
}

const failing = (answer: { steps: { step: string; passed: boolean }[] }) =>
  answer.steps.filter(({ passed }) => !passed).map(({ step }) => step)
const SINCE = '2026-09-01T10:00:00Z'
const PRESENT = 'status:1788256800000000'

describe('why a rule did not act on a conversation', () => {
  test('a row that waits: every step passes, with what it saw', async () => {
    const { why, conversation, row } = await setUp()
    await conversation('pending', SINCE)
    const id = await row()
    await console.setClock('2026-09-01T10:30:00Z')
    const answer = await why()
    expect(answer).toMatchObject({
      outcome: 'waits',
      execution_id: id,
      judged_at: '2026-09-01T10:30:00.000000Z',
      episode: { key: PRESENT, due_at: '2026-09-01T11:00:00.123456Z' },
      conditions: [{ attribute_key: 'status', values: ['pending'], seen: 'pending', result: true, group: 0 }],
      executions: [{ id, status: 'pending' }],
    })
    expect(answer.sentence).toContain('2026-09-01T11:00:00.123456Z')
    expect(failing(answer)).toEqual([])
    expect(answer.steps.map(({ step, seen }: { step: string; seen: object }) => [step, seen])).toEqual([
      ['kill_switch', { DISABLE_DELAYED_AUTOMATIONS: false }],
      ['rule', { known: true, active: true, event_name: 'conversation_updated', execution_delay: 60, broken: false }],
      ['flag', { delayed_automations: true, when_disabled: 'skip' }],
      ['conversation', { known: true, deleted_at: null }],
      ['episode', { row: PRESENT, now: PRESENT }],
      ['conditions', { message: null, results: [true] }],
    ])
  })

  test('no row: says which key an event would arm, since when, and that nothing has armed it', async () => {
    const { why, conversation } = await setUp()
    await conversation('pending', SINCE)
    expect(await why()).toMatchObject({
      outcome: 'not_armed',
      execution_id: null,
      sentence: expect.stringContaining('no event has armed'),
      episode: { key: PRESENT, clock_starts_at: '2026-09-01T10:00:00.000000Z', due_at: '2026-09-01T11:00:00.000000Z' },
    })
  })

  test('several obstacles: each is named, the verdict names the first', async () => {
    const { account, why, conversation, row } = await setUp()
    await conversation('open', '2026-09-01T10:20:00Z')
    await row()
    await console.deps.pool.query(`UPDATE accounts SET features = '{}' WHERE id = $1`, [account])
    const answer = await why()
    expect(failing(answer)).toEqual(['flag', 'episode', 'conditions'])
    expect(answer).toMatchObject({ outcome: 'would_skip', conditions: [{ seen: 'open', result: false }] })
    expect(answer.sentence).toContain('feature delayed automations is off')
  })

  test.each([
    ['skipped in this stretch', { status: 'skipped', skipReason: 'expired' }, 'skipped', 'three days'],
    ['executed in this stretch', { status: 'executed' }, 'executed', 'did fire'],
    ['due', { dueAt: '2026-09-01T09:00:00Z' }, 'due', 'next sweep'],
    [
      'skipped in an earlier stretch',
      { status: 'skipped', skipReason: 'episode_moved', episodeKey: 'status:1' },
      'not_armed',
      'had ended',
    ],
  ])('a row that was %s', async (_name, fields, outcome, words) => {
    const { why, conversation, row } = await setUp()
    await conversation('pending', SINCE)
    await row(fields)
    await console.setClock('2026-09-01T10:30:00Z')
    expect(await why()).toMatchObject({ outcome, sentence: expect.stringContaining(words) })
  })

  test('a conversation that no event has told of, a rule that is off', async () => {
    const { path, rule, why } = await setUp()
    expect(failing(await why())).toEqual(['conversation', 'episode', 'conditions'])
    await console.call('PATCH', `${path}/automation_rules/${rule}`, { active: false })
    expect(failing(await why())).toContain('rule')
  })

  test('an immediate rule: the facts of now are judged, flag and kill switch do not matter', async () => {
    const { account, why, conversation } = await setUp({ execution_delay: null })
    await console.deps.pool.query(`UPDATE accounts SET features = '{}' WHERE id = $1`, [account])
    await conversation('open', SINCE)
    expect(failing(await why())).toEqual(['conditions'])
    await conversation('pending', SINCE)
    expect(await why()).toMatchObject({
      outcome: 'not_armed',
      sentence: expect.stringContaining('no event has matched'),
    })
  })

  test('a message rule: judges the message that is asked for', async () => {
    const { account, why, conversation } = await setUp({
      event_name: 'message_created',
      conditions: [{ attribute_key: 'content', filter_operator: 'contains', values: ['bill'], query_operator: null }],
    })
    await conversation('open', SINCE)
    await console.deps.pool.query(
      `INSERT INTO messages (account_id, conversation_id, id, message_type, private, content, created_at, stored_at)
       VALUES ($1, 1, 501, 'outgoing', false, 'the bill', '2026-09-01T10:00:01Z', now()),
              ($1, 1, 502, 'outgoing', false, 'hello', '2026-09-01T10:00:02Z', now())`,
      [account],
    )
    expect(await why()).toMatchObject({ message_id: 502, conditions: [{ seen: 'hello', result: false }] })
    const asked = await why('&message_id=501')
    expect(asked).toMatchObject({ message_id: 501, conditions: [{ seen: 'the bill', result: true }] })
    expect(asked.episode).toMatchObject({ key: 'reply_chase:500', clock_starts_at: '2026-09-01T10:00:01.000000Z' })
  })

  test('without a conversation it refuses', async () => {
    const { path, rule } = await setUp()
    const reply = await console.call('GET', `${path}/automation_rules/${rule}/why`)
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/conversation_id' }] } })
  })
})
