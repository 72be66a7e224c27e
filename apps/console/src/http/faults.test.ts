import { z } from 'zod'
import { faultsOf, pointerTo } from './faults'
import { storageFaults } from './storable'

test('a pointer escapes what RFC 6901 escapes', () => {
  expect(pointerTo(['a/b', 0, 'c~d', ''])).toBe('/a~1b/0/c~0d/')
  expect(pointerTo([])).toBe('')
})

test('every fault of a value is named with its place and a stable code', () => {
  const schema = z.strictObject({ name: z.string(), list: z.array(z.int()), kind: z.enum(['a', 'b']) })
  const value = { list: [1, 'x', 2.5], kind: 'c', more: 1, and: 2 }
  const error = schema.safeParse(value).error
  if (error === undefined) throw new Error('the value passed')
  expect(faultsOf(error, value).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
    expect.arrayContaining([
      '/name missing',
      '/list/1 wrong_type',
      '/list/2 wrong_type',
      '/kind not_allowed',
      '/more unknown_key',
      '/and unknown_key',
    ]),
  )
})

test('texts that cannot be stored are found wherever they are', () => {
  expect(
    storageFaults({ a: ['ok', { b: 'x\0' }], '\ud800': 1 }).map(({ pointer, code }) => `${pointer} ${code}`),
  ).toEqual(['/a/1/b unstorable_text', ' unstorable_text'])
  expect(storageFaults(JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`))).toEqual([])
  expect(storageFaults(JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`))).toEqual([
    { pointer: '/0'.repeat(64), code: 'too_deep', message: expect.any(String) },
  ])
})
