import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeFilters, NO_FILTERS, productsAddress, readProductQuery } from './product-query.ts'

test('what an address says is read, and written as short as can be', () => {
  const query = { ...NO_FILTERS, name: 'ämne & co', tag: 'a,b', page: 3 }
  assert.deepEqual(readProductQuery(new URL(productsAddress(query), 'http://x').search), query)
  assert.equal(productsAddress({ ...NO_FILTERS, page: 1 }), '/products')
  assert.deepEqual(activeFilters(query), ['name', 'tag'])
})

test('nonsense in an address is as if it was not there', () => {
  for (const page of ['0', '-1', 'x', '1.5', '1e99']) {
    assert.deepEqual(readProductQuery(`?page=${page}&other=1`), { ...NO_FILTERS, page: 1 })
  }
  assert.equal(readProductQuery(`?name=${'n'.repeat(999)}`).name.length, 255)
})
