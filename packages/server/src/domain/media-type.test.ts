import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesMediaType, parseMediaType } from './media-type.ts'

test('a media type may have parameters; an empty one means application/octet-stream', () => {
  assert.equal(parseMediaType('text/plain; charset=utf-8'), 'text/plain; charset=utf-8')
  assert.equal(parseMediaType(''), 'application/octet-stream')
  assert.equal(parseMediaType(undefined), 'application/octet-stream')
  for (const text of ['zip', 'a/b/c', 'a/b\r\nX: y', 'text/plain;', 'a b/c']) {
    assert.equal(parseMediaType(text), undefined, text)
  }
})

test('a pattern matches all media types of its kind, in any case and with any parameters', () => {
  for (const [pattern, mime, expected] of [
    ['image/*', 'image/png', true],
    ['image/*', 'IMAGE/SVG+XML; charset=utf-8', true],
    ['Image/*', 'image/png', true],
    ['image/*', 'imagery/png', false],
    ['image/*', 'application/image', false],
    ['text/plain', 'text/plain;charset=utf-8', true],
    ['text/plain', 'text/plainer', false],
    ['text/plain', 'text/html', false],
  ] as const) {
    assert.equal(matchesMediaType([pattern], mime), expected, `${pattern} ${mime}`)
  }
  assert.ok(matchesMediaType(['video/*', 'text/csv'], 'text/csv'))
})
