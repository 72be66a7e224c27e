import type { Micros } from '@dwell/contracts/instant'
import type { ArmIntent, MoveIntent } from './arming'
import type { FoldedBatch } from './fold-batch'
import {
  earliestDue,
  foldRows,
  isImmediateArm,
  kindOfChange,
  messagesToStore,
  type RowChangeKind,
  rowsToLoad,
} from './fold-rows'
import type { PendingExecution } from './pending-execution'
import { unknownMessage } from './projection'

const µs = (value: number) => value as Micros
const place = (createdAt: number, id: number) => ({ createdAt: µs(createdAt), id })

const intent = (overrides: Partial<ArmIntent> = {}): ArmIntent => ({
  kind: 'arm',
  accountId: 1,
  ruleId: 7,
  conversationId: 101,
  episodeKey: 'reply_chase:0',
  dueAt: µs(170),
  anchor: place(110, 503),
  occurredAt: µs(110),
  traceparent: null,
  ...overrides,
})

const row = (overrides: Partial<PendingExecution> = {}): PendingExecution => ({
  id: 1,
  accountId: 1,
  ruleId: 7,
  conversationId: 101,
  episodeKey: 'reply_chase:0',
  status: 'pending',
  skipReason: null,
  dueAt: µs(165),
  anchor: place(105, 502),
  armedAt: µs(105),
  traceparent: null,
  ...overrides,
})

const late: MoveIntent = {
  kind: 'move',
  accountId: 1,
  conversationId: 101,
  incoming: place(100, 501),
  recentIncoming: [place(100, 501)],
}

describe('the rows after a batch', () => {
  test('two matches of one episode make one row', () => {
    const status = { episodeKey: 'status:100', anchor: null }
    expect(foldRows([intent({ ...status, dueAt: µs(160) }), intent({ ...status, dueAt: µs(180) })], [])).toMatchObject([
      { before: null, row: { episodeKey: 'status:100', dueAt: 160 } },
    ])
  })

  test('what changes nothing is not among them', () => {
    expect(foldRows([intent({ anchor: place(105, 502) })], [row()])).toEqual([])
  })

  test('a row is found under its new key by what follows the move', () => {
    const before = row()
    expect(foldRows([late, intent({ episodeKey: 'reply_chase:501' })], [before])).toEqual([
      {
        before,
        row: { ...before, episodeKey: 'reply_chase:501', anchor: place(110, 503), dueAt: 170, armedAt: 110 },
      },
    ])
  })

  test('a row armed in the same batch moves as well', () => {
    expect(foldRows([intent(), late], [])).toMatchObject([{ before: null, row: { episodeKey: 'reply_chase:501' } }])
  })

  test('a move touches only its own conversation and account', () => {
    const others = [row({ id: 2, conversationId: 102 }), row({ id: 3, accountId: 2, ruleId: 9 })]
    expect(foldRows([late], others)).toEqual([])
  })

  test.each<[RowChangeKind, PendingExecution[], (ArmIntent | MoveIntent)[]]>([
    ['armed', [], [intent()]],
    ['rearmed', [row({ status: 'skipped', skipReason: 'expired' })], [intent()]],
    ['superseded', [row({ status: 'processing' })], [intent()]],
    ['advanced', [row()], [intent()]],
    ['moved', [row()], [late]],
    ['moved', [row(), row({ id: 2, episodeKey: 'reply_chase:501', anchor: place(120, 504) })], [late]],
  ])('%s', (kind, existing, intents) => {
    expect(foldRows(intents, existing).map(kindOfChange)).toEqual([kind])
  })
})

test('the rows to load are each asked for once', () => {
  expect(rowsToLoad([intent(), intent(), intent({ ruleId: 8 }), late, late])).toMatchObject({
    keys: [{ ruleId: 7 }, { ruleId: 8 }],
    conversations: [{ accountId: 1, conversationId: 101 }],
  })
})

test('immediate rows are told apart and set no wake', () => {
  const changes = foldRows(
    [intent({ episodeKey: 'event:e1', dueAt: µs(1) }), intent(), intent({ ruleId: 8, dueAt: µs(168) })],
    [],
  )
  expect(changes.filter(isImmediateArm).map((change) => change.row.episodeKey)).toEqual(['event:e1'])
  expect(earliestDue(changes)).toBe(168)
  expect(earliestDue([])).toBeNull()
})

test('a message is stored where a row is anchored on it or its story has begun', () => {
  const messages = new Map([501, 502, 503].map((id) => [`1/101/${id}`, unknownMessage(1, 101, id)] as const))
  const folded: FoldedBatch = {
    conversations: [],
    contacts: [],
    messages,
    messagesToKeep: new Set(['1/101/502']),
    intents: [],
  }
  expect(messagesToStore(folded, foldRows([intent()], [])).map(({ id }) => id)).toEqual([502, 503])
  expect(messagesToStore(folded, []).map(({ id }) => id)).toEqual([502])
})

describe('what became of a row', () => {
  const changed = (before: Partial<PendingExecution>, after: Partial<PendingExecution>) =>
    kindOfChange({ before: row(before), row: row({ ...before, ...after }) })

  test('is told by where it was and where it is', () => {
    expect(kindOfChange({ before: null, row: row() })).toBe('armed')
    expect(changed({ status: 'skipped', skipReason: 'expired' }, { status: 'pending', skipReason: null })).toBe(
      'rearmed',
    )
    expect(changed({ status: 'processing' }, { status: 'pending' })).toBe('superseded')
    expect(changed({ status: 'processing' }, { status: 'skipped', skipReason: 'episode_moved' })).toBe('moved')
    expect(changed({ status: 'processing' }, { episodeKey: 'reply_chase:501' })).toBe('moved')
    expect(changed({ status: 'skipped', skipReason: 'expired' }, { episodeKey: 'reply_chase:501' })).toBe('moved')
    expect(changed({ status: 'processing' }, { dueAt: µs(1) })).toBe('advanced')
    expect(changed({}, { anchor: place(120, 504) })).toBe('advanced')
  })

  test('only a new row of an event is to be enqueued at once', () => {
    const immediate = row({ episodeKey: 'event:e1' })
    expect(isImmediateArm({ before: null, row: immediate })).toBe(true)
    expect(isImmediateArm({ before: immediate, row: { ...immediate, dueAt: µs(1) } })).toBe(false)
    expect(isImmediateArm({ before: null, row: row() })).toBe(false)
  })

  test('the earliest due time is that of the first row that waits, in whatever order they come', () => {
    const due = (...rows: Partial<PendingExecution>[]) =>
      earliestDue(rows.map((one) => ({ before: null, row: row(one) })))
    expect(due()).toBeNull()
    expect(due({ dueAt: µs(5) }, { dueAt: µs(3) }, { dueAt: µs(4) })).toBe(3)
    expect(due({ dueAt: µs(3) }, { dueAt: µs(4) })).toBe(3)
    expect(due({ dueAt: µs(3), status: 'skipped', skipReason: 'episode_moved' }, { dueAt: µs(4) })).toBe(4)
    expect(due({ dueAt: µs(3), status: 'processing' }, { dueAt: µs(4), status: 'executed' })).toBeNull()
    expect(due({ dueAt: µs(3), episodeKey: 'event:e1' }, { dueAt: µs(4) })).toBe(4)
  })

  test('a row without a message keeps none', () => {
    const folded = { messages: new Map(), messagesToKeep: new Set() } as unknown as FoldedBatch
    const status = row({ episodeKey: 'status:100', anchor: null })
    expect(messagesToStore(folded, [{ before: null, row: status }])).toEqual([])
  })
})
