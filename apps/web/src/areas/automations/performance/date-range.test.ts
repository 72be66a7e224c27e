import { addDays, dayIn, lastDays, namedRange } from './date-range'

describe('ranges of days', () => {
  test('today is the date in the zone, not in UTC', () => {
    const at = Date.parse('2026-09-14T22:30:00Z')
    expect(dayIn('Europe/Berlin', at)).toBe('2026-09-15')
    expect(dayIn('America/New_York', at)).toBe('2026-09-14')
    expect(dayIn('Pacific/Kiritimati', at)).toBe('2026-09-15')
  })

  test('the last seven days include today and six before', () => {
    expect(lastDays(7, '2026-03-03')).toEqual({ from: '2026-02-25', to: '2026-03-03' })
    expect(lastDays(90, '2026-12-01')).toEqual({ from: '2026-09-03', to: '2026-12-01' })
  })

  test('days are counted over months, years and leap days', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
  })

  test('a range is named only while it ends today', () => {
    expect(namedRange(lastDays(30, '2026-12-01'), '2026-12-01')).toBe(30)
    expect(namedRange(lastDays(30, '2026-12-01'), '2026-12-02')).toBeNull()
    expect(namedRange({ from: '2026-11-20', to: '2026-12-01' }, '2026-12-01')).toBeNull()
    expect(namedRange(null, '2026-12-01')).toBeNull()
  })
})
