const PREFIX = 'whsec_'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Standard Webhooks: 24 to 64 bytes. */
const LEAST_BYTES = 24
const MOST_BYTES = 64

/** The key of a signing secret `whsec_<base64>`; null when it is none. */
export function webhookKey(secret: unknown): Uint8Array | null {
  if (typeof secret !== 'string' || !secret.startsWith(PREFIX)) return null
  const encoded = secret.slice(PREFIX.length)
  if (!BASE64.test(encoded) || encoded.length % 4 !== 0) return null
  const key = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  return key.length >= LEAST_BYTES && key.length <= MOST_BYTES ? key : null
}

/** A signing secret from random bytes, 24 to 64 of them. */
export function webhookSecret(random: Uint8Array): string {
  if (random.length < LEAST_BYTES || random.length > MOST_BYTES) {
    throw new RangeError(`a webhook secret needs ${LEAST_BYTES} to ${MOST_BYTES} random bytes`)
  }
  return PREFIX + btoa(String.fromCharCode(...random))
}
