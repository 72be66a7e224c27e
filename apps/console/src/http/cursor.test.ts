import fc from 'fast-check'
import { readPage, writeCursor } from './cursor'

describe('a cursor', () => {
  test('reads back to where it was written, whatever the id', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        expect(readPage({ cursor: writeCursor(id) })).toEqual({ before: id, limit: 100 })
      }),
    )
  })

  test('that we did not write is refused', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        expect(() => readPage({ cursor })).toThrow('The request has a fault.')
      }),
    )
    expect(() => readPage({ cursor: Buffer.from('before:99999999999999999').toString('base64url') })).toThrow()
    expect(() => readPage({ cursor: `${writeCursor(7)}=` })).toThrow()
  })

  test('is not needed for the first page', () => {
    expect(readPage({ limit: 5 })).toEqual({ before: null, limit: 5 })
  })
})
