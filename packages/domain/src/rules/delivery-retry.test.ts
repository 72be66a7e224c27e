import type { Micros } from '@dwell/contracts/instant'
import fc from 'fast-check'
import {
  judgeMailFault,
  judgeWebhookStatus,
  MAX_DELIVERY_ATTEMPTS,
  nextAttemptAt,
  retryAfterOf,
} from './delivery-retry'

const SECOND = 1_000_000
const now = (Date.UTC(2026, 8, 1, 10) * 1000 + 5) as Micros

function waitAfter(attempts: number, random = 0.5, retryAfter: number | null = null): number | null {
  const at = nextAttemptAt({
    attempts,
    now,
    random,
    retryAfter: retryAfter === null ? null : ((retryAfter * SECOND) as Micros),
  })
  return at === null ? null : (at - now) / SECOND
}

describe('the next attempt', () => {
  test('waits three times as long each time, up to twelve hours, and comes to an end', () => {
    expect(Array.from({ length: MAX_DELIVERY_ATTEMPTS + 1 }, (_, i) => waitAfter(i + 1))).toEqual([
      10,
      30,
      90,
      270,
      810,
      2430,
      7290,
      21870,
      43200,
      null,
      null,
    ])
  })

  test('is spread by a quarter in both directions', () => {
    expect([waitAfter(1, 0), waitAfter(1, 0.999999999)]).toEqual([7.5, 12.5])
    expect([waitAfter(2, 0), waitAfter(2, 0.5)]).toEqual([22.5, 30])
  })

  test('never comes sooner than the target asked for, which may be a day at most', () => {
    expect(waitAfter(1, 0.5, 120)).toBe(120)
    expect(waitAfter(3, 0.5, 60)).toBe(90)
    expect(waitAfter(1, 0.5, 1_000_000)).toBe(86_400)
    expect(waitAfter(MAX_DELIVERY_ATTEMPTS, 0.5, 5)).toBeNull()
  })

  test('is always a whole microsecond in the future', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_DELIVERY_ATTEMPTS - 1 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, random) => {
          const at = nextAttemptAt({ attempts, now, random, retryAfter: null })
          expect(at).toBeGreaterThan(now)
          expect(Number.isSafeInteger(at)).toBe(true)
        },
      ),
    )
  })
})

test.each([
  [[200, 201, 202, 204, 299], 'delivered'],
  [[408, 425, 429, 500, 502, 503, 504, 599], 'retry'],
  [[410], 'gone'],
  [[300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 409, 411, 422, 451, 499, 199], 'failed'],
] as const)('a webhook answered %j is %s', (statuses, verdict) => {
  for (const status of statuses) expect(judgeWebhookStatus(status)).toBe(verdict)
})

test.each([
  ['session', null, 'retry'],
  ['session', 421, 'retry'],
  ['session', 535, 'retry'],
  ['session', 554, 'retry'],
  ['envelope', null, 'retry'],
  ['envelope', 450, 'retry'],
  ['envelope', 499, 'retry'],
  ['envelope', 500, 'failed'],
  ['envelope', 550, 'failed'],
  ['data', 451, 'retry'],
  ['data', 554, 'failed'],
  ['data', null, 'unknown'],
] as const)('a mail that fails in its %s with reply %j: %s', (phase, reply, verdict) => {
  expect(judgeMailFault({ phase, reply })).toBe(verdict)
})

describe('Retry-After', () => {
  test.each([
    ['120', 120],
    ['0', 0],
    [' 5 ', 5],
    ['Tue, 01 Sep 2026 10:02:00 GMT', 119.999995],
    ['Tuesday, 01-Sep-26 10:02:00 GMT', 119.999995],
    ['Tue Sep  1 10:02:00 2026', 119.999995],
    ['Tue Sep 01 10:02:00 2026', 119.999995],
    ['Tue, 01 Sep 2026 09:00:00 GMT', 0],
  ])('%s is %d s', (header, seconds) => {
    expect(retryAfterOf(header, now)).toBe(Math.round(seconds * SECOND))
  })

  test.each([
    [null],
    [undefined],
    [''],
    ['soon'],
    ['-5'],
    ['1.5'],
    ['9999999999'],
    ['2026-09-01T10:02:00Z'],
    ['Tue, 01 Sep 2026 10:02:00'],
    ['Tue, 41 Sep 2026 10:02:00 GMT'],
    ['x Tue, 01 Sep 2026 10:02:00 GMT'],
    ['Tue, 01 Sep 2026 10:02:00 GMT+0500'],
    ['x Tuesday, 01-Sep-26 10:02:00 GMT'],
    ['Tuesday, 01-Sep-26 10:02:00 GMT+0500'],
    ['1 Tue Sep  1 10:02:00 2026'],
    ['Tue Sep  1 10:02:00 2026 +0500'],
  ])('%j says nothing', (header) => {
    expect(retryAfterOf(header, now)).toBeNull()
  })
})
