import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMediaType } from './media-type.ts'

test('a media type may have parameters; an empty one means application/octet-stream', () => {
  assert.equal(parseMediaType('text/plain; charset=utf-8'), 'text/plain; charset=utf-8')
  assert.equal(parseMediaType(''), 'application/octet-stream')
  assert.equal(parseMediaType(undefined), 'application/octet-stream')
  for (const text of ['zip', 'a/b/c', 'a/b\r\nX: y', 'text/plain;', 'a b/c']) {
    assert.equal(parseMediaType(text), undefined, text)
  }
})
