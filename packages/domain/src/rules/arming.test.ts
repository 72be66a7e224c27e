import type { Micros } from '@dwell/contracts/instant'
import { SKIP_REASONS } from '@dwell/contracts/pending-execution'
import { type ArmIntent, arm, type MoveIntent, move } from './arming'
import type { PendingExecution } from './pending-execution'

const µs = (value: number) => value as Micros
const place = (createdAt: number, id: number) => ({ createdAt: µs(createdAt), id })

const intent = (overrides: Partial<ArmIntent> = {}): ArmIntent => ({
  kind: 'arm',
  accountId: 1,
  ruleId: 7,
  conversationId: 101,
  episodeKey: 'status:100',
  dueAt: µs(160),
  anchor: null,
  occurredAt: µs(100),
  traceparent: null,
  ...overrides,
})

const row = (overrides: Partial<PendingExecution> = {}): PendingExecution => ({
  id: 1,
  accountId: 1,
  ruleId: 7,
  conversationId: 101,
  episodeKey: 'status:100',
  status: 'pending',
  skipReason: null,
  dueAt: µs(160),
  anchor: null,
  armedAt: µs(100),
  traceparent: null,
  ...overrides,
})

describe('a match of an episode that has no row', () => {
  test('makes a pending one', () => {
    expect(arm(null, intent())).toEqual({ ...row(), id: null })
  })
})

describe('a status wait', () => {
  test('keeps its clock while the status is held', () => {
    expect(arm(row(), intent({ occurredAt: µs(120), dueAt: µs(180) }))).toBeNull()
    expect(arm(row(), intent({ occurredAt: µs(120), dueAt: µs(160) }))).toBeNull()
  })

  test('is brought forward by a late first match, once it waits', () => {
    expect(arm(row({ armedAt: µs(140), dueAt: µs(200) }), intent({ occurredAt: µs(120), dueAt: µs(180) }))?.dueAt).toBe(
      180,
    )
    expect(
      arm(
        row({ armedAt: µs(140), dueAt: µs(200), status: 'processing' }),
        intent({ occurredAt: µs(120), dueAt: µs(180) }),
      ),
    ).toBeNull()
  })

  test('is brought forward by nothing but an earlier event with an earlier start', () => {
    const waiting = row({ armedAt: µs(140), dueAt: µs(200) })
    expect(arm(waiting, intent({ occurredAt: µs(150), dueAt: µs(180) }))).toBeNull()
    expect(arm(waiting, intent({ occurredAt: µs(140), dueAt: µs(180) }))).toBeNull()
    expect(arm(waiting, intent({ occurredAt: µs(120), dueAt: µs(200) }))).toBeNull()
  })

  test('is not put off by a late match', () => {
    expect(arm(row({ armedAt: µs(140), dueAt: µs(150) }), intent({ occurredAt: µs(120), dueAt: µs(180) }))).toBeNull()
  })
})

describe('an agent wait', () => {
  const waiting = row({ episodeKey: 'awaiting_agent:100', anchor: place(100, 601) })
  const match = (createdAt: number, id: number) =>
    intent({
      episodeKey: 'awaiting_agent:100',
      anchor: place(createdAt, id),
      occurredAt: µs(createdAt),
      dueAt: µs(160),
    })

  test('tracks a newer message without moving the clock, also in a worker’s hands', () => {
    expect(arm(waiting, match(110, 602))).toEqual({ ...waiting, anchor: place(110, 602) })
    expect(arm({ ...waiting, status: 'processing' }, match(110, 602))).toMatchObject({
      status: 'processing',
      anchor: place(110, 602),
      dueAt: 160,
    })
  })

  test('is not touched by the same or an older message', () => {
    expect(arm(waiting, match(100, 601))).toBeNull()
    expect(arm(waiting, match(90, 700))).toBeNull()
  })
})

describe('a customer wait', () => {
  const waiting = row({ episodeKey: 'reply_chase:500', anchor: place(100, 501) })
  const match = (createdAt: number, id: number) =>
    intent({
      episodeKey: 'reply_chase:500',
      anchor: place(createdAt, id),
      occurredAt: µs(createdAt),
      dueAt: µs(createdAt + 60),
    })

  test('starts again from every newer agent message', () => {
    expect(arm(waiting, match(110, 502))).toEqual({ ...waiting, anchor: place(110, 502), dueAt: 170, armedAt: 110 })
  })

  test('takes the row out of a worker’s hands: the claim is superseded', () => {
    expect(arm({ ...waiting, status: 'processing' }, match(110, 502))).toMatchObject({ status: 'pending', dueAt: 170 })
  })

  test('is ordered by creation, then id; ids alone say nothing', () => {
    expect(arm(waiting, match(90, 900))).toBeNull()
    expect(arm(waiting, match(100, 500))).toBeNull()
    expect(arm(waiting, match(100, 502))).not.toBeNull()
  })
})

describe('a terminal row', () => {
  test('that was executed is never armed again in its episode', () => {
    for (const episodeKey of ['status:100', 'awaiting_agent:100', 'reply_chase:0', 'event:e1']) {
      const executed = row({ episodeKey, status: 'executed', anchor: place(100, 501) })
      const newer = intent({ episodeKey, anchor: place(500, 900), occurredAt: µs(500), dueAt: µs(600) })
      expect(arm(executed, newer)).toBeNull()
    }
    expect(arm(row({ status: 'executed', armedAt: µs(140) }), intent({ dueAt: µs(110) }))).toBeNull()
  })

  test.each(SKIP_REASONS)('skipped with %s', (skipReason) => {
    const final = skipReason === 'episode_moved' || skipReason === 'conversation_gone'
    const skipped = row({ status: 'skipped', skipReason })
    expect(arm(skipped, intent({ occurredAt: µs(101), dueAt: µs(161) }))).toEqual(
      final ? null : row({ armedAt: µs(101), dueAt: µs(161) }),
    )
    expect(arm(skipped, intent({ occurredAt: µs(100), dueAt: µs(161) }))).toBeNull()
  })

  test('of an event is never armed again', () => {
    for (const change of [{ occurredAt: µs(900) }, { occurredAt: µs(50), dueAt: µs(50) }])
      expect(arm(row({ episodeKey: 'event:e1' }), intent({ episodeKey: 'event:e1', ...change }))).toBeNull()
  })
})

describe('an incoming message that comes late', () => {
  const late: MoveIntent = {
    kind: 'move',
    accountId: 1,
    conversationId: 101,
    incoming: place(100, 501),
    recentIncoming: [place(100, 501)],
  }
  const armed = row({ episodeKey: 'reply_chase:0', anchor: place(105, 502) })
  const moved = (rows: PendingExecution[]) => move(rows, late).map(({ to }) => to)

  test('says which row became which', () => {
    expect(move([row(), armed], late)).toEqual([{ from: armed, to: { ...armed, episodeKey: 'reply_chase:501' } }])
  })

  test('moves the row armed on the agent’s answer to its own silence, clock and anchor unchanged', () => {
    expect(moved([armed])).toEqual([{ ...armed, episodeKey: 'reply_chase:501' }])
  })

  test('moves an executed row too: the silence has had its message', () => {
    expect(moved([{ ...armed, status: 'executed' }])).toEqual([
      { ...armed, status: 'executed', episodeKey: 'reply_chase:501' },
    ])
  })

  test('leaves rows alone that are armed on older messages, moved for good, or of another kind', () => {
    expect(moved([{ ...armed, anchor: place(95, 499) }])).toEqual([])
    expect(moved([{ ...armed, status: 'skipped', skipReason: 'episode_moved' }])).toEqual([])
    expect(moved([row(), row({ episodeKey: 'awaiting_agent:105', anchor: place(105, 502) })])).toEqual([])
  })

  test('skips the row where the rule has one of that silence already', () => {
    const other = row({ id: 2, episodeKey: 'reply_chase:501', anchor: place(110, 503) })
    expect(moved([armed, other])).toEqual([{ ...armed, status: 'skipped', skipReason: 'episode_moved' }])
    expect(moved([armed, { ...other, ruleId: 8 }])).toEqual([{ ...armed, episodeKey: 'reply_chase:501' }])
  })

  test('leaves one row of two that come to the same silence', () => {
    const second = row({ id: 2, episodeKey: 'reply_chase:499', anchor: place(106, 503) })
    expect(moved([armed, second])).toEqual([
      { ...armed, episodeKey: 'reply_chase:501' },
      { ...second, status: 'skipped', skipReason: 'episode_moved' },
    ])
  })

  test('leaves an executed row as it is where its key is taken', () => {
    const other = row({ id: 2, episodeKey: 'reply_chase:501', anchor: place(110, 503) })
    expect(moved([{ ...armed, status: 'executed' }, other])).toEqual([])
  })

  test('leaves alone what was armed before it, also where the message of that silence is no longer among the recent ones', () => {
    expect(moved([row({ episodeKey: 'reply_chase:400', anchor: place(95, 499) })])).toEqual([])
  })
})
