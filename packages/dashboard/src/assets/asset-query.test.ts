import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetsAddress, nextSort, readAssetQuery } from './asset-query.ts'

test('an address says only what differs, and reads back as it was written', () => {
  const query = { search: 'a & b=?é', show: 'unlinked', sort: 'bytes', page: 3 } as const
  assert.deepEqual(readAssetQuery(assetsAddress(query).slice(2)), query)
  assert.equal(assetsAddress(readAssetQuery('')), '/')
  assert.equal(assetsAddress({ ...readAssetQuery(''), page: 2 }), '/?page=2')
})

test('what nobody can have meant is as at first', () => {
  for (const address of ['page=0', 'page=-1', 'page=1.5', 'page=x', 'sort=name', 'show=some']) {
    assert.deepEqual(readAssetQuery(address), readAssetQuery(''), address)
  }
})

test('a header turns the order round; the first click gives the more useful one', () => {
  assert.equal(nextSort('-created_at', 'created_at'), 'created_at')
  assert.equal(nextSort('created_at', 'created_at'), '-created_at')
  assert.equal(nextSort('-created_at', 'filename'), 'filename')
  assert.equal(nextSort('filename', 'filename'), '-filename')
  assert.equal(nextSort('filename', 'bytes'), '-bytes')
})
