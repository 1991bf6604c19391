import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdown } from './markdown.ts'

test('headings, paragraphs, lists and inline code become elements', () => {
  const { markup } = markdown(
    'Use `a < b`.\n\n## Get started\n\n- one\ntwo\n- three\n\n1. first\n2. second\n',
  )
  assert.equal(
    markup,
    '<p>Use <code>a &lt; b</code>.</p><h2 id="get-started">Get started</h2>' +
      '<ul><li>one\ntwo</li><li>three</li></ul><ol><li>first</li><li>second</li></ol>',
  )
})

test('fenced code keeps its empty lines and its markup characters', () => {
  const { markup } = markdown('Before\n\n```sh\nline 1\n\n## <line 2>\n```\n\nAfter')
  assert.match(markup, /<pre><code>line 1\n\n## &lt;line 2&gt;<\/code><\/pre>/)
  assert.match(markup, /^<p>Before<\/p>.*<p>After<\/p>$/s)
})
