import { FixedClock, instant } from './fixed-clock'

describe('the fixed clock', () => {
  test('stands still, goes where it is set and advances to the microsecond', async () => {
    const clock = new FixedClock('2026-09-01T09:00:00.000001Z')
    expect(await clock.now()).toBe(await clock.now())
    expect(clock.advance({ minutes: 1, seconds: 2, micros: 3 })).toBe(instant('2026-09-01T09:01:02.000004Z'))
    clock.set('2026-08-01T00:00:00Z')
    expect(await clock.now()).toBe(instant('2026-08-01T00:00:00Z'))
  })

  test('refuses what is no instant', () => {
    expect(() => new FixedClock('yesterday')).toThrow('is no instant')
  })
})
