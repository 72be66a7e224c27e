import { type Micros, parseInstant } from '@dwell/contracts/instant'
import fc from 'fast-check'
import { type DateRangeParameters, readDateRange } from './date-range'
import { formatDay } from './day-window'
import { parseDay } from './local-day'

const NOON = parseInstant('2026-09-14T12:00:00Z') as Micros

function codesOf(parameters: DateRangeParameters, now = NOON): string[] {
  const read = readDateRange(parameters, now)
  return read.ok ? [] : read.faults.map(({ pointer, code }) => `${pointer} ${code}`)
}

function rangeOf(parameters: DateRangeParameters, now = NOON, keptTo: string | null = null) {
  const read = readDateRange(parameters, now, keptTo === null ? null : parseDay(keptTo))
  if (!read.ok) throw new Error(read.faults.map((fault) => fault.message).join())
  const { timeZone, from, to } = read.range
  return [timeZone, from === null ? null : formatDay(from), to === null ? null : formatDay(to)]
}

describe('a range of dates', () => {
  test('is all history in UTC when nothing is said', () => {
    expect(rangeOf({})).toEqual(['UTC', null, null])
  })

  test('reaches to today in its zone when only the start is given', () => {
    expect(rangeOf({ date_from: '2026-09-01' })).toEqual(['UTC', '2026-09-01', '2026-09-14'])
    const late = parseInstant('2026-09-14T01:00:00Z') as Micros
    expect(rangeOf({ date_from: '2026-09-13', timezone: 'America/New_York' }, late)).toEqual([
      'America/New_York',
      '2026-09-13',
      '2026-09-13',
    ])
  })

  test('may be today where today has begun, although it has not in UTC', () => {
    const at = parseInstant('2026-09-14T11:00:00Z') as Micros
    const day = { date_from: '2026-09-15', date_to: '2026-09-15' }
    expect(rangeOf({ ...day, timezone: 'pacific/kiritimati' }, at)[0]).toBe('Pacific/Kiritimati')
    expect(codesOf(day, at)).toEqual(['date_from date_after_today', 'date_to date_after_today'])
  })

  test('keeps the end that a cursor remembers, unless one is given', () => {
    expect(rangeOf({ date_from: '2026-09-01' }, NOON, '2026-09-10')).toEqual(['UTC', '2026-09-01', '2026-09-10'])
    const given = { date_from: '2026-09-01', date_to: '2026-09-12' }
    expect(rangeOf(given, NOON, '2026-09-10')).toEqual(['UTC', '2026-09-01', '2026-09-12'])
  })

  test.each<[DateRangeParameters, string[]]>([
    [{ date_to: '2026-09-01' }, ['date_from date_from_missing']],
    [{ date_from: '2026-09-02', date_to: '2026-09-01' }, ['date_to dates_reversed']],
    [{ date_from: '2026-09-15' }, ['date_from date_after_today']],
    [{ date_from: '2026-09-01', date_to: '2026-09-15' }, ['date_to date_after_today']],
    [{ date_from: '2026-02-30', date_to: '2026-03-01' }, ['date_from invalid_date']],
    [{ date_from: '2026-02-29' }, ['date_from invalid_date']],
    [{ date_from: '2026-9-1' }, ['date_from invalid_date']],
    [{ date_from: '2026-09-01T00:00:00Z', date_to: '2026-09-02' }, ['date_from invalid_date']],
    [{ date_from: '' }, ['date_from invalid_date']],
    [{ date_from: ' 2026-09-01' }, ['date_from invalid_date']],
    [{ date_from: '2026-09-01\n' }, ['date_from invalid_date']],
    [{ date_from: ['2026-09-01', '2026-09-02'] }, ['date_from parameter_repeated']],
    [{ date_from: { gte: '2026-09-01' } }, ['date_from parameter_repeated']],
    [{ timezone: '' }, ['timezone unknown_timezone']],
    [{ timezone: 'Mars/Olympus' }, ['timezone unknown_timezone']],
    [{ timezone: ['UTC', 'UTC'] }, ['timezone parameter_repeated']],
    [{ date_from: '1700-01-01' }, ['date_from range_too_long']],
    [
      { date_from: 'x', date_to: 'y', timezone: 'z' },
      ['timezone unknown_timezone', 'date_from invalid_date', 'date_to invalid_date'],
    ],
  ])('%j is refused: %j', (parameters, codes) => {
    expect(codesOf(parameters)).toEqual(codes)
  })

  test('takes 29 February of a leap year', () => {
    expect(rangeOf({ date_from: '2024-02-29' })[1]).toBe('2024-02-29')
  })

  test('is read or refused whatever is asked, never an error', () => {
    const anything = fc.oneof(fc.string(), fc.anything(), fc.constant(undefined))
    fc.assert(
      fc.property(anything, anything, anything, (date_from, date_to, timezone) => {
        const read = readDateRange({ date_from, date_to, timezone }, NOON)
        expect(read.ok || read.faults.length > 0).toBe(true)
      }),
    )
  })
})

test('a range that is refused says what is allowed', () => {
  const words = (parameters: DateRangeParameters) => {
    const read = readDateRange(parameters, NOON)
    return read.ok ? [] : read.faults.map(({ message }) => message)
  }
  expect(words({ date_to: '2026-09-01' })).toEqual(['date_to needs a date_from'])
  expect(words({ date_from: '2026-09-02', date_to: '2026-09-01' })).toEqual(['date_to must not lie before date_from'])
  expect(words({ date_from: '2026-09-15' })).toContain('date_from must not lie after today in UTC')
  expect(words({ date_from: '1700-01-01' })).toEqual(['a range may have at most 73050 days'])
  expect(words({ timezone: 'x' })).toEqual(['timezone must be a zone of the IANA database, e.g. Europe/Berlin'])
  expect(words({ timezone: 5 })).toEqual(['timezone must be given once'])
  expect(words({ date_from: 'x' })).toEqual(['date_from must be a date of the calendar, written YYYY-MM-DD'])
  expect(words({ date_from: ['x'] })).toEqual(['date_from must be given once'])
})

test('a range of 73,050 days is the longest', () => {
  const from = (days: number) =>
    formatDay(((parseDay('2026-09-14') ?? 0) - days + 1) as Parameters<typeof formatDay>[0])
  expect(codesOf({ date_from: from(73_050) })).toEqual([])
  expect(codesOf({ date_from: from(73_051) })).toEqual(['date_from range_too_long'])
})
