import { escapeHtml } from './escape-html'
import { htmlToText } from './html-to-text'
import { markdownToHtml } from './markdown'

test.each([
  ['<a href="https://x.example">https://x.example</a>', 'https://x.example'],
  ['<a href="https://x.example">here</a>', 'here [https://x.example]'],
  ['<a href="#top">up</a>', 'up'],
  ['<h1>Title</h1><p>text</p>', 'Title\n\ntext'],
  ['<img src="https://x.example/a.png" alt="a">text<style>p{}</style>', 'text'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><th>c</th><td>d</td></tr></table>', 'a b \nc d'],
])('%s reads %j', (html, text) => {
  expect(htmlToText(html)).toBe(text)
})

test('every character that means something in HTML is escaped', () => {
  expect(escapeHtml('<a href="x">&</a>')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;')
})

describe('Markdown', () => {
  test('makes a link of what is written as an address, and of nothing that only looks like a name', () => {
    expect(markdownToHtml('see https://x.example/a')).toBe(
      '<p>see <a href="https://x.example/a">https://x.example/a</a></p>\n',
    )
    expect(markdownToHtml('member.name and x.example')).toBe('<p>member.name and x.example</p>\n')
  })

  test('keeps HTML', () => {
    expect(markdownToHtml('a <b>b</b>')).toBe('<p>a <b>b</b></p>\n')
  })
})
