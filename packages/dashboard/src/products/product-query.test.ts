import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  activeFilters,
  NO_FILTERS,
  nextSort,
  type ProductQuery,
  productsUrl,
  readProductQuery,
} from './product-query.ts'

test('a URL contains only what differs from the defaults, and is read back unchanged', () => {
  const query: ProductQuery = {
    ...NO_FILTERS,
    search: 'ämne & co',
    tag: 'a,b',
    show: 'without-files',
    sort: '-name',
    page: 3,
  }
  assert.deepEqual(readProductQuery(new URL(productsUrl(query), 'http://x').search), query)
  assert.equal(productsUrl({ ...NO_FILTERS, sort: '-product_id', page: 1 }), '/products')
  assert.deepEqual(activeFilters(query), ['search', 'tag', 'show'])
})

test('invalid parameters are ignored, and long filters are truncated', () => {
  for (const page of ['0', '-1', 'x', '1.5', '1e99']) {
    const query = readProductQuery(`?page=${page}&other=1&sort=bytes&show=x`)
    assert.deepEqual(query, { ...NO_FILTERS, sort: '-product_id', page: 1 })
  }
  assert.equal(readProductQuery(`?search=${'n'.repeat(999)}`).search.length, 255)
})

test('a column is sorted ascending, then descending, then no longer', () => {
  assert.equal(nextSort('-product_id', 'name'), 'name')
  assert.equal(nextSort('name', 'name'), '-name')
  assert.equal(nextSort('-name', 'name'), '-product_id')
  assert.equal(nextSort('-name', 'sku'), 'sku')
})
