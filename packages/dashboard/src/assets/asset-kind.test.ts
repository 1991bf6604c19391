import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/client'
import { previewKindOf } from './asset-kind.ts'

const kindOf = (mime: string, bytes = 1, filename = 'a') =>
  previewKindOf({ filename, mime, bytes, is_file: true } as Asset)

test('images, audio, video and PDF have a preview', () => {
  assert.equal(kindOf('image/png'), 'image')
  assert.equal(kindOf('IMAGE/SVG+XML; charset=utf-8'), 'image')
  assert.equal(kindOf('audio/mpeg'), 'audio')
  assert.equal(kindOf('video/mp4'), 'video')
  assert.equal(kindOf('application/pdf'), 'pdf')
})

test('text of any size has a preview, even if only its name shows that it is text', () => {
  for (const mime of [
    'text/plain; charset=utf-8',
    'text/csv',
    'application/json',
    'text/javascript',
  ]) {
    assert.equal(kindOf(mime, 5_000_000_000), 'text', mime)
  }
  assert.equal(kindOf('application/octet-stream', 1, 'README.md'), 'text')
  assert.equal(kindOf('application/octet-stream', 1, 'data.bin'), undefined)
  assert.equal(kindOf('application/octet-stream', 1, 'page.html'), undefined)
})

test('HTML, unknown types, empty files, links and files that are too large to load have no preview', () => {
  for (const mime of ['text/html', 'application/xhtml+xml', 'image/x-unknown', '']) {
    assert.equal(kindOf(mime), undefined, mime)
  }
  assert.equal(kindOf('image/png', 0), undefined)
  assert.equal(kindOf('application/pdf', 50_000_001), undefined)
  assert.equal(kindOf('image/png', 50_000_001), undefined)
  assert.equal(kindOf('video/mp4', 50_000_001), 'video')
  const link = { mime: 'image/png', bytes: 1, is_file: false } as Asset
  assert.equal(previewKindOf(link), undefined)
})
