const ADDRESS = /^[^\s@<>()[\],;:"\\\p{Cc}]+@[^\s@<>()[\],;:"\\\p{Cc}]+$/u
const MAX_ADDRESS_LENGTH = 254

/** Plain `user@host`, nothing that could smuggle in a second recipient or a header. */
export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text)
}

/** The parts of a list separated by commas, trimmed; each address once. */
export function splitAddresses(text: string): readonly string[] {
  const addresses = new Map<string, string>()
  for (const part of text.split(',')) {
    const address = part.trim()
    if (address !== '' && !addresses.has(address.toLowerCase())) addresses.set(address.toLowerCase(), address)
  }
  return [...addresses.values()]
}
