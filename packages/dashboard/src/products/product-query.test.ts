import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeFilters, NO_FILTERS, productsUrl, readProductQuery } from './product-query.ts'

test('a URL contains only what differs from the defaults, and is read back unchanged', () => {
  const query = { ...NO_FILTERS, search: 'ämne & co', tag: 'a,b', page: 3 }
  assert.deepEqual(readProductQuery(new URL(productsUrl(query), 'http://x').search), query)
  assert.equal(productsUrl({ ...NO_FILTERS, page: 1 }), '/products')
  assert.deepEqual(activeFilters(query), ['search', 'tag'])
})

test('invalid parameters are ignored, and long filters are truncated', () => {
  for (const page of ['0', '-1', 'x', '1.5', '1e99']) {
    assert.deepEqual(readProductQuery(`?page=${page}&other=1`), { ...NO_FILTERS, page: 1 })
  }
  assert.equal(readProductQuery(`?search=${'n'.repeat(999)}`).search.length, 255)
})
