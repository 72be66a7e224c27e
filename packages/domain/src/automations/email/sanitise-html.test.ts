import { isWebAddress, sanitiseHtml } from './sanitise-html'

describe('layout stays as it is', () => {
  test.each([
    '<center>a</center>',
    '<font color="red" face="serif" size="2">a</font>',
    '<p><del>a</del><ins>b</ins><sub>c</sub><sup>d</sup></p>',
    '<picture><source srcset="https://x.example/a.webp 2x" media="(min-width:1px)" type="image/webp"></source><img src="https://x.example/a.png" srcset="https://x.example/b.png 2x" alt="a" loading="lazy" /></picture>',
    '<a href="https://x.example" name="n" target="_blank" rel="noopener">a</a>',
    '<table cellpadding="1" cellspacing="2"><tr><td colspan="2" rowspan="3">a</td><th colspan="2" rowspan="3" scope="col">b</th></tr></table>',
    '<style media="screen" type="text/css">p{color:red}</style>',
    '<p style="color:RED;;mso-x:1" class="c" id="i" title="t" dir="rtl" lang="ar" role="none" aria-label="l">a</p>',
    '<table align="center" valign="top" width="1" height="2" bgcolor="#fff" border="0"><tr><td>a</td></tr></table>',
  ])('%.70s', (html) => {
    expect(sanitiseHtml(html)).toBe(html)
  })
})

describe('addresses', () => {
  const link = (href: string) => sanitiseHtml(`<a href="${href}">a</a>`)
  const image = (src: string) => sanitiseHtml(`<img src="${src}" />`)

  test.each(['http://x.example', 'https://x.example', 'mailto:a@x.example', 'tel:+4712'])(
    'a link may lead to %s',
    (href) => {
      expect(link(href)).toBe(`<a href="${href}">a</a>`)
    },
  )

  test.each(['javascript:x()', 'data:text/html,x', 'ftp://x.example', 'cid:a', '//x.example'])(
    'but not to %s',
    (href) => {
      expect(link(href)).toBe('<a>a</a>')
    },
  )

  test.each(['http://x.example/a', 'https://x.example/a', 'cid:a', 'data:image/png;base64,AA'])(
    'an image may be %s',
    (src) => {
      expect(image(src)).toBe(`<img src="${src}" />`)
    },
  )

  test.each(['javascript:x()', 'mailto:a@x.example', '//x.example/a'])('but not %s', (src) => {
    expect(image(src)).toBe('<img />')
  })

  test('of the web are http and https in any letter case, behind any spaces', () => {
    for (const url of ['http://x', 'https://x', ' HTTPS://x', '\n\thttp://x']) expect(isWebAddress(url)).toBe(true)
    for (const url of ['mailto:http://x', 'xhttp://x', 'http:x', '//x', '', 'x http://y'])
      expect(isWebAddress(url)).toBe(false)
  })
})

test('what is no text for readers goes with its contents', () => {
  for (const tag of ['script', 'textarea', 'noscript', 'title', 'iframe', 'object', 'svg', 'math']) {
    expect(sanitiseHtml(`<p>a<${tag}>hidden</${tag}>b</p>`)).toBe('<p>ab</p>')
  }
  expect(sanitiseHtml('<select><option>hidden</option></select>b')).toBe('b')
})

test('unknown elements go, their text stays', () => {
  expect(sanitiseHtml('<form><button onclick="x()">a</button></form><blink>b</blink>')).toBe('ab')
})

test('what is nested deeper than a hundred levels goes', () => {
  const nested = (levels: number) => `${'<div>'.repeat(levels)}a${'</div>'.repeat(levels)}`
  expect(sanitiseHtml(nested(100))).toBe(nested(100))
  expect(sanitiseHtml(nested(101))).not.toBe(nested(101))
})

describe('links that lead elsewhere', () => {
  const seen: string[] = []
  const link = (url: string) => {
    seen.push(url)
    return `https://count.example/?to=${encodeURIComponent(url)}`
  }

  test('are those of the web, each with its address as it was meant', () => {
    const html =
      '<a href=" https://x.example ">a</a><a href="mailto:a@x.example">b</a><a name="n">c</a><a href="HTTP://y.example">d</a>'
    expect(sanitiseHtml(html, { link })).toBe(
      '<a href="https://count.example/?to=https%3A%2F%2Fx.example">a</a><a href="mailto:a@x.example">b</a>' +
        '<a name="n">c</a><a href="https://count.example/?to=HTTP%3A%2F%2Fy.example">d</a>',
    )
    expect(seen).toEqual(['https://x.example', 'HTTP://y.example'])
  })
})
