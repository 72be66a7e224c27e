/** What the server says of a field, which begins small and ends without a stop, as a sentence. */
export function sentence(words: string): string {
  const text = words.trim()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
