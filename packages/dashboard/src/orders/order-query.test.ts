import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextSort, orderFilters, ordersUrl, readOrderQuery } from './order-query.ts'

test('the URL of the list has only what differs from the defaults, and is read back', () => {
  const query = { search: '#10 & co', status: 'held', sort: 'order_number', page: 3 } as const
  const url = ordersUrl(query)
  assert.equal(url, '/orders?search=%2310+%26+co&status=held&sort=order_number&page=3')
  assert.deepEqual(readOrderQuery(url.slice(url.indexOf('?'))), query)
  assert.equal(ordersUrl(readOrderQuery('')), '/orders')
})

test('invalid parameters in the URL get their defaults', () => {
  const query = readOrderQuery('?status=lost&sort=price&page=-1')
  assert.deepEqual(query, { search: '', status: '', sort: '-created_at', page: 1 })
  assert.deepEqual(orderFilters(query), { sort: '-created_at' })
})

test('a click on a column sorts by it, the next one reverses it, and the third one ends it', () => {
  assert.equal(nextSort('-created_at', 'ordered_at'), '-ordered_at')
  assert.equal(nextSort('-ordered_at', 'ordered_at'), 'ordered_at')
  assert.equal(nextSort('ordered_at', 'ordered_at'), '-created_at')
  assert.equal(nextSort('ordered_at', 'order_number'), 'order_number')
  assert.equal(nextSort('order_number', 'order_number'), '-order_number')
  assert.equal(nextSort('-order_number', 'order_number'), '-created_at')
})
