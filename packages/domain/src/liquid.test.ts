import type { Micros } from '@dwell/contracts/instant'
import { isStorableText } from '@dwell/contracts/parse-event'
import { MAX_TEMPLATE_LENGTH, renderHtml, renderText, templateFault } from './liquid'

const moment = { now: (Date.UTC(2026, 8, 1, 22, 30) * 1000 + 7) as Micros, timeZone: 'UTC' }
const scope = { contact: { name: 'Ann', custom_attribute: { tier: 'gold', 'shoe-size': 44 } }, list: ['a', 'b'] }

function render(text: string, change: Partial<typeof moment> = {}): string {
  const rendered = renderText(text, scope, { ...moment, ...change })
  return rendered.ok ? rendered.text : `! ${rendered.error}`
}

describe('a template', () => {
  test.each([
    ['Still there, {{contact.name}}?', 'Still there, Ann?'],
    ['{{ contact.custom_attribute.tier | upcase }}', 'GOLD'],
    ['{{ contact.custom_attribute["shoe-size"] }}', '44'],
    ['{{ nobody.knows.this }}|{{ contact.nope }}', '|'],
    ['{{ contact.nope | default: "friend" }}', 'friend'],
    ['{% for x in list %}{{ x }};{% endfor %}', 'a;b;'],
    ['100 % of { braces }', '100 % of { braces }'],
    ['{{ contact.constructor }}{{ contact.__proto__ }}{{ list.constructor }}', ''],
    ['', ''],
  ])('%s renders %j', (text, expected) => {
    expect(templateFault(text)).toBeNull()
    expect(render(text)).toBe(expected)
  })

  test('reads the moment it is given, in the zone it is given, never the machine’s clock', () => {
    expect(render("{{ 'now' | date: '%Y-%m-%d %H:%M' }}")).toBe('2026-09-01 22:30')
    expect(render("{{ 'today' | date: '%Y-%m-%d %H:%M' }}", { timeZone: 'Europe/Berlin' })).toBe('2026-09-02 00:30')
    expect(render("{{ 'now' | date: '%H', 'Asia/Tokyo' }}")).toBe('07')
    expect(render("{{ 'now' | date: '%H' }}", { timeZone: 'Nowhere/Land' })).toBe('22')
    expect(render("{{ '2026-09-01T10:00:00Z' | date: '%B' }}")).toBe('September')
    expect(render("{{ contact.name | date: '%Y' }}")).toBe('Ann')
    expect(render('{{ now }}{{ moment }}{{ timeZone }}')).toBe('')
  })
})

describe('a bad template is refused at save and answers at fire time', () => {
  test.each([
    ['{{ contact.name', /not closed/],
    ['{% if x %}', /not closed/],
    ['{{ x | no_such_filter }}', /undefined filter: no_such_filter/],
    ['{% no_such_tag %}', /"no_such_tag" not found/],
    ["{% include 'x' %}", /"include" not found/],
    ["{% render 'x' %}", /"render" not found/],
    ["{% layout 'x' %}", /"layout" not found/],
    ['{% block x %}{% endblock %}', /"block" not found/],
    ['{{ list | sample }}', /undefined filter: sample/],
    ["{{ 'now' | date_to_string }}", /undefined filter: date_to_string/],
    ['x'.repeat(MAX_TEMPLATE_LENGTH + 1), /at most 150000 characters/],
  ])('%.40s', (text, reason) => {
    expect(templateFault(text)).toMatch(reason)
    expect(render(text)).toMatch(reason)
  })

  test('its reason is one line', () => {
    expect(templateFault('ok\n{{ x | no_such_filter }}')).toBe('undefined filter: no_such_filter, line:2, col:1')
  })
})

describe('a rendering that goes too far ends with a reason', () => {
  const loop = (name: string, inner: string) => `{% for ${name} in (1..3000) %}${inner}{% endfor %}`
  test.each([
    ['ranges', '{% for i in (1..100000000) %}x{% endfor %}', /memory alloc limit exceeded/],
    ['nested loops', loop('a', loop('b', loop('c', 'x'))), /limit exceeded/],
    [
      'doubling',
      `{% assign s = 'xxxxxxxxxxxxxxxx' %}${'{% assign s = s | append: s %}'.repeat(30)}{{ s }}`,
      /memory alloc limit exceeded/,
    ],
    ['output', '{% for i in (1..200) %}{{ "x" | ljust: 1 }}{% endfor %}', /undefined filter/],
    ['an unknown zone', "{{ 'now' | date: '%H', 'Nowhere/Land' }}", /zone/i],
  ])('%s', (_, text, reason) => {
    expect(render(text)).toMatch(reason)
  })

  test('but not because the machine was busy for a moment', () => {
    let pauses = 2
    const busy = {
      get name() {
        const began = performance.now()
        for (pauses -= 1; pauses >= 0 && performance.now() - began < 150; );
        return 'Ann'
      },
    }
    expect(renderText('Hi {{ contact.name }}{{ contact.surname }}', { contact: busy }, moment)).toEqual({
      ok: true,
      text: 'Hi Ann',
    })
    expect(pauses).toBe(-1)
  })

  test('what is wrong otherwise is wrong at once: it is not tried again', () => {
    let times = 0
    const counted = {
      get name() {
        times += 1
        return 'Ann'
      },
    }
    const text = '{{ contact.name }}{% for i in (1..100000000) %}x{% endfor %}'
    expect(renderText(text, { contact: counted }, moment)).toMatchObject({ ok: false })
    expect(times).toBe(1)
  })

  test('more text than a message may have', () => {
    const rendered = renderText('{{ big }}{{ big }}', { big: 'x'.repeat(MAX_TEMPLATE_LENGTH / 2) }, moment)
    expect(rendered).toMatchObject({ ok: true })
    expect(renderText('{{ big }}{{ big }}x', { big: 'x'.repeat(MAX_TEMPLATE_LENGTH / 2) }, moment)).toEqual({
      ok: false,
      error: 'the rendered text has more than 150000 characters',
    })
  })
})

test('what is rendered can be stored: no NUL, no half of a surrogate pair', () => {
  for (const text of ["{{ 'a%00b' | url_decode }}", "{{ '😀😀' | slice: 0, 1 }}", "{{ '😀' | truncate: 1, '' }}"]) {
    expect(isStorableText(render(text))).toBe(true)
  }
  expect(render("{{ 'a%00b' | url_decode }}")).toBe('ab')
  const half = renderText('{{ x }}', { x: '\ud83d!' }, moment)
  expect(half).toEqual({ ok: true, text: '\ufffd!' })
})

test('many templates do not grow the cache without end, and none answers for another', () => {
  for (let i = 0; i < 2500; i++) expect(render(`${i}{{ contact.name }}`)).toBe(`${i}Ann`)
  expect(render('0{{ contact.name }}')).toBe('0Ann')
})

describe('a template that is HTML', () => {
  test('writes values so that they are text, whatever they hold', () => {
    const named = { contact: { name: '<b onclick="x()">Ann & Bert</b>' } }
    expect(renderHtml('<p title="{{ contact.name }}">{{ contact.name | upcase }}</p>', named, moment)).toEqual({
      ok: true,
      text:
        '<p title="&lt;b onclick=&#34;x()&#34;&gt;Ann &amp; Bert&lt;/b&gt;">' +
        '&lt;B ONCLICK=&#34;X()&#34;&gt;ANN &amp; BERT&lt;/B&gt;</p>',
    })
  })

  test('leaves its own markup and plain text as they are', () => {
    expect(renderHtml('<p>a & b</p>{% if true %}<br>{% endif %}', {}, moment)).toEqual({
      ok: true,
      text: '<p>a & b</p><br>',
    })
  })
})

test('what is wrong with a template is said in at most 500 characters, which can be stored', () => {
  expect(templateFault(`{{ x | ${'f'.repeat(600)} }}`)).toBe(`undefined filter: ${'f'.repeat(600)}`.slice(0, 500))
  expect(isStorableText(templateFault('{{ x | \ud83d }}') ?? '')).toBe(true)
})

test('a text is as long as it may be, and dates are written in English whatever the machine speaks', () => {
  expect(templateFault('x'.repeat(MAX_TEMPLATE_LENGTH))).toBeNull()
  expect(render("{{ '2026-12-01T10:00:00Z' | date: '%A %B' }}")).toBe('Tuesday December')
})

test.each(['date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string'])(
  'the filter %s is refused: it would not know the moment',
  (filter) => {
    expect(templateFault(`{{ 'now' | ${filter} }}`)).toMatch(/undefined filter/)
  },
)
