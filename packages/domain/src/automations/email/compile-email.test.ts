import type { EmailData, EmailFormat } from '@dwell/contracts/automations'
import { type Micros, parseInstant } from '@dwell/contracts/instant'
import fc from 'fast-check'
import { unknownMember } from '../member'
import { compileEmail, NO_SUBJECT, type RenderedEmail } from './compile-email'
import { emailScope } from './email-scope'

const MOMENT = { now: parseInstant('2026-09-01T10:00:00Z') as Micros, timeZone: 'UTC' }

function scopeOf(name: string | null) {
  const member = unknownMember(1, '7')
  return emailScope({
    account: { id: 1, name: 'Acme' },
    automation: { id: 'a', name: 'Welcome' },
    member: { ...member, facts: { ...member.facts, name, email: 'ann@example.com', status: 'free' } },
    unsubscribeUrl: 'https://dwell.example/u/x?a=1&b=2',
  })
}

function compile(body: string, format: EmailFormat = 'markdown', subject = 'Hi') {
  const data: EmailData = { email_subject: subject, email_body: body, email_format: format }
  const compilation = compileEmail(data)
  if (!compilation.ok) throw new Error(compilation.faults.map(({ field, error }) => `${field}: ${error}`).join())
  return compilation.email
}

function render(body: string, format: EmailFormat = 'markdown', name: string | null = 'Ann Lee'): RenderedEmail {
  const rendering = compile(body, format).render(scopeOf(name), MOMENT)
  if (!rendering.ok) throw new Error(rendering.error)
  return rendering.email
}

describe('an e-mail in Markdown', () => {
  test('becomes HTML and text', () => {
    expect(
      render('# Hello {{ member.first_name }}\n\n**Welcome** to [us](https://example.com/start).\n\n- one\n- two'),
    ).toEqual({
      subject: 'Hi',
      html:
        '<h1>Hello Ann</h1>\n<p><strong>Welcome</strong> to <a href="https://example.com/start">us</a>.</p>\n' +
        '<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n',
      text: 'Hello Ann\n\nWelcome to us [https://example.com/start].\n\n * one\n * two',
    })
  })

  test('leaves Liquid to Liquid: quotes, underscores, comparisons and addresses', () => {
    expect(render('Hi {{ member.nick_name | default: "dear *friend*" }}', 'markdown').html).toBe(
      '<p>Hi dear *friend*</p>\n',
    )
    expect(render('{% if 1 < 2 and "a" == "a" %}yes{% else %}no{% endif %}').text).toBe('yes')
    expect(render('[go](https://example.com/?e={{ member.email | url_encode }}&x=1)').html).toBe(
      '<p><a href="https://example.com/?e=ann%40example.com&amp;x=1">go</a></p>\n',
    )
    expect(render('`{{ member.name }}` and {% raw %}{{ this }}{% endraw %}').html).toBe(
      '<p><code>Ann Lee</code> and {{ this }}</p>\n',
    )
  })

  test('has no empty paragraphs where a condition stands on lines of its own', () => {
    const body = 'A\n\n{% if member.name == "Nobody" %}\n\nB\n\n{% endif %}\n\nC'
    expect(render(body).html.replace(/\s+/g, '')).toBe('<p>A</p><p>C</p>')
    expect(render(body, 'markdown', 'Nobody').html.replace(/\s+/g, '')).toBe('<p>A</p><p>B</p><p>C</p>')
  })

  test('takes nothing a member is called for markup, whatever it is', () => {
    const name = '**x** <script>alert(1)</script> [a](javascript:b) <img src=x onerror=y>'
    const { html, text } = render('Hi {{ member.name }}', 'markdown', name)
    expect(html).toBe(
      '<p>Hi **x** &lt;script&gt;alert(1)&lt;/script&gt; [a](javascript:b) &lt;img src=x onerror=y&gt;</p>\n',
    )
    expect(text).toBe(`Hi ${name}`)
  })
})

/** A tag that runs something: by its name, by an attribute, by an address. Quoted values are text. */
function runs(tag: string): boolean {
  const unquoted = tag.replace(/"[^"]*"/g, '""')
  return /^<\/?(script|svg|iframe|!--)|\son\w+\s*=/i.test(unquoted) || /="\s*javascript:/i.test(tag)
}

describe('an e-mail in HTML', () => {
  test('keeps its layout and loses what could run', () => {
    const body =
      '<html><head><title>T</title><style>p{color:red}</style><script>x()</script></head><body onload="x()">' +
      '<table width="600" cellpadding="0"><tr><td style="padding:8px" align="center">Hi {{ member.first_name }}</td></tr></table>' +
      '<a href="javascript:x()">bad</a><a href="{{ member.name }}">worse</a><img src="https://example.com/a.png" onerror="x()">' +
      '<iframe src="https://example.com"></iframe><form action="/x"><input name="y"></form></body></html>'
    const { html } = render(body, 'html', 'javascript:alert(1)')
    expect(html).toContain('<style>p{color:red}</style><table width="600" cellpadding="0">')
    expect(html).toContain('<td style="padding:8px" align="center">Hi javascript:alert(1)</td>')
    expect(html).toContain('<a>bad</a><a>worse</a><img src="https://example.com/a.png" />')
    expect(html).not.toMatch(/script>|onload|onerror|iframe|form|input|<title|href/)
  })

  test('never renders to anything that runs', () => {
    const nasty = fc.constantFrom(
      '<script>',
      '</script>',
      '<a href="',
      'javascript:',
      '">',
      '<img src=x ',
      'onerror=alert(1)',
      '<svg onload=',
      '<style>',
      '</style>',
      '<!--',
      '-->',
      '{{ member.name }}',
      '&#106;avascript:',
      '<p>',
      "'",
      '/',
      ' ',
    )
    const pieces = fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(pieces, pieces, fc.constantFrom<EmailFormat>('html', 'markdown'), (body, name, format) => {
        const { html } = render(body.replace(/\{\{(?! )/g, ''), format, name)
        const outsideStyle = html.replace(/<style[^>]*>[\s\S]*?<\/style>/g, '')
        const tags = outsideStyle.match(/<[^>]*>?/g) ?? []
        expect(tags.filter(runs)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})

describe('an e-mail of the Lexical editor', () => {
  const text = (value: string, format = 0) => ({ type: 'extended-text', version: 1, text: value, format })
  const documentOf = (...children: object[]) => JSON.stringify({ root: { type: 'root', version: 1, children } })

  test('becomes HTML with its formats, headings, lists, links and cards', () => {
    const body = documentOf(
      { type: 'extended-heading', tag: 'h2', children: [text('Hi {{ member.name | default: "you" }}')] },
      {
        type: 'paragraph',
        format: 'center',
        children: [
          text('bold', 1),
          { type: 'linebreak' },
          text('a < b', 3),
          { type: 'link', url: 'https://example.com/?a=1&b=2', children: [text('go')] },
        ],
      },
      { type: 'list', listType: 'number', children: [{ type: 'listitem', children: [text('one')] }] },
      { type: 'horizontalrule' },
      { type: 'button', buttonText: 'Start', buttonUrl: 'https://example.com/start', alignment: 'center' },
      { type: 'markdown', markdown: '*md*' },
      { type: 'html', html: '<b>raw</b><script>x()</script>' },
    )
    const { html } = render(body, 'lexical', 'A & B')
    expect(html).toContain('<h2>Hi A &amp; B</h2>')
    expect(html).toContain('<p style="text-align:center"><strong>bold</strong><br /><strong><em>a &lt; b</em></strong>')
    expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2">go</a>')
    expect(html).toContain('<ol><li>one</li></ol><hr />')
    expect(html).toContain('>Start</a>')
    expect(html).toContain('<em>md</em>')
    expect(html).toContain('<b>raw</b>')
    expect(html).not.toContain('script')
  })

  test.each([
    ['{', 'no JSON'],
    ['[]', 'no Lexical document'],
    ['null', 'no Lexical document'],
    ['{"root":{"type":"root"}}', 'no Lexical document'],
    [documentOf({ type: 'hologram' }), 'unknown type "hologram"'],
    [documentOf({ type: 'paragraph', children: {} }), 'no list'],
    [documentOf({ children: [] }), 'no type'],
    [documentOf({ type: 'constructor', children: [] }), 'unknown type'],
  ])('that is none says so: %s', (body, error) => {
    expect(() => compile(body, 'lexical')).toThrow(error)
  })

  test('that is nested without end says so', () => {
    const deep = `${'{"type":"quote","children":['.repeat(100)}${']}'.repeat(100)}`
    expect(() => compile(`{"root":{"type":"root","children":[${deep}]}}`, 'lexical')).toThrow('nested deeper')
  })
})

describe('what is known of an e-mail before it is sent', () => {
  test.each<[string, EmailFormat, boolean]>([
    ['', 'markdown', false],
    [' \n ', 'html', false],
    ['<!-- later -->', 'markdown', false],
    ['<p>&nbsp;</p><br>', 'html', false],
    ['{% if x %}{% endif %}', 'markdown', false],
    ['{{ member.name }}', 'markdown', true],
    ['![](https://example.com/a.png)', 'markdown', true],
    ['<img src="https://example.com/a.png">', 'html', true],
    ['{"root":{"type":"root","children":[{"type":"paragraph","children":[]}]}}', 'lexical', false],
    [
      '{"root":{"type":"root","children":[{"type":"paragraph","children":[{"type":"text","text":"x"}]}]}}',
      'lexical',
      true,
    ],
    ['x', 'markdown', true],
  ])('the body %j in %s has something to see: %j', (body, format, seen) => {
    expect(compile(body, format).hasBody).toBe(seen)
  })

  test('three spaces are no subject', () => {
    expect(compile('x', 'markdown', '   ').hasSubject).toBe(false)
    expect(compile('x', 'markdown', ' Hi ').hasSubject).toBe(true)
  })

  test('its links, each once, without those that depend on the member', () => {
    const body =
      '[a](https://example.com/a) <https://example.com/b?x=1&y=2> [a again](https://example.com/a) [m](mailto:a@example.com) ' +
      '[mine](https://example.com/{{ member.id }}) [bye]({{ unsubscribe_url }})'
    const email = compile(body)
    expect(email.links).toEqual(['https://example.com/a', 'https://example.com/b?x=1&y=2'])
    expect(email.usesUnsubscribeUrl).toBe(true)
    expect(compile('x').usesUnsubscribeUrl).toBe(false)
  })

  test('what cannot be rendered, field by field', () => {
    const faults = (subject: string, body: string, format: EmailFormat = 'markdown') => {
      const compilation = compileEmail({ email_subject: subject, email_body: body, email_format: format })
      return compilation.ok ? [] : compilation.faults.map(({ field }) => field)
    }
    expect(faults('{{ member.name', '{% if x %}')).toEqual(['email_subject', 'email_body'])
    expect(faults('ok', '{{ x | nope }}')).toEqual(['email_body'])
    expect(faults('ok', '{% include "secrets" %}', 'html')).toEqual(['email_body'])
    expect(faults('ok', '{{ member.name }}')).toEqual([])
  })
})

test('a body that is all openings or all nesting is judged: no endless search, no exhausted stack', () => {
  for (const piece of ['{{', '{%', '<div>', '> ', '[', '<p>{{', '&']) {
    for (const email_format of ['markdown', 'html'] as const) {
      const compilation = compileEmail({ email_subject: '', email_body: piece.repeat(10_000), email_format })
      if (compilation.ok) expect(compilation.email.render(scopeOf('Ann'), MOMENT).ok).toBe(true)
      else expect(compilation.faults).toHaveLength(1)
    }
  }
})

describe('a subject', () => {
  const subjectOf = (subject: string, name: string | null) => {
    const rendering = compile('x', 'markdown', subject).render(scopeOf(name), MOMENT)
    return rendering.ok ? rendering.email.subject : rendering.error
  }

  test('is one line and plain text', () => {
    expect(subjectOf('Hi {{ member.name }}!', 'Ann\r\nBcc: <evil@example.com> & co')).toBe(
      'Hi Ann Bcc: <evil@example.com> & co!',
    )
  })

  test('is never blank', () => {
    expect(subjectOf('{{ member.name }}', null)).toBe(NO_SUBJECT)
    expect(NO_SUBJECT).toBe('(no subject)')
    expect(subjectOf(' \n', null)).toBe(NO_SUBJECT)
    expect(subjectOf('  Hi\t{{ member.name }} ', 'Ann')).toBe('Hi Ann')
  })
})

test('whatever is written can be compiled or has a fault that says why', () => {
  const format = fc.constantFrom<EmailFormat>('markdown', 'html', 'lexical')
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('{{', '}}', '{%', '%}', '{% if a %}', '{% endif %}', '<b>', '**', '[x](', 'lq0x1z', '\n\n'),
  )
  const source = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(source, source, format, (email_subject, email_body, email_format) => {
      const compilation = compileEmail({ email_subject, email_body, email_format })
      if (!compilation.ok) return expect(compilation.faults.length).toBeGreaterThan(0)
      const rendering = compilation.email.render(scopeOf('Ann'), MOMENT)
      expect(rendering.ok || rendering.error !== '').toBe(true)
    }),
    { numRuns: 500 },
  )
})
