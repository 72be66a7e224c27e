import { delayFault, minutesOf, shortDelay, typedDelay } from './delay'

describe('a delay', () => {
  test.each([
    [240, '4', 'hours', '4h'],
    [90, '90', 'minutes', '90m'],
    [1_440, '1', 'days', '1d'],
    [2_160, '36', 'hours', '36h'],
    [43_200, '30', 'days', '30d'],
    [10, '10', 'minutes', '10m'],
  ] as const)('of %d minutes is shown in its largest clean unit', (minutes, amount, unit, short) => {
    expect(typedDelay(minutes)).toEqual({ amount, unit })
    expect(minutesOf({ amount, unit })).toBe(minutes)
    expect(shortDelay(minutes)).toBe(short)
  })

  test.each([
    ['9', 'minutes', 'too_short'],
    ['10', 'minutes', null],
    ['0', 'hours', 'too_short'],
    ['30', 'days', null],
    ['31', 'days', 'too_long'],
    ['721', 'hours', 'too_long'],
    ['1.5', 'hours', 'not_whole'],
    ['', 'hours', 'not_a_number'],
    ['-5', 'hours', 'not_a_number'],
    ['soon', 'days', 'not_a_number'],
  ] as const)('typed as %p %s: %p', (amount, unit, fault) => {
    expect(delayFault({ amount, unit })).toBe(fault)
    if (fault !== null) expect(minutesOf({ amount, unit })).toBeNull()
  })
})
