import { addDays } from './date-range'
import { groupEntries, groupingOf } from './entry-groups'

const days = (from: string, count: number) => ({
  bucket: 'day' as const,
  entries: Array.from({ length: count }, (_, day) => ({ date: addDays(from, day), count: 1 })),
})

describe('bars of the chart', () => {
  test.each([
    [1, 'day'],
    [90, 'day'],
    [91, 'week'],
    [270, 'week'],
    [271, 'month'],
    [2_000, 'month'],
  ])('%i days are shown by %s', (count, grouping) => {
    expect(groupingOf(days('2026-01-01', count))).toBe(grouping)
  })

  test('the hours of a day stay hours', () => {
    const hours = { bucket: 'hour' as const, entries: [{ date: '2026-09-14T22:00:00.000Z', count: 3 }] }
    expect(groupingOf(hours)).toBe('hour')
    expect(groupEntries(hours)).toEqual([{ from: hours.entries[0]?.date, to: hours.entries[0]?.date, count: 3 }])
  })

  test('weeks begin on Monday, the first and the last may be cut', () => {
    // 2026-09-03 is a Thursday, 91 days later is a Wednesday.
    const weeks = groupEntries(days('2026-09-03', 91))
    expect(weeks[0]).toEqual({ from: '2026-09-03', to: '2026-09-06', count: 4 })
    expect(weeks[1]).toEqual({ from: '2026-09-07', to: '2026-09-13', count: 7 })
    expect(weeks.at(-1)).toEqual({ from: '2026-11-30', to: '2026-12-02', count: 3 })
  })

  test('months are those of the calendar', () => {
    const months = groupEntries(days('2026-01-31', 300))
    expect(months.slice(0, 3).map(({ from, count }) => [from, count])).toEqual([
      ['2026-01-31', 1],
      ['2026-02-01', 28],
      ['2026-03-01', 31],
    ])
  })

  test.each([1, 90, 91, 270, 271, 800])('no entry gets lost among %i days', (count) => {
    const groups = groupEntries(days('2025-11-17', count))
    expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(count)
  })
})
