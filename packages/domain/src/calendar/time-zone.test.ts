import { canonicalTimeZone } from './time-zone'

describe('a time zone', () => {
  test.each([
    ['america/new_york', 'America/New_York'],
    ['EUROPE/ISLE_OF_MAN', 'Europe/Isle_of_Man'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['antarctica/dumontdurville', 'Antarctica/DumontDUrville'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['utc', 'UTC'],
    ['nz-chat', 'NZ-CHAT'],
  ])('%s is spelt %s', (written, canonical) => {
    expect(canonicalTimeZone(written)).toBe(canonical)
  })

  test('that is another name of a zone keeps its name', () => {
    for (const name of ['Asia/Kathmandu', 'Asia/Kolkata', 'US/Eastern', 'Etc/UTC', 'EST5EDT']) {
      expect(canonicalTimeZone(name)).toBe(name)
    }
  })

  test('that the database does not have is none, nor is anything else a library would take for one', () => {
    const none = ['', ' ', 'Mars/Olympus', '+05:30', '-08', 'UTC+1', 'PST', 'Z', '2026-01-01T00:00[Asia/Tokyo]']
    for (const name of [...none, 'T12:00[Asia/Tokyo]', 'Europe/Berlin ', 'Factory', 'constructor', '\0']) {
      expect(canonicalTimeZone(name)).toBeNull()
    }
  })
})
