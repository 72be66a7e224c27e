import { webhookKey, webhookSecret } from './webhook-secret'

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 37) % 256)

test('a secret made of random bytes gives them back', () => {
  for (const length of [24, 32, 64]) expect(webhookKey(webhookSecret(bytes(length)))).toEqual(bytes(length))
  expect(webhookSecret(bytes(24))).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
})

test.each([[23], [65], [0]])('%d bytes are no secret', (length) => {
  expect(() => webhookSecret(bytes(length))).toThrow(new RangeError('a webhook secret needs 24 to 64 random bytes'))
  expect(webhookKey(`whsec_${btoa(String.fromCharCode(...bytes(length)))}`)).toBeNull()
})

test.each([
  [null],
  [5],
  [''],
  ['whsec_'],
  ['whsec_***'],
  [`whsec_****${'A'.repeat(32)}`],
  [`whsec_${'A'.repeat(32)}****`],
  ['WHSEC_AAAA'],
  [`x${webhookSecret(bytes(24))}`],
  [`${webhookSecret(bytes(24))}A`],
])('%j is no secret', (secret) => {
  expect(webhookKey(secret)).toBeNull()
})
