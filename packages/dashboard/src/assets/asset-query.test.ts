import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetsUrl, nextSort, readAssetQuery } from './asset-query.ts'

test('a URL contains only what differs from the defaults, and is read back unchanged', () => {
  const query = {
    search: 'a & b=?é',
    show: 'no-product',
    product: '12',
    path: 'a b/c',
    below: false,
    tag: 'Summer & sale',
    suggest: true,
    sort: 'bytes',
    page: 3,
  } as const
  assert.deepEqual(readAssetQuery(assetsUrl(query).slice(2)), query)
  assert.equal(assetsUrl(readAssetQuery('')), '/')
  assert.equal(assetsUrl({ ...readAssetQuery(''), page: 2 }), '/?page=2')
})

test('invalid parameters get their defaults', () => {
  for (const search of [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'sort=name',
    'show=some',
    'suggest=true',
    'product=x',
    'path=a//b',
    'path=../a',
  ]) {
    assert.deepEqual(readAssetQuery(search), readAssetQuery(''), search)
  }
})

test('a column header first sorts names ascending and other columns descending, and then reverses the order', () => {
  assert.equal(nextSort('-created_at', 'created_at'), 'created_at')
  assert.equal(nextSort('created_at', 'created_at'), '-created_at')
  assert.equal(nextSort('-created_at', 'filename'), 'filename')
  assert.equal(nextSort('filename', 'filename'), '-filename')
  assert.equal(nextSort('filename', 'bytes'), '-bytes')
})
