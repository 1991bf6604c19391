import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StowageEvent } from '@stowage/client'
import { affects } from './affects.ts'

const event = (type: string, data: object) => [{ type, data }] as unknown as StowageEvent[]

test('an event affects the lists and the page of its asset, but no other asset', () => {
  const ready = event('asset.ready', { id: 'a' })
  for (const key of [
    ['assets', {}],
    ['asset', 'a'],
    ['versions', 'a', 1],
    ['account', 'usage'],
  ]) {
    assert.ok(affects(ready, key), `${key}`)
  }
  for (const key of [
    ['asset', 'b'],
    ['versions', 'b'],
    ['keys'],
    ['session'],
    ['download-url', 'a'],
  ]) {
    assert.ok(!affects(ready, key), `${key}`)
  }
})

test('an event of a product affects every asset that shows it', () => {
  const updated = event('product.updated', { id: 'p' })
  assert.ok(affects(updated, ['asset', 'a']))
  assert.ok(affects(updated, ['products', {}]))
  assert.ok(!affects(updated, ['trash', {}]))
})

test('every event affects the activity', () => {
  assert.ok(affects(event('token.created', {}), ['events', {}]))
  assert.ok(!affects(event('token.created', {}), ['assets', {}]))
})
