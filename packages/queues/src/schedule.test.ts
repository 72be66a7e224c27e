import type { Micros } from '@dwell/contracts/instant'
import { nextTick } from './schedule'

const at = (iso: string) => (Date.parse(iso) * 1_000) as Micros

test.each([
  ['2026-09-01T10:00:00Z', '2026-09-01T10:05:00Z'],
  ['2026-09-01T10:04:59.999Z', '2026-09-01T10:05:00Z'],
  ['2026-09-01T10:05:00Z', '2026-09-01T10:10:00Z'],
  ['2026-09-01T23:58:00Z', '2026-09-02T00:00:00Z'],
])('after %s the next tick is at %s', (now, tick) => {
  expect(nextTick(at(now))).toBe(at(tick))
})
