/** HTML that is safe to send: what `html` interpolates is escaped, unless it is Markup itself. */
export class Markup {
  constructor(readonly text: string) {}
}

export function html(literals: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return new Markup(literals.reduce((text, literal, index) => text + markup(values[index - 1]) + literal))
}

function markup(value: unknown): string {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(markup).join('')
  return value === null || value === undefined ? '' : escaped(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
