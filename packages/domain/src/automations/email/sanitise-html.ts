import sanitizeHtml from 'sanitize-html'

/** What one pass over a mail's HTML may do besides cleaning it. */
export interface LinkPass {
  /** The address a link leads to instead of its own; also called to learn which links there are. */
  readonly link?: (url: string) => string
}

const LAYOUT_ATTRIBUTES = [
  'style',
  'class',
  'id',
  'title',
  'dir',
  'lang',
  'role',
  'aria-*',
  'align',
  'valign',
  'width',
  'height',
  'bgcolor',
  'border',
]

/**
 * HTML that is safe to send and to show: no scripts, no event handlers, no forms or frames, no addresses but web, mail and
 * telephone. Layout stays as it is: tables, inline styles, style elements, images.
 */
export function sanitiseHtml(html: string, { link }: LinkPass = {}): string {
  return sanitizeHtml(html, {
    allowedTags: [
      ...sanitizeHtml.defaults.allowedTags,
      ...['img', 'center', 'font', 'del', 'ins', 'sub', 'sup', 'style', 'picture', 'source'],
    ],
    allowedAttributes: {
      '*': LAYOUT_ATTRIBUTES,
      a: ['href', 'name', 'target', 'rel'],
      img: ['src', 'srcset', 'alt', 'loading'],
      source: ['srcset', 'media', 'type'],
      font: ['color', 'face', 'size'],
      table: ['cellpadding', 'cellspacing'],
      td: ['colspan', 'rowspan'],
      th: ['colspan', 'rowspan', 'scope'],
      style: ['media', 'type'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
    allowProtocolRelative: false,
    // A style element cannot run anything; what has to be kept out of it is its own end, and that the parser has found.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    // What is nested deeper is no layout, and would exhaust the stack of whoever walks it.
    nestingLimit: 100,
    nonTextTags: ['script', 'textarea', 'option', 'noscript', 'title', 'iframe', 'object', 'svg', 'math'],
    ...(link === undefined
      ? {}
      : { transformTags: { a: (tagName, attribs) => ({ tagName, attribs: relinked(attribs, link) }) } }),
  })
}

function relinked(attribs: sanitizeHtml.Attributes, link: (url: string) => string): sanitizeHtml.Attributes {
  const { href } = attribs
  return href !== undefined && isWebAddress(href) ? { ...attribs, href: link(href.trim()) } : attribs
}

export function isWebAddress(url: string): boolean {
  return /^\s*https?:\/\//i.test(url)
}
