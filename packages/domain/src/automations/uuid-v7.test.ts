import { type Micros, parseInstant } from '@dwell/contracts/instant'
import fc from 'fast-check'
import { UUID_V7_RANDOM_BYTES, uuidV7 } from './uuid-v7'

const NOW = parseInstant('2026-09-01T10:00:00.123456Z') as Micros
const random = fc.uint8Array({ minLength: UUID_V7_RANDOM_BYTES, maxLength: UUID_V7_RANDOM_BYTES })

test('an id is a UUID of version 7', () => {
  expect(uuidV7(NOW, new Uint8Array(8).fill(255))).toBe('01a05c69-4d7b-774b-bfff-ffffffffffff')
})

test('an id made in a later microsecond is greater as text', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 1e9 }), random, random, (at, later, a, b) => {
      const first = uuidV7((NOW + at) as Micros, a)
      expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(uuidV7((NOW + at + later) as Micros, b) > first).toBe(true)
    }),
  )
})
