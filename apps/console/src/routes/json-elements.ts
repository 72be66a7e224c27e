/**
 * The texts of the elements of a JSON array, exactly as they stand: parsing and writing them again would change numbers
 * and drop repeated keys. `text` must be valid JSON of an array.
 */
export function jsonElements(text: string): string[] {
  const elements: string[] = []
  let depth = 0
  let inString = false
  let start = -1
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
      continue
    }
    if (character === '"') inString = true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth === 1 && start < 0 && character === '[') start = at + 1
    else if ((depth === 1 && character === ',') || (depth === 0 && character === ']')) {
      const element = text.slice(start, at).trim()
      if (element !== '') elements.push(element)
      start = at + 1
    }
  }
  return elements
}
