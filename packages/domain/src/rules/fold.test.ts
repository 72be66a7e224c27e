import fc from 'fast-check'
import { fold } from './fold'

test.each([
  ['Déjà Demo', 'DÉJÀ DEMO'],
  ['straße', 'STRASSE'],
  ['ẞ', 'ß'],
  ['ΣΑΣ', 'σας'],
  ['e\u0301', 'É'],
  ['İstanbul', 'i\u0307stanbul'],
  ['ﬁle', 'FILE'],
])('%s and %s are the same without regard to case', (a, b) => {
  expect(fold(a)).toBe(fold(b))
})

test.each([
  ['deja', 'déjà'],
  ['ı', 'i'],
  ['a', 'b'],
  ['100%', '100_'],
])('%s and %s are not', (a, b) => {
  expect(fold(a)).not.toBe(fold(b))
})

test('upper, lower and folded case fold to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (graphemes, binary) => {
      for (const text of [graphemes, binary]) {
        const folded = fold(text)
        expect(fold(folded)).toBe(folded)
        expect(fold(text.normalize('NFD'))).toBe(folded)
        if (!text.includes('ı')) expect(fold(text.toUpperCase())).toBe(folded)
      }
    }),
  )
})

test('the text folded before does not answer for the next one', () => {
  expect([fold('One'), fold('Two'), fold('one'), fold('TWO')]).toEqual(['ONE', 'TWO', 'ONE', 'TWO'])
})
