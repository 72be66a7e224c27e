import fc from 'fast-check'
import { matches, mismatch } from './matching'

describe('matching', () => {
  test.each([
    ['the same number', 5, 5],
    ['the same text', 'a', 'a'],
    ['null', null, null],
    ['keys that are not named do not matter', { a: 1 }, { a: 1, b: 2 }],
    ['an object without keys is any object', {}, { a: 1 }],
    ['lists element by element', [1, { a: 2 }], [1, { a: 2, b: 3 }]],
    ['anything', '$any', 0],
    ['an absent key', { a: '$absent' }, { b: 1 }],
    ['one instant written in two ways', '2026-09-01T10:00:00Z', '2026-09-01T12:00:00.000000+02:00'],
    ['an option', { $in: [1, { a: 2 }] }, { a: 2, b: 3 }],
    ['a part of a text', { $contains: 'ell' }, 'hello'],
    ['an element of a list', { $contains: { a: 1 } }, [3, { a: 1, b: 2 }]],
    ['what it is not', { $not: 'a' }, 'b'],
    ['not absent', { $not: '$absent' }, null],
    ['the length of a list', { $len: 2 }, [1, 2]],
    ['the length of a text', { $len: 0 }, ''],
    ['at least', { $gte: 2 }, 2],
    ['at most', { $lte: 2 }, 2],
    ['several matchers at once', { $gte: 1, $lte: 3 }, 2],
    ['a set in another order', { $set: [1, 2] }, [2, 1]],
    ['some elements of many', { $has: [3, 1] }, [1, 2, 3]],
    ['an empty choice of elements', { $has: [] }, []],
  ])('%s fits', (_what, expected, actual) => {
    expect(mismatch(expected, actual)).toBeNull()
  })

  test.each([
    ['another number', 5, 6],
    ['a number and its text', 5, '5'],
    ['a boolean and its text', true, 'true'],
    ['null and nothing', null, undefined],
    ['nothing and a falsy value', '$absent', null],
    ['something and null', '$any', null],
    ['something and nothing', { a: '$any' }, {}],
    ['a missing key', { a: 1 }, {}],
    ['an inherited key', { toString: '$any' }, {}],
    ['a longer list', [1], [1, 2]],
    ['a shorter list', [1, 2], [1]],
    ['a list in another order', [1, 2], [2, 1]],
    ['a list and an object', [], {}],
    ['an object and a list', {}, []],
    ['an object and null', {}, null],
    ['a list and a text', { $len: 1 }, { length: 1 }],
    ['two instants of one millisecond', '2026-09-01T10:00:00.000001Z', '2026-09-01T10:00:00.000002Z'],
    ['two local times without an offset', '2026-09-01T10:00:00', '2026-09-01T10:00:00.0'],
    ['none of the options', { $in: [1, 2] }, 3],
    ['what it must not be', { $not: { a: 1 } }, { a: 1, b: 2 }],
    ['a text without the part', { $contains: 'x' }, 'hello'],
    ['a list without the element', { $contains: 'x' }, ['xx']],
    ['a number where a text is looked into', { $contains: 'x' }, 5],
    ['a text where a number is compared', { $gte: 1 }, '2'],
    ['less than at least', { $gte: 2 }, 1.9],
    ['more than at most', { $lte: 2 }, 2.1],
    ['a set with one more', { $set: [1] }, [1, 2]],
    ['a set with a repetition', { $set: [1, 1] }, [1, 2]],
    ['an element that is wanted twice and is there once', { $has: [1, 1] }, [1, 2]],
    ['a set of something that is no list', { $set: [] }, null],
    ['one of several matchers', { $gte: 1, $lte: 3 }, 4],
    ['a matcher that does not exist', { $about: 5 }, 5],
  ])('%s does not fit', (_what, expected, actual) => {
    expect(mismatch(expected, actual)).toEqual(expect.any(String))
  })

  test('an object that has only some keys with a dollar is an ordinary object', () => {
    expect(mismatch({ $in: [1], a: 2 }, { $in: [1], a: 2 })).toBeNull()
  })

  test('a loose expectation does not take the only partner of a strict one', () => {
    const strictLast = [{ a: '$any' }, { a: 1 }]
    expect(mismatch({ $set: strictLast }, [{ a: 1 }, { a: 2 }])).toBeNull()
    expect(mismatch({ $has: strictLast }, [{ a: 1 }, { b: 1 }, { a: 2 }])).toBeNull()
    expect(mismatch({ $set: strictLast }, [{ a: 1 }, { b: 2 }])).toEqual(expect.any(String))
  })

  test('every JSON value fits itself, and a set of values fits them in any order', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"$'))
    fc.assert(fc.property(plain, (value) => matches(value, structuredClone(value))))
    fc.assert(
      fc.property(
        fc
          .array(plain)
          .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => matches({ $set: list }, shuffled),
      ),
    )
  })

  test('the report says where, what was expected and what was there', () => {
    expect(mismatch({ payload: [{ id: 1 }, { id: 2 }] }, { payload: [{ id: 1 }, { id: 3 }] })).toBe(
      'payload[1].id: expected 2, got 3',
    )
  })
})
