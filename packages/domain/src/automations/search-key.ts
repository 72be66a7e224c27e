import { fold } from '../rules/fold'

/**
 * A text without regard to letter case, accents and the strokes of letters: "Renée" and "RENEE", "Łódź" and "lodz" have the
 * same key. Keys are stored with members and compared by the database, so that both sides follow one rule. Marks that make
 * another letter (of Japanese, Thai, Indian scripts) stay.
 */
export function searchKey(text: string): string {
  const plain = text.replace(/[ıøłđħŧæœðþØŁĐĦŦÆŒÐÞ]/g, (letter) => LETTERS.get(letter.toLowerCase()) ?? letter)
  return fold(plain.normalize('NFD').replace(ACCENTS, '').normalize('NFC')).replace(/\p{Cc}/gu, ' ')
}

/** Combining marks of European scripts, points of Hebrew and of Arabic. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u0591-\u05c7\u064b-\u065f\u0670]/g

/** Letters that Unicode does not take apart. */
const LETTERS = new Map([
  ['ı', 'i'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ð', 'd'],
  ['þ', 'th'],
])

/** What members are found by: present name and address, on lines of their own, so that no query spans both. */
export function memberSearchText(member: { readonly name: string | null; readonly email: string | null }): string {
  return `${searchKey(member.name ?? '')}\n${searchKey(member.email ?? '')}`
}

/** The pattern of SQL's LIKE (with its usual escape, a backslash) that finds a text anywhere, literally. */
export function containsPattern(key: string): string {
  return `%${key.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`
}

/** The longest stretch of letters and digits in a key, empty where all are shorter than three: what an index can look for. */
export function longestWord(key: string): string {
  const words = key.match(/[\p{L}\p{N}]{3,}/gu) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}
