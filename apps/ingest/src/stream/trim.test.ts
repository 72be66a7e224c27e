import { firstNeeded, type GroupProgress } from './trim'

const group = (lastDelivered: string, oldestPending: string | null = null): GroupProgress => ({
  name: 'g',
  lastDelivered,
  oldestPending,
})

describe('the first entry that is still needed', () => {
  test.each<[string, GroupProgress[], string | null]>([
    ['the one after the last that was handed out, where all of them are acknowledged', [group('7-3')], '7-4'],
    ['the oldest that is pending', [group('7-3', '5-0')], '5-0'],
    ['the one of the slowest group', [group('9-0'), group('7-3', '5-0'), group('6-0')], '5-0'],
    ['the very first for a group that has read nothing', [group('9-0'), group('0-0')], '0-1'],
    ['by number, not by text', [group('10-0'), group('9-0')], '9-1'],
    ['not known where there is no group', [], null],
  ])('is %s', (_, groups, expected) => {
    expect(firstNeeded(groups)).toBe(expected)
  })
})
