import fc from 'fast-check'
import { openToken, sealToken } from './signed-token'

const KEY = Buffer.from('an installation secret')

describe('a sealed token', () => {
  test('gives back what was sealed, for its key and purpose only', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const token = sealToken(KEY, 'a', text)
        expect(token).toMatch(/^[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+$/)
        expect(openToken(KEY, 'a', token)).toBe(text)
        expect(openToken(KEY, 'b', token)).toBeNull()
        expect(openToken(Buffer.from('another secret'), 'a', token)).toBeNull()
      }),
    )
  })

  test('is none after any change of one of its characters', () => {
    const token = sealToken(KEY, 'a', '{"page":2}')
    for (let i = 0; i < token.length; i++) {
      for (const other of ['A', 'B', '_', '.', '=', 'é']) {
        if (token[i] === other) continue
        expect(openToken(KEY, 'a', token.slice(0, i) + other + token.slice(i + 1))).toBeNull()
      }
      expect(openToken(KEY, 'a', token.slice(0, i))).toBeNull()
      expect(openToken(KEY, 'a', token.slice(0, i) + token.slice(i + 1))).toBeNull()
    }
  })

  test('is none with anything before, after or around it, nor is anything else', () => {
    const token = sealToken(KEY, 'a', 'x')
    for (const other of [`A${token}`, `${token}A`, `${token}=`, ` ${token}`, token + token, token.toUpperCase()]) {
      expect(openToken(KEY, 'a', other)).toBeNull()
    }
    fc.assert(fc.property(fc.anything(), (value) => expect(openToken(KEY, 'a', value)).toBeNull()))
  })
})

test('a token has one form only, whatever the key and the text', () => {
  // Signatures are part of links in mails that are out already.
  expect(sealToken(KEY, 'a', 'ü')).toBe('w7w.yPrZqXznToNdrC9_paM_TK7ThP7urxPYgxSCpBqpoNM')
  expect(openToken(KEY, 'a', 'w7w')).toBeNull()
})
