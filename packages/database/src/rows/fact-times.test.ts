import type { Micros } from '@dwell/contracts/instant'
import type { FactTimes } from '@dwell/domain/rules/projection'
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

  test('are read as they were written, whatever is known of each of three facts', () => {
    const times = [undefined, µs(-1), µs(0), µs(2)]
    for (const a of times)
      for (const b of times)
        for (const c of times) {
          const written = Object.fromEntries(Object.entries({ a, b, c }).filter(([, time]) => time !== undefined))
          const stored = JSON.parse(JSON.stringify(toStoredFactTimes(written as FactTimes, ['a', 'b', 'c'])))
          expect(fromStoredFactTimes(stored, ['a', 'b', 'c'])).toEqual(written)
        }
  })
})
