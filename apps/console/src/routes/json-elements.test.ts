import fc from 'fast-check'
import { jsonElements } from './json-elements'

describe('the elements of a JSON array', () => {
  test.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', ['1']],
    ['[1.0, 1e2 ,"a,]\\"[{"]', ['1.0', '1e2', '"a,]\\"[{"']],
    ['[[],[1,[2]],{"a":[1,2],"a":{}}]', ['[]', '[1,[2]]', '{"a":[1,2],"a":{}}']],
    ['\n[ {"a" : 1 } ,\t12345678901234567890 ]', ['{"a" : 1 }', '12345678901234567890']],
    ['["\\\\","\\u005d"]', ['"\\\\"', '"\\u005d"']],
  ])('of %s stand as they were written', (text, elements) => {
    expect(jsonElements(text)).toEqual(elements)
  })

  test('mean the same as the array, however it is written', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        expect(jsonElements(JSON.stringify(value, null, indent)).map((text) => JSON.parse(text))).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })
})
