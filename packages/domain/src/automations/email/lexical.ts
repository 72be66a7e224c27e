import { ownValue } from '../../rules/attributes'
import { escapeHtml } from './escape-html'
import { markdownToHtml } from './markdown'

/** The document is no Lexical document, or has a node that nobody knows how to show. */
export class LexicalError extends Error {
  readonly code = 'invalid_lexical'
}

const MAX_DEPTH = 64

/**
 * The HTML of a document of the Lexical editor, as its JSON text: text with its formats, headings, lists, quotes, links,
 * code, tables and the usual cards (image, button, HTML, Markdown, callout, bookmark, divider).
 *
 * @param hide applied to every text before it is escaped: keeps Liquid whole
 * @throws LexicalError for anything else
 */
export function lexicalToHtml(json: string, hide: (text: string) => string): string {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch {
    throw new LexicalError('the body is no JSON')
  }
  const root = ownValue(document, 'root')
  if (ownValue(root, 'type') !== 'root' || !Array.isArray(ownValue(root, 'children'))) {
    throw new LexicalError('the body is no Lexical document: it has no root with children')
  }
  return new LexicalRenderer(hide).children(root, 0)
}

class LexicalRenderer {
  constructor(private readonly hide: (text: string) => string) {}

  children(node: unknown, depth: number): string {
    const children = ownValue(node, 'children')
    if (children === undefined) return ''
    if (!Array.isArray(children)) throw new LexicalError('the children of a node are no list')
    if (depth >= MAX_DEPTH) throw new LexicalError(`nodes are nested deeper than ${MAX_DEPTH} levels`)
    return children.map((child) => this.node(child, depth + 1)).join('')
  }

  private node(node: unknown, depth: number): string {
    const type = ownValue(node, 'type')
    if (typeof type !== 'string') throw new LexicalError('a node has no type')
    const render = NODES.get(type.replace(/^extended-/, ''))
    if (render === undefined) throw new LexicalError(`a node has the unknown type ${JSON.stringify(type.slice(0, 50))}`)
    return render({
      inner: () => this.children(node, depth),
      value: (key) => ownValue(node, key),
      text: (key) => this.text(ownValue(node, key)),
      raw: (key) => this.hide(stringOf(ownValue(node, key))),
    })
  }

  private text(value: unknown): string {
    return escapeHtml(this.hide(stringOf(value)))
  }
}

interface NodeReader {
  inner(): string
  value(key: string): unknown
  /** Escaped, for contents and attributes. */
  text(key: string): string
  /** HTML, or Markdown, as it is. */
  raw(key: string): string
}

type RenderNode = (node: NodeReader) => string

const element =
  (tag: string): RenderNode =>
  (node) =>
    `<${tag}${alignment(node)}>${node.inner()}</${tag}>`

const heading: RenderNode = (node) =>
  element(oneOf(node.value('tag'), ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'], 'h2'))(node)

const list: RenderNode = (node) =>
  element(node.value('listType') === 'number' || node.value('tag') === 'ol' ? 'ol' : 'ul')(node)

const link: RenderNode = (node) => `<a href="${node.text('url')}">${node.inner()}</a>`

/** Bits of a text node's format, innermost first. */
const FORMATS: readonly [number, string][] = [
  [16, 'code'],
  [32, 'sub'],
  [64, 'sup'],
  [128, 'mark'],
  [8, 'u'],
  [4, 's'],
  [2, 'em'],
  [1, 'strong'],
]

const text: RenderNode = (node) => {
  const format = Number(node.value('format') ?? 0)
  return FORMATS.reduce((html, [bit, tag]) => (format & bit ? `<${tag}>${html}</${tag}>` : html), node.text('text'))
}

const image: RenderNode = (node) => {
  const width = Number(node.value('width'))
  const size = Number.isFinite(width) && width > 0 ? ` width="${Math.min(width, 600)}"` : ''
  const img = `<img src="${node.text('src')}" alt="${node.text('alt')}"${size}>`
  const linked = node.value('href') ? `<a href="${node.text('href')}">${img}</a>` : img
  const caption = node.raw('caption')
  return `<p>${linked}</p>${caption === '' ? '' : `<p>${caption}</p>`}`
}

const button: RenderNode = (node) => {
  const align = node.value('alignment') === 'center' ? ' style="text-align:center"' : ''
  const style =
    'display:inline-block;padding:10px 18px;border-radius:5px;background:#15171a;color:#fff;text-decoration:none'
  return `<p${align}><a href="${node.text('buttonUrl')}" style="${style}">${node.text('buttonText')}</a></p>`
}

const bookmark: RenderNode = (node) => {
  const title = ownValue(node.value('metadata'), 'title')
  return `<p><a href="${node.text('url')}">${title ? escapeHtml(stringOf(title)) : node.text('url')}</a></p>`
}

const NODES: ReadonlyMap<string, RenderNode> = new Map<string, RenderNode>([
  ['paragraph', element('p')],
  ['heading', heading],
  ['quote', element('blockquote')],
  ['aside', element('blockquote')],
  ['list', list],
  ['listitem', element('li')],
  ['link', link],
  ['autolink', link],
  ['text', text],
  ['code-highlight', text],
  ['tab', () => ' '],
  ['linebreak', () => '<br>'],
  ['code', (node) => `<pre><code>${node.inner()}</code></pre>`],
  ['codeblock', (node) => `<pre><code>${node.text('code')}</code></pre>`],
  ['horizontalrule', () => '<hr>'],
  ['table', (node) => `<table>${node.inner()}</table>`],
  ['tablerow', (node) => `<tr>${node.inner()}</tr>`],
  [
    'tablecell',
    (node) => (Number(node.value('headerState') ?? 0) > 0 ? `<th>${node.inner()}</th>` : `<td>${node.inner()}</td>`),
  ],
  ['image', image],
  ['button', button],
  ['bookmark', bookmark],
  ['html', (node) => node.raw('html')],
  ['email', (node) => node.raw('html')],
  ['email-cta', (node) => node.raw('html') + (node.value('buttonUrl') ? button(node) : '')],
  ['markdown', (node) => markdownToHtml(node.raw('markdown'))],
  ['callout', (node) => `<blockquote>${node.text('calloutEmoji')} ${node.raw('calloutText')}</blockquote>`],
  ['toggle', (node) => `<p><strong>${node.raw('heading')}</strong></p>${node.raw('content')}`],
])

const ALIGNMENTS = ['', 'left', 'center', 'right', 'justify']

/** By name; an editor that exports numbers means the same list. */
function alignment(node: NodeReader): string {
  const format = node.value('format')
  const name = typeof format === 'number' ? ALIGNMENTS[format] : format
  return typeof name === 'string' && name !== '' && ALIGNMENTS.includes(name) ? ` style="text-align:${name}"` : ''
}

function oneOf(value: unknown, allowed: readonly string[], otherwise: string): string {
  return allowed.find((candidate) => candidate === value) ?? otherwise
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
