import { LexicalError, lexicalToHtml } from './lexical'

const documentOf = (...children: object[]) => JSON.stringify({ root: { type: 'root', version: 1, children } })
const html = (...children: object[]) => lexicalToHtml(documentOf(...children), (text) => text)
const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more })

describe('text', () => {
  test.each([
    [0, 'a'],
    [1, '<strong>a</strong>'],
    [2, '<em>a</em>'],
    [4, '<s>a</s>'],
    [8, '<u>a</u>'],
    [16, '<code>a</code>'],
    [32, '<sub>a</sub>'],
    [64, '<sup>a</sup>'],
    [128, '<mark>a</mark>'],
    [3, '<strong><em>a</em></strong>'],
    [255, '<strong><em><s><u><mark><sup><sub><code>a</code></sub></sup></mark></u></s></em></strong>'],
  ])('has the formats of its bits: %d', (format, expected) => {
    expect(html(text('a', { format }))).toBe(expected)
  })

  test('is escaped, and has no format where none is said', () => {
    expect(html(text('<b> & "c"'))).toBe('&lt;b&gt; &amp; &quot;c&quot;')
    expect(html({ type: 'text' })).toBe('')
    expect(html({ type: 'text', text: 5 })).toBe('')
  })

  test('is hidden before it is escaped, markup as it is', () => {
    const hidden: string[] = []
    const hide = (value: string) => {
      hidden.push(value)
      return `[${value}]`
    }
    expect(lexicalToHtml(documentOf(text('a < b'), { type: 'html', html: '<b>x</b>' }), hide)).toBe(
      '[a &lt; b][<b>x</b>]',
    )
    expect(hidden).toEqual(['a < b', '<b>x</b>'])
  })
})

describe('a node becomes its element', () => {
  const a = [text('a')]

  test.each<[object, string]>([
    [{ type: 'paragraph', children: a }, '<p>a</p>'],
    [{ type: 'extended-quote', children: a }, '<blockquote>a</blockquote>'],
    [{ type: 'quote', children: a }, '<blockquote>a</blockquote>'],
    [{ type: 'aside', children: a }, '<blockquote>a</blockquote>'],
    [{ type: 'listitem', children: a }, '<li>a</li>'],
    [{ type: 'list', children: a }, '<ul>a</ul>'],
    [{ type: 'list', listType: 'bullet', tag: 'ul', children: a }, '<ul>a</ul>'],
    [{ type: 'list', listType: 'number', children: a }, '<ol>a</ol>'],
    [{ type: 'list', tag: 'ol', children: a }, '<ol>a</ol>'],
    [
      { type: 'link', url: 'https://x.example/?a=1&b=2', children: a },
      '<a href="https://x.example/?a=1&amp;b=2">a</a>',
    ],
    [{ type: 'autolink', url: 'https://x.example', children: a }, '<a href="https://x.example">a</a>'],
    [{ type: 'code-highlight', text: 'a' }, 'a'],
    [{ type: 'tab' }, ' '],
    [{ type: 'linebreak' }, '<br>'],
    [{ type: 'code', children: a }, '<pre><code>a</code></pre>'],
    [{ type: 'codeblock', code: 'a < b' }, '<pre><code>a &lt; b</code></pre>'],
    [{ type: 'horizontalrule' }, '<hr>'],
    [
      {
        type: 'table',
        children: [
          {
            type: 'tablerow',
            children: [
              { type: 'tablecell', headerState: 1, children: a },
              { type: 'tablecell', headerState: 0, children: a },
              { type: 'tablecell', children: a },
            ],
          },
        ],
      },
      '<table><tr><th>a</th><td>a</td><td>a</td></tr></table>',
    ],
    [{ type: 'html', html: '<b>a</b>' }, '<b>a</b>'],
    [{ type: 'email', html: '<b>a</b>' }, '<b>a</b>'],
    [{ type: 'markdown', markdown: '*a*' }, '<p><em>a</em></p>\n'],
    [{ type: 'callout', calloutEmoji: '💡', calloutText: '<b>a</b>' }, '<blockquote>💡 <b>a</b></blockquote>'],
    [{ type: 'toggle', heading: 'h', content: '<p>a</p>' }, '<p><strong>h</strong></p><p>a</p>'],
    [
      { type: 'bookmark', url: 'https://x.example/?a&b', metadata: { title: 'X & Y' } },
      '<p><a href="https://x.example/?a&amp;b">X &amp; Y</a></p>',
    ],
    [{ type: 'bookmark', url: 'https://x.example' }, '<p><a href="https://x.example">https://x.example</a></p>'],
    [
      { type: 'bookmark', url: 'https://x.example', metadata: { title: '' } },
      '<p><a href="https://x.example">https://x.example</a></p>',
    ],
  ])('%#: %.60j', (node, expected) => {
    expect(html(node)).toBe(expected)
  })

  test('a heading has the level it says, and the second where it says none that there is', () => {
    for (const tag of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
      expect(html({ type: 'heading', tag, children: a })).toBe(`<${tag}>a</${tag}>`)
    for (const tag of ['h7', 'script', 5, undefined])
      expect(html({ type: 'heading', tag, children: a })).toBe('<h2>a</h2>')
  })

  test('is aligned by name, or by the number that the editor exports', () => {
    const aligned = (format: unknown) => html({ type: 'paragraph', format, children: a })
    for (const name of ['left', 'center', 'right', 'justify'])
      expect(aligned(name)).toBe(`<p style="text-align:${name}">a</p>`)
    expect([1, 2, 3, 4].map(aligned)).toEqual(
      ['left', 'center', 'right', 'justify'].map((name) => `<p style="text-align:${name}">a</p>`),
    )
    for (const none of ['', 0, 5, -1, 1.5, 'middle', 'x" onload="y', null, undefined, {}])
      expect(aligned(none)).toBe('<p>a</p>')
  })
})

describe('a card', () => {
  test('with an image has its size, text, link and caption as far as they are said', () => {
    const image = (more: object) => html({ type: 'image', src: 'https://x.example/a.png', ...more })
    expect(image({})).toBe('<p><img src="https://x.example/a.png" alt=""></p>')
    expect(image({ alt: 'a "b"', width: 300 })).toBe(
      '<p><img src="https://x.example/a.png" alt="a &quot;b&quot;" width="300"></p>',
    )
    expect(image({ width: 2000 })).toContain(' width="600"')
    for (const width of [0, -5, 'wide', null, Number.POSITIVE_INFINITY]) expect(image({ width })).not.toContain('width')
    expect(image({ href: 'https://x.example/?a&b' })).toBe(
      '<p><a href="https://x.example/?a&amp;b"><img src="https://x.example/a.png" alt=""></a></p>',
    )
    expect(image({ caption: '<i>c</i>' })).toBe('<p><img src="https://x.example/a.png" alt=""></p><p><i>c</i></p>')
  })

  const style =
    'display:inline-block;padding:10px 18px;border-radius:5px;background:#15171a;color:#fff;text-decoration:none'

  test('with a button is centred where it says so', () => {
    const button = (alignment?: string) =>
      html({ type: 'button', buttonText: 'Go & see', buttonUrl: 'https://x.example/?a&b', alignment })
    const link = `<a href="https://x.example/?a&amp;b" style="${style}">Go &amp; see</a>`
    expect(button('center')).toBe(`<p style="text-align:center">${link}</p>`)
    expect(button('left')).toBe(`<p>${link}</p>`)
    expect(button()).toBe(`<p>${link}</p>`)
  })

  test('with a call to action has its button where it leads somewhere', () => {
    const cta = (more: object) => html({ type: 'email-cta', html: '<p>a</p>', ...more })
    expect(cta({})).toBe('<p>a</p>')
    expect(cta({ buttonText: 'Go', buttonUrl: 'https://x.example' })).toBe(
      `<p>a</p><p><a href="https://x.example" style="${style}">Go</a></p>`,
    )
  })
})

describe('what is no document', () => {
  const nested = (levels: number) =>
    Array.from({ length: levels }).reduce((node: object) => ({ type: 'quote', children: [node] }), text('a'))

  test.each<[string, string]>([
    ['{', 'the body is no JSON'],
    ['{"root":{"type":"paragraph","children":[]}}', 'the body is no Lexical document: it has no root with children'],
    ['{"root":{"type":"root"}}', 'the body is no Lexical document: it has no root with children'],
    [documentOf({}), 'a node has no type'],
    [documentOf({ type: 5 }), 'a node has no type'],
    [documentOf({ type: 'x-extended-text' }), 'a node has the unknown type "x-extended-text"'],
    [documentOf({ type: 'x'.repeat(60) }), `a node has the unknown type "${'x'.repeat(50)}"`],
    [documentOf({ type: 'paragraph', children: 'a' }), 'the children of a node are no list'],
    [documentOf(nested(64)), 'nodes are nested deeper than 64 levels'],
  ])('says so: %.60s', (json, message) => {
    expect(() => lexicalToHtml(json, (value) => value)).toThrow(LexicalError)
    expect(() => lexicalToHtml(json, (value) => value)).toThrow(message)
  })

  test('has a code by which its author’s faults are told from others', () => {
    expect(new LexicalError('x').code).toBe('invalid_lexical')
  })

  test('64 levels are not too many, and a node may have no children at all', () => {
    expect(html(nested(63))).toContain('a')
    expect(html({ type: 'paragraph' })).toBe('<p></p>')
  })
})
