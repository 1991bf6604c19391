import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/client'
import { previewKindOf } from './preview-kind.ts'

const kindOf = (mime: string, bytes = 1) => previewKindOf({ mime, bytes, is_file: true } as Asset)

test('pictures, sound, film and PDF are shown', () => {
  assert.equal(kindOf('image/png'), 'image')
  assert.equal(kindOf('IMAGE/SVG+XML; charset=utf-8'), 'image')
  assert.equal(kindOf('audio/mpeg'), 'audio')
  assert.equal(kindOf('video/mp4'), 'video')
  assert.equal(kindOf('application/pdf'), 'pdf')
})

test('pages, unknown things, what is empty and what is too large to be read as a whole are not', () => {
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
