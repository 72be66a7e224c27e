import { layOut } from './lay-out'

const EMAIL = {
  subject: 'Hi <Ann>',
  html: '<p><a href="https://example.com/a?x=1&amp;y=2">a</a> <a href="https://dwell.example/u">bye</a></p>',
  text: 'a [https://example.com/a?x=1&y=2]',
}
const LAYOUT = {
  unsubscribeUrl: 'https://dwell.example/u',
  hasUnsubscribeLink: false,
  trackedLink: null,
  pixelUrl: null,
}

describe('a mail that goes out', () => {
  test('is a document with a way out, in HTML and in text', () => {
    const { subject, html, text } = layOut(EMAIL, LAYOUT)
    expect(subject).toBe('Hi <Ann>')
    expect(html).toContain('<title>Hi &lt;Ann&gt;</title>')
    expect(html).toContain('<a href="https://dwell.example/u">Unsubscribe</a>')
    expect(text).toBe('a [https://example.com/a?x=1&y=2]\n\n--\nUnsubscribe: https://dwell.example/u\n')
  })

  test('has no second way out where its text has one', () => {
    const { html, text } = layOut(EMAIL, { ...LAYOUT, hasUnsubscribeLink: true })
    expect(html).not.toContain('Unsubscribe')
    expect(text).toBe(EMAIL.text)
  })

  test('leads links over the counter only where clicks are counted, and never the way out', () => {
    expect(layOut(EMAIL, LAYOUT).html).toContain('href="https://example.com/a?x=1&amp;y=2"')
    const trackedLink = (url: string) => `https://dwell.example/c?to=${encodeURIComponent(url)}`
    const { html, text } = layOut(EMAIL, { ...LAYOUT, trackedLink })
    expect(html).toContain('href="https://dwell.example/c?to=https%3A%2F%2Fexample.com%2Fa%3Fx%3D1%26y%3D2"')
    expect(html).toContain('<a href="https://dwell.example/u">bye</a>')
    expect(text).toContain('[https://example.com/a?x=1&y=2]')
  })

  test('has a pixel only where opens are counted', () => {
    expect(layOut(EMAIL, LAYOUT).html).not.toContain('<img')
    const { html } = layOut(EMAIL, { ...LAYOUT, pixelUrl: 'https://dwell.example/o?a=1&b=2' })
    expect(html).toContain('<img src="https://dwell.example/o?a=1&amp;b=2" alt="" width="1" height="1">')
  })
})

test('nothing is added that is not asked for, nor changed', () => {
  const { html } = layOut({ ...EMAIL, html: '<p onclick="x">a</p>' }, { ...LAYOUT, hasUnsubscribeLink: true })
  expect(html).toContain('<p onclick="x">a</p>\n</body>')
  expect(layOut(EMAIL, LAYOUT).html).toMatch(/Unsubscribe<\/a><\/p>\n<\/body>/)
})
