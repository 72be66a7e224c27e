import { isEmailAddress, splitAddresses } from './email-addresses'

test.each(['a@x.com', 'first.last+tag@sub.x.example', 'ü@exämple.de', "o'neil@x", `a@${'x'.repeat(252)}`])(
  '%s is an address',
  (address) => {
    expect(isEmailAddress(address)).toBe(true)
  },
)

test.each([
  '',
  'a',
  '@x.com',
  'a@',
  'a@b@c',
  'a b@x.com',
  'Ann <a@x.com>',
  'a@x.com,b@x.com',
  'a@x.com;b@x.com',
  'a@x.com\r\nBcc: b@x.com',
  'a\0@x.com',
  'a\u007f@x.com',
  '"a"@x.com',
  `a@${'x'.repeat(253)}`,
])('%j is none', (address) => {
  expect(isEmailAddress(address)).toBe(false)
})

test('a list is split on commas, trimmed, and names each address once, as it was written first', () => {
  expect(splitAddresses(' A@x.com, b@y.com ,,a@X.com,\n')).toEqual(['A@x.com', 'b@y.com'])
  expect(splitAddresses('')).toEqual([])
})
