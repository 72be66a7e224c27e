import { formatInstant, type Micros } from '@dwell/contracts/instant'
import fc from 'fast-check'
import { dayStarts, dayWindow, formatDay, hourStarts, nextDay } from './day-window'
import { type Day, localDay, parseDay } from './local-day'

const HOUR = 3_600_000_000

function dayOf(text: string): Day {
  const day = parseDay(text)
  if (day === null) throw new Error(`not a date: ${text}`)
  return day
}

/** Zone, date, first instant, length in hours, hour buckets. */
const DAYS: readonly [string, string, string, number, number][] = [
  ['America/New_York', '2026-03-08', '2026-03-08T05:00', 23, 23],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00', 25, 25],
  ['Europe/London', '2026-03-29', '2026-03-29T00:00', 23, 23],
  ['Europe/London', '2026-10-25', '2026-10-24T23:00', 25, 25],
  // No midnight: the day starts at 01:00 on the wall.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00', 23, 23],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00', 23, 23],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00', 23, 23],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00', 23, 23],
  // 23:00 comes twice, midnight once.
  ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00', 25, 25],
  ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00', 24, 24],
  // Midnight comes twice: the day starts at the first one.
  ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00', 25, 25],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00', 25, 25],
  // Off the grid of UTC's hours.
  ['America/St_Johns', '2026-03-08', '2026-03-08T03:30', 23, 23],
  ['Asia/Kathmandu', '2026-06-10', '2026-06-09T18:15', 24, 24],
  ['Pacific/Chatham', '2026-04-05', '2026-04-04T10:15', 25, 25],
  ['Pacific/Chatham', '2026-09-27', '2026-09-26T11:15', 23, 23],
  // Half-hour shifts: the last bucket of the long day is short, the short day has one less half.
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00', 24.5, 25],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30', 23.5, 24],
  ['Pacific/Kiritimati', '2026-09-15', '2026-09-14T10:00', 24, 24],
  // Two shifts a month apart, the same offset before and after.
  ['Africa/Casablanca', '2026-02-15', '2026-02-14T23:00', 25, 25],
  ['Africa/Casablanca', '2026-03-22', '2026-03-22T00:00', 23, 23],
  // A date that never was.
  ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00', 24, 24],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00', 0, 0],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00', 24, 24],
]

describe('a day', () => {
  test.each(DAYS)('%s %s starts at %sZ and has %d hours in %d buckets', (zone, date, start, hours, buckets) => {
    const window = dayWindow(zone, dayOf(date))
    expect(formatInstant(window.start)).toBe(`${start}:00.000000Z`)
    expect((window.end - window.start) / HOUR).toBe(hours)
    const starts = hourStarts(window)
    expect(starts).toHaveLength(buckets)
    expect(starts.every((at, i) => at - window.start === i * HOUR)).toBe(true)
  })

  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'Africa/Casablanca',
    'Africa/El_Aaiun',
    'America/Sao_Paulo',
    'America/Asuncion',
    'America/Scoresbysund',
    'Antarctica/Troll',
    'Asia/Gaza',
    'Asia/Pyongyang',
    'Asia/Tehran',
    'Atlantic/Azores',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Pacific/Chatham',
    'Pacific/Norfolk',
  )
  const days = fc.integer({ min: dayOf('1990-01-01'), max: dayOf('2040-12-31') }).map((day) => day as Day)

  test('starts at its first instant: that is the date there, and the moment before it was not', () => {
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const { start, end } = dayWindow(zone, day)
        if (start === end) return
        expect(localDay(start, zone)).toBe(day)
        expect(localDay((start - 1000) as Micros, zone)).toBeLessThan(day)
      }),
      { numRuns: 2000 },
    )
  })

  test('ends where the next one starts, so that every instant lies in exactly one day', () => {
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const { start, end } = dayWindow(zone, day)
        expect(end).toBe(dayWindow(zone, nextDay(day)).start)
        expect(end).toBeGreaterThanOrEqual(start)
        expect(end - start).toBeLessThanOrEqual(26 * HOUR)
      }),
    )
  })

  test('is listed even where the zone skipped it', () => {
    const starts = dayStarts('Pacific/Apia', dayOf('2011-12-29'), dayOf('2011-12-31'))
    expect(starts.map(formatInstant)).toEqual([
      '2011-12-29T10:00:00.000000Z',
      '2011-12-30T10:00:00.000000Z',
      '2011-12-30T10:00:00.000000Z',
    ])
  })

  test('is written as a date of the calendar', () => {
    expect(formatDay(dayOf('2024-02-29'))).toBe('2024-02-29')
    fc.assert(fc.property(days, (day) => expect(parseDay(formatDay(day))).toBe(day)))
  })
})
