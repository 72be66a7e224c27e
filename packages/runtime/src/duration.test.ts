import { formatDuration, parseDuration } from './duration'

describe('durations', () => {
  test.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['3d', 259_200_000],
    [' 5m ', 300_000],
    ['0s', 0],
  ])('%j is read as %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test.each(['', '5', '5 m', '-5m', 'm', '5M', '1e3s', '5m30s', '0.0001ms'])('%j is no duration', (text) => {
    expect(parseDuration(text)).toBeNull()
  })

  test.each([250, 30_000, 300_000, 5_400_000, 86_400_000, 90_061_000])(
    '%d ms survives a round trip',
    (milliseconds) => {
      expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds)
    },
  )

  test('the largest fitting unit is used', () => {
    expect(formatDuration(300_000)).toBe('5m')
    expect(formatDuration(90_000)).toBe('90s')
  })
})
