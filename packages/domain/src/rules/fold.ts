const ASCII = /^[\0-\x7f]*$/

let lastText = ''
let lastFolded = ''

/**
 * A text without regard to letter case, for comparing with other folded texts only. Follows Unicode's full case folding
 * (ß is SS, all sigmas are one, a dotless ı is no i); composed and decomposed accents are the same letter.
 */
export function fold(text: string): string {
  // Many rules look at the same message: the last text is kept.
  if (text === lastText) return lastFolded
  const folded = ASCII.test(text) ? text.toUpperCase() : foldUnicode(text)
  lastText = text
  lastFolded = folded
  return folded
}

function foldUnicode(text: string): string {
  // Lower case first: only ß, not ẞ, becomes SS.
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase())
    .normalize('NFC')
}
