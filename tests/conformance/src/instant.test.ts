import { latestOf, microsecondsOf } from './instant'

describe('instants of a case', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:00.000001Z', 1n],
    ['1970-01-01T00:00:00.1Z', 100_000n],
    ['1970-01-01T00:00:00.1234569Z', 123_456n],
    ['1970-01-01T02:00:00+02:00', 0n],
    ['1969-12-31T22:30:00-01:30', 0n],
    ['2026-09-01T10:00:00.123456Z', 1_788_256_800_123_456n],
  ])('%s', (text, micros) => {
    expect(microsecondsOf(text)).toBe(micros)
  })

  test.each(['2026-09-01', '2026-09-01T10:00:00', '2026-13-01T10:00:00Z', 'pending', '', 5, null, undefined])(
    '%j is none',
    (value) => {
      expect(microsecondsOf(value)).toBeUndefined()
    },
  )

  test('the latest is the latest instant, not the latest text', () => {
    expect(latestOf(['2026-09-01T10:00:00Z', '2026-09-01T11:30:00+02:00'])).toBe('2026-09-01T10:00:00Z')
    expect(latestOf(['2026-09-01T10:00:00Z', '2026-09-01T10:00:00.5Z'])).toBe('2026-09-01T10:00:00.5Z')
    expect(latestOf([])).toBeUndefined()
  })
})
