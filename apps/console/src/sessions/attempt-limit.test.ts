import { createAttemptLimit } from './attempt-limit'

test('after so many failures a caller waits until its time is over; others do not', () => {
  let now = 0
  const limit = createAttemptLimit(3, 60_000, () => now)
  for (let i = 0; i < 3; i += 1) {
    expect(limit.waitFor('a')).toBe(0)
    limit.failed('a')
  }
  expect([limit.waitFor('a'), limit.waitFor('b')]).toEqual([60, 0])
  now = 59_001
  expect(limit.waitFor('a')).toBe(1)
  now = 60_000
  expect(limit.waitFor('a')).toBe(0)
  limit.failed('a')
  expect(limit.waitFor('a')).toBe(0)
})

test('a flood of callers does not fill the memory, and those who wait are forgotten last', () => {
  let now = 0
  const limit = createAttemptLimit(1, 1_000, () => now)
  for (let i = 0; i < 9_999; i += 1) limit.failed(`early ${i}`)
  now = 999
  limit.failed('late')
  now = 1_000
  limit.failed('one more')
  expect([limit.waitFor('late'), limit.waitFor('one more'), limit.waitFor('early 1')]).toEqual([1, 1, 0])
})
