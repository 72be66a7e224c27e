import type { Micros } from '@dwell/contracts/instant'
import fc from 'fast-check'
import { CONVERSATION_FACTS, fromStoredFactTimes, toStoredFactTimes } from './fact-times'

const µs = (value: number) => value as Micros

describe('stored fact times', () => {
  test('of one snapshot are one instant', () => {
    const times = Object.fromEntries(CONVERSATION_FACTS.map((fact) => [fact, µs(5)]))
    expect(toStoredFactTimes(times, CONVERSATION_FACTS)).toEqual({ at: 5 })
  })

  test('name what is older and what is not known', () => {
    expect(toStoredFactTimes({ a: µs(5), b: µs(3), any: µs(5) }, ['a', 'b', 'c', 'any'])).toEqual({
      at: 5,
      older: { b: 3 },
      unknown: ['c'],
    })
  })

  test('before the first event say nothing', () => {
    expect(toStoredFactTimes({}, CONVERSATION_FACTS)).toEqual({})
    expect(fromStoredFactTimes({}, CONVERSATION_FACTS)).toEqual({})
  })

  test('are read as they were written', () => {
    const times = fc.dictionary(fc.constantFrom(...CONVERSATION_FACTS), fc.integer({ min: -5, max: 5 }))
    fc.assert(
      fc.property(times, (some) => {
        const stored = toStoredFactTimes(some as Record<string, Micros>, CONVERSATION_FACTS)
        expect(fromStoredFactTimes(JSON.parse(JSON.stringify(stored)), CONVERSATION_FACTS)).toEqual({ ...some })
      }),
    )
  })
})
