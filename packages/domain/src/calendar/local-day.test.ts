import type { Micros } from '@dwell/contracts/instant'
import { isTimeZone, localDay, parseDay } from './local-day'

const at = (iso: string) => (Date.parse(iso) * 1000) as Micros

test('a calendar date counts days since 1970 and exists', () => {
  expect(parseDay('1970-01-01')).toBe(0)
  expect(parseDay('1970-01-02')).toBe(1)
  expect(parseDay('1969-12-31')).toBe(-1)
  expect(parseDay('2024-02-29')).toBe(19782)
  for (const text of ['2023-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '0026-01-01x', '', 'x2026-01-01']) {
    expect(parseDay(text)).toBeNull()
  }
})

test.each([
  ['2026-09-01T21:59:59.999Z', 'Europe/Berlin', '2026-09-01'],
  ['2026-09-01T22:00:00Z', 'Europe/Berlin', '2026-09-02'],
  ['2026-09-01T22:00:00Z', 'UTC', '2026-09-01'],
  ['2026-09-01T03:59:00Z', 'America/New_York', '2026-08-31'],
  ['2026-09-01T10:00:00Z', 'Pacific/Kiritimati', '2026-09-02'],
  ['2026-12-31T23:30:00Z', 'Asia/Kolkata', '2027-01-01'],
  ['1969-12-31T23:59:59Z', 'UTC', '1969-12-31'],
  ['2026-09-01T23:00:00Z', 'Nowhere/Land', '2026-09-01'],
])('at %s it is in %s the %s', (instant, zone, day) => {
  expect(localDay(at(instant), zone)).toBe(parseDay(day))
})

test('zones are known by their IANA name', () => {
  expect(isTimeZone('Europe/Berlin')).toBe(true)
  expect(isTimeZone('Nowhere/Land')).toBe(false)
  expect(isTimeZone('')).toBe(false)
})

test('no instant makes it throw', () => {
  for (const zone of ['UTC', 'Europe/Berlin']) expect(localDay(Number.NaN as Micros, zone)).toBeNaN()
})
