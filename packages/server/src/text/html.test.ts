import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'

test('values are escaped in text and in attributes', () => {
  const hostile = `"><script>alert('&')</script>`
  const { markup } = html`<p title="${hostile}">${hostile}</p>`
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;'
  assert.equal(markup, `<p title="${escaped}">${escaped}</p>`)
})

test('markup and lists of markup are inserted without escaping, and missing values insert nothing', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`)
  assert.equal(html`<ul>${items}${undefined}</ul>`.markup, '<ul><li>a</li><li>&lt;b&gt;</li></ul>')
})
