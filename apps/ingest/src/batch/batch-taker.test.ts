import type { InboundEvent } from '@dwell/contracts/events'
import type { EventOutcome, TakenBatch } from '@dwell/database/ingest/take-batch'
import type { Logger } from '@dwell/runtime/logger'
import type { IngestMetrics } from '../ingest-metrics'
import { Pause, Stopped } from '../pause'
import { BatchTaker } from './batch-taker'
import type { ReceivedEvent } from './read-entry'

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined } as unknown as Logger
const metrics = { paused: () => undefined, resumed: () => undefined } as unknown as IngestMetrics

const sqlError = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code })
const batch = (count: number): ReceivedEvent[] =>
  Array.from({ length: count }, (_, i) => ({
    entry: { stream: 's', id: `${i}-0`, fields: [] },
    text: `text ${i}`,
    event: { id: `e${i}`, account_id: i } as unknown as InboundEvent,
  }))
const taken = (events: readonly InboundEvent[], outcome: EventOutcome = 'taken'): TakenBatch => ({
  outcomes: events.map(() => outcome),
  changes: {},
  immediateIds: [],
  runsBegun: 0,
  earliestDue: null,
})

function taker(take: (ids: string[], events: readonly InboundEvent[]) => TakenBatch, stop = new AbortController()) {
  const attempts: string[][] = []
  const followed: number[] = []
  const retries: number[] = []
  const one = new BatchTaker(
    async (events) => {
      const ids = events.map(({ id }) => id)
      attempts.push(ids)
      return take(ids, events)
    },
    new Pause(silent, metrics, stop.signal),
    silent,
    { retried: () => void retries.push(attempts.length) },
    async ({ outcomes }) => void followed.push(outcomes.length),
  )
  return { one, attempts, followed, retries, stop }
}

describe('taking a batch', () => {
  test('goes at once where nothing fails', async () => {
    const { one, attempts, followed } = taker((_, events) => taken(events))
    expect(await one.takeAll(batch(5))).toEqual([])
    expect(attempts).toHaveLength(1)
    expect(followed).toEqual([5])
  })

  test.each(['22P05', '23514', '54000'])(
    'finds the event that is to blame (%s): only it dies, each half in order',
    async (code) => {
      const { one, attempts, followed } = taker((ids, events) => {
        if (ids.includes('e5')) throw sqlError(code)
        return taken(events)
      })
      expect(await one.takeAll(batch(8))).toEqual([
        {
          entry: { stream: 's', id: '5-0', fields: [] },
          received: 'text 5',
          error: 'processing_failed',
          detail: expect.stringContaining(code),
        },
      ])
      const committed = attempts.filter((ids) => !ids.includes('e5')).flat()
      expect(committed).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e6', 'e7'])
      expect(followed.reduce((sum, count) => sum + count, 0)).toBe(7)
    },
  )

  test('finds several events, and an event that fails with what no database said', async () => {
    const { one } = taker((ids, events) => {
      if (ids.includes('e0') || ids.includes('e3')) throw new RangeError('not an episode key')
      return taken(events)
    })
    expect((await one.takeAll(batch(4))).map(({ entry }) => entry.id)).toEqual(['0-0', '3-0'])
  })

  test.each(['40001', '40P01'])('runs a lost race again (%s)', async (code) => {
    let failures = 2
    const { one, attempts, retries } = taker((_, events) => {
      if (failures-- > 0) throw sqlError(code)
      return taken(events)
    })
    expect(await one.takeAll(batch(3))).toEqual([])
    expect(retries).toHaveLength(2)
    expect(attempts).toEqual([
      ['e0', 'e1', 'e2'],
      ['e0', 'e1', 'e2'],
      ['e0', 'e1', 'e2'],
    ])
  })

  test.each(['57P01', '08006', '53300'])('waits out an outage with the whole batch (%s)', async (code) => {
    let failures = 2
    const { one, attempts } = taker((_, events) => {
      if (failures-- > 0) throw sqlError(code)
      return taken(events)
    })
    expect(await one.takeAll(batch(2))).toEqual([])
    expect(attempts).toEqual([
      ['e0', 'e1'],
      ['e0', 'e1'],
      ['e0', 'e1'],
    ])
  })

  test('gives up when the process ends in an outage', async () => {
    const { one, stop } = taker(() => {
      stop.abort()
      throw sqlError('57P01')
    })
    await expect(one.takeAll(batch(2))).rejects.toBeInstanceOf(Stopped)
  })

  test('names the account that does not exist', async () => {
    const { one } = taker((_, events) => taken(events, 'unknown_account'))
    expect(await one.takeAll(batch(1))).toMatchObject([
      { error: 'unknown_account', received: 'text 0', detail: expect.stringContaining('account 0') },
    ])
  })
})
