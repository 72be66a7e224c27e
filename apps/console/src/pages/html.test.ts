import { html, page } from './html'

test('whatever is put into a page is text, never markup', () => {
  const evil = `<script>alert("1" & '2')</script>`
  expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
    '<p title="&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;">' +
      '&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;</p>',
  )
  expect(page(evil, html`${['<', html`<br>`, null, undefined, 0]}`)).toContain('&lt;<br>0')
})
