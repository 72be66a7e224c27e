import { type Micros, parseInstant } from '@dwell/contracts/instant'
import fc from 'fast-check'
import { readDateRange } from './date-range'
import { answeredWindow, entriesOf, entryWindow, type History, rangeSpan } from './entry-window'

const at = (text: string) => parseInstant(text) as Micros

function rangeOf(parameters: object, now: Micros) {
  const read = readDateRange(parameters, now)
  if (!read.ok) throw new Error(read.faults.map((fault) => fault.message).join())
  return read.range
}

/** The answer for runs entered at the given times, everything up to the database's part. */
function performance(parameters: object, now: Micros, runs: readonly Micros[]) {
  const range = rangeOf(parameters, now)
  const selected = rangeSpan(range)
  const counted = runs.filter((run) => selected === null || (run >= selected.start && run < selected.end))
  const history: History | null =
    runs.length === 0 ? null : { first: Math.min(...runs) as Micros, last: Math.max(...runs) as Micros }
  const window = entryWindow(range, now, history)
  const counts = new Map<number, number>()
  for (const run of counted) {
    const bucket = window.bucketStarts.findLastIndex((start) => start <= run)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return { total: counted.length, entries: entriesOf(window, counts, now), window: answeredWindow(window) }
}

describe('the window of performance', () => {
  test('is hourly up to the current hour when the range is today', () => {
    const { entries, window } = performance(
      { date_from: '2026-09-13', timezone: 'America/New_York' },
      at('2026-09-14T01:00:00Z'),
      [at('2026-09-13T04:30:00Z')],
    )
    expect(entries).toHaveLength(22)
    expect(entries[0]).toEqual({ date: '2026-09-13T04:00:00.000Z', count: 1 })
    expect(entries.at(-1)).toEqual({ date: '2026-09-14T01:00:00.000Z', count: 0 })
    expect(window).toEqual({
      date_from: '2026-09-13',
      date_to: '2026-09-14',
      bucket: 'hour',
      timezone: 'America/New_York',
    })
  })

  test('is daily with zeros at both ends, and names the day after as its end', () => {
    const { entries, window } = performance(
      { date_from: '2026-09-01', date_to: '2026-09-07' },
      at('2026-09-20T12:00:00Z'),
      [at('2026-08-31T23:59:59Z'), at('2026-09-08T00:00:00Z')],
    )
    expect(entries.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(entries[0]?.date).toBe('2026-09-01')
    expect(window).toMatchObject({ date_to: '2026-09-08', bucket: 'day' })
  })

  test('is today in hourly zeros when there is no history', () => {
    const { entries, window } = performance({}, at('2026-09-14T15:20:00Z'), [])
    expect(entries).toHaveLength(16)
    expect(window).toEqual({ date_from: '2026-09-14', date_to: '2026-09-15', bucket: 'hour', timezone: 'UTC' })
  })

  test('begins with the day of the first run and ends today when nothing is said', () => {
    const { entries, window } = performance({}, at('2026-09-14T15:20:00Z'), [at('2026-09-13T23:59:59.999Z')])
    expect(entries).toEqual([
      { date: '2026-09-13', count: 1 },
      { date: '2026-09-14', count: 0 },
    ])
    expect(window).toMatchObject({ date_to: '2026-09-15', bucket: 'day' })
  })

  test('reaches to a later run where clocks disagree', () => {
    const { total, entries, window } = performance({}, at('2026-09-14T12:00:00Z'), [at('2026-09-15T10:00:00Z')])
    expect(total).toBe(1)
    expect(entries).toContainEqual({ date: '2026-09-15T10:00:00.000Z', count: 1 })
    expect(window).toMatchObject({ date_from: '2026-09-15', date_to: '2026-09-16', bucket: 'hour' })
  })

  test('lists a skipped date with zero', () => {
    const { entries } = performance(
      { date_from: '2011-12-29', date_to: '2011-12-31', timezone: 'Pacific/Apia' },
      at('2012-01-10T00:00:00Z'),
      [at('2011-12-30T09:59:59Z'), at('2011-12-30T10:00:00Z')],
    )
    expect(entries.map(({ count }) => count)).toEqual([1, 0, 1])
  })

  test('loses no run around a half-hour shift', () => {
    const runs = Array.from({ length: 147 }, (_, i) => (at('2026-04-04T13:05:00Z') + i * 600_000_000) as Micros)
    const { total, entries } = performance(
      { date_from: '2026-04-05', date_to: '2026-04-05', timezone: 'Australia/Lord_Howe' },
      at('2026-04-20T12:00:00Z'),
      runs,
    )
    expect(total).toBe(147)
    expect(entries.map(({ count }) => count)).toEqual([...Array.from({ length: 24 }, () => 6), 3])
  })

  test('refuses a bucket it does not have', () => {
    const window = entryWindow(rangeOf({}, at('2026-09-14T15:20:00Z')), at('2026-09-14T15:20:00Z'), null)
    expect(() => entriesOf(window, new Map([[24, 1]]), window.start)).toThrow(
      new RangeError('no bucket 24 in the window'),
    )
  })

  test('has as many entries counted as it has runs, at ascending dates, each once', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia')
    const instants = fc
      .integer({ min: at('2011-12-01T00:00:00Z') / 1e6, max: at('2012-03-01T00:00:00Z') / 1e6 })
      .map((seconds) => (seconds * 1e6) as Micros)
    const ranges = fc.constantFrom<object>(
      {},
      { date_from: '2011-12-30' },
      { date_from: '2011-12-30', date_to: '2011-12-30' },
      { date_from: '2011-12-25', date_to: '2012-01-05' },
    )
    fc.assert(
      fc.property(zones, ranges, fc.array(instants, { maxLength: 30 }), instants, (timezone, dates, runs, now) => {
        const range = readDateRange({ ...dates, timezone }, now)
        if (!range.ok) return
        const { total, entries } = performance({ ...dates, timezone }, now, runs)
        expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(total)
        const dated = entries.map(({ date }) => date)
        expect(dated).toEqual([...new Set(dated)].sort())
      }),
    )
  })
})

test('a window ends where the day after its last day begins', () => {
  const now = at('2026-09-14T15:20:00Z')
  const window = entryWindow(rangeOf({ date_from: '2026-09-01', date_to: '2026-09-03' }, now), now, null)
  expect(window).toMatchObject({ start: at('2026-09-01T00:00:00Z'), end: at('2026-09-04T00:00:00Z') })
})

test('a range selects everything where either end is open', () => {
  const now = at('2026-09-14T15:20:00Z')
  const range = rangeOf({ date_from: '2026-09-01', date_to: '2026-09-03' }, now)
  expect(rangeSpan(range)).not.toBeNull()
  expect(rangeSpan({ ...range, from: null })).toBeNull()
  expect(rangeSpan({ ...range, to: null })).toBeNull()
})
