import fc from 'fast-check'
import { formatInstant, type Micros, parseInstant } from './instant'

describe('instants', () => {
  test('keep every microsecond through text and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }), (micros) => {
        expect(parseInstant(formatInstant(micros as Micros))).toBe(micros)
      }),
    )
  })

  test.each([
    ['2026-09-01T10:00:00Z', 1788256800000000],
    ['2026-09-01T10:00:00.1Z', 1788256800100000],
    ['2026-09-01T12:00:00.000001+02:00', 1788256800000001],
    ['2026-09-01T10:00:00.123456789Z', 1788256800123456],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['2024-02-29T00:00:00Z', 1709164800000000],
    ['2026-08-31T23:59:59Z', 1788220799000000],
  ])('%s is %d', (text, micros) => {
    expect(parseInstant(text)).toBe(micros)
  })

  test.each([
    '2026-02-30T10:00:00Z',
    '2026-02-29T10:00:00Z',
    '2026-04-31T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '2026-01-32T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-09-01',
    '2026-09-01T10:00:00',
    '2026-09-01 10:00:00Z',
    '2026-09-01T25:00:00Z',
    '',
    5,
    null,
    {},
  ])('refuses %p', (text) => {
    expect(parseInstant(text)).toBeNull()
  })
})
