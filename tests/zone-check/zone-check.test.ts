import type { Micros } from '@dwell/contracts/instant'
import { formatDay } from '@dwell/domain/calendar/day-window'
import { entryWindow } from '@dwell/domain/calendar/entry-window'
import { localDay, parseDay } from '@dwell/domain/calendar/local-day'
import { canonicalTimeZone } from '@dwell/domain/calendar/time-zone'
import { productCalendar } from './calendar'
import { type Calendar, compareCalendars } from './compare'
import { ZONES } from './zones'

const PRODUCT = productCalendar({ canonicalTimeZone, entryWindow, formatDay, localDay, parseDay })

/** What is odd in its own way, and every fortieth of the others: `npm run zone-check` does all of them. */
const SLICE = [
  'Africa/Casablanca',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  ...ZONES.filter((_, i) => i % 40 === 7),
]

test('the calendar says the same as one made of Intl alone, around every shift of some zones', () => {
  const { days, differences } = compareCalendars(PRODUCT, SLICE, 2018, 2028)
  expect(differences).toEqual([])
  expect(days).toBeGreaterThan(500)
})

test('the comparison finds a calendar that is wrong by an hour once a year', () => {
  const wrong: Calendar = {
    ...PRODUCT,
    day: (zone, date) => {
      const day = PRODUCT.day(zone, date)
      return date === '2026-10-25' ? { ...day, start: day.start + 3_600_000 } : day
    },
  }
  const { differences } = compareCalendars(wrong, ['Atlantic/Azores'], 2026, 2026)
  expect(differences).toEqual([
    'Atlantic/Azores 2026-10-25: starts at 2026-10-25T01:00:00.000Z, not 2026-10-25T00:00:00.000Z',
  ])
})

test('the product is asked for whole days', () => {
  expect(PRODUCT.day('UTC', '2026-01-01').hours).toHaveLength(24)
  expect(PRODUCT.dateAt('UTC', 0 as Micros)).toBe('1970-01-01')
})
