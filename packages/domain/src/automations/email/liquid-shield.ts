/**
 * Keeps Liquid out of the way while a text is turned into HTML. Each construct becomes a word of letters and digits,
 * which Markdown, URLs and escaping all leave alone, and is put back afterwards.
 */
export interface LiquidShield {
  /** The text with words in place of its constructs. */
  hide(text: string): string
  /** The constructs in place of their words. */
  restore(html: string): string
  /** What is left to be seen where nothing is known yet: a mark per output, nothing per tag. */
  blank(html: string): string
}

/** Whether a text has anything for Liquid to do. */
export function hasLiquid(text: string): boolean {
  return text.includes('{{') || text.includes('{%')
}

/** @param source everything that will be hidden: the words occur nowhere in it */
export function liquidShield(source: string): LiquidShield {
  const prefix = unusedPrefix(source)
  const word = new RegExp(`${prefix}(\\d+)z`, 'g')
  const tagParagraph = new RegExp(`<p>((?:\\s*${prefix}\\d+z\\s*)+)</p>`, 'g')
  const constructs: string[] = []
  const constructOf = (index: string) => constructs[Number(index)] ?? ''
  const isTag = (index: string) => constructOf(index).startsWith('{%')
  return {
    hide: (text) =>
      split(text, (construct) => {
        constructs.push(construct)
        return `${prefix}${constructs.length - 1}z`
      }),
    restore: (html) =>
      html
        // A tag on a line of its own is no paragraph: else every condition would leave an empty one.
        .replace(tagParagraph, (paragraph, words: string) =>
          [...words.matchAll(word)].every(([, index]) => isTag(index ?? '')) ? words : paragraph,
        )
        .replace(word, (_, index: string) => constructOf(index)),
    blank: (html) => html.replace(word, (_, index: string) => (isTag(index) ? '' : MARK)),
  }
}

/** Outputs and tags, as far as Markdown and HTML are concerned: from an opening to the next closing. */
function split(text: string, replace: (construct: string) => string): string {
  let result = ''
  let from = 0
  for (const { index, 0: opening } of text.matchAll(/\{\{|\{%/g)) {
    if (index < from) continue
    const closing = opening === '{{' ? '}}' : '%}'
    const end = text.indexOf(closing, index + 2)
    // Searched for once only: a text full of openings that nothing closes must not take for ever.
    if (end < 0) break
    result += text.slice(from, index) + replace(text.slice(index, end + 2))
    from = end + 2
  }
  return result + text.slice(from)
}

/** Stands for a value that is not known; no URL and no text has it. */
export const MARK = '\u{f8ff}'

function unusedPrefix(source: string): string {
  const lower = source.toLowerCase()
  for (let n = 0; ; n++) {
    const prefix = `lq${n}x`
    if (!lower.includes(prefix)) return prefix
  }
}
