import fc from 'fast-check'
import { containsPattern, longestWord, memberSearchText, searchKey } from './search-key'

const finds = (query: string, text: string) => searchKey(text).includes(searchKey(query))

describe('a search', () => {
  test.each([
    ['renee', 'Renée'],
    ['RENÉE', 'Renée'],
    ['née', 'Renée'],
    ['née', 'Rene\u0301e'],
    ['lodz', 'Łódź'],
    ['ISTANBUL', 'İstanbul ılık'],
    ['strasse', 'Straße'],
    ['ΣΊΣΥΦΟΣ', 'σισυφος'],
    ['oe', 'Cœur'],
    ['soren', 'Søren'],
    ['ilik', 'ılık'],
    ['dordevic', 'Đorđević'],
    ['hal', 'Ħal'],
    ['tega', 'Ŧega'],
    ['aero', 'Ærø'],
    ['oeuvre', 'ŒUVRE'],
    ['gudmundur', 'Guðmundur'],
    ['thor', 'Þór'],
    ['50%', '50% off'],
    ['\\', 'back\\slash'],
  ])('for %j finds %j', (query, text) => {
    expect(finds(query, text)).toBe(true)
  })

  test.each([
    ['か', 'がく'],
    ['は', 'ぱん'],
    ['anna', 'Ana'],
    ['_', 'Plain'],
  ])('for %j does not find %j', (query, text) => {
    expect(finds(query, text)).toBe(false)
  })

  test('finds a text by any part of it, in any letter case and with or without its accents', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcéèüñßøŁœÅ中あ50%_\\ '), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(letters, fc.nat(12), fc.nat(12), (text, a, b) => {
        const part = text.slice(Math.min(a, b), Math.max(a, b))
        expect(finds(part.toUpperCase(), text)).toBe(true)
        expect(finds(part.normalize('NFD'), text.normalize('NFC'))).toBe(true)
      }),
    )
  })

  test('does not reach from the name into the address', () => {
    expect(memberSearchText({ name: 'Ann\nLee', email: 'ann@example.com' })).toBe('ANN LEE\nANN@EXAMPLE.COM')
    expect(searchKey('LEE\nANN')).not.toContain('\n')
  })

  test('takes the signs of patterns for what they are', () => {
    expect(containsPattern('50%_\\')).toBe('%50\\%\\_\\\\%')
  })
})

describe('what an index can look for', () => {
  test.each([
    ['ann lee', 'ann'],
    ['ann-marie o_neill', 'marie'],
    ['ab cd', ''],
    ['', ''],
    ['a1b 中文字 %%%', 'a1b'],
    ['abcd wxyz', 'abcd'],
  ])('of %j is the longest word, the first of equals: %j', (key, word) => {
    expect(longestWord(key)).toBe(word)
  })
})

test('a member without name or address is found by nothing', () => {
  expect(memberSearchText({ name: null, email: null })).toBe('\n')
})
