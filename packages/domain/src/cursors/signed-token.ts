import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A text that only this installation can have written: `<base64url>.<signature>`, readable but not to be altered. The
 * purpose is signed as well, so that a token made for one thing is none for another.
 *
 * @param key secret of the installation
 * @param purpose constant per kind of token
 */
export function sealToken(key: Uint8Array, purpose: string, text: string): string {
  const encoded = Buffer.from(text, 'utf8').toString('base64url')
  return `${encoded}.${signatureOf(key, purpose, encoded)}`
}

/** What was sealed; null for everything else, whatever it is: never throws. */
export function openToken(key: Uint8Array, purpose: string, token: unknown): string | null {
  if (typeof token !== 'string') return null
  const dot = token.indexOf('.')
  if (dot < 0) return null
  const encoded = token.slice(0, dot)
  // The encoded text is what is signed and the signature is compared as text: lenient decoding cannot let a variant pass.
  if (!isSameText(token.slice(dot + 1), signatureOf(key, purpose, encoded))) return null
  return Buffer.from(encoded, 'base64url').toString('utf8')
}

function signatureOf(key: Uint8Array, purpose: string, encoded: string): string {
  return createHmac('sha256', key).update(`${purpose}\n${encoded}`).digest('base64url')
}

/** In a time that does not tell how much of the text was right. */
function isSameText(a: string, b: string): boolean {
  const bytes = Buffer.from(a, 'utf8')
  const expected = Buffer.from(b, 'utf8')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}
