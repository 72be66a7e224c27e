/** HTML that is safe to send: what `html` interpolates is escaped, unless it is Markup itself. */
export class Markup {
  constructor(readonly text: string) {}
}

export function html(literals: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return new Markup(
    literals.reduce((text, literal, index) => text + (index === 0 ? '' : render(values[index - 1])) + literal, ''),
  )
}

function render(value: unknown): string {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return value === null || value === undefined ? '' : escapeHtml(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A whole page; the stylesheet is the only thing it loads. */
export function page(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Dwell</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
${body}
</body>
</html>
`.text
}
