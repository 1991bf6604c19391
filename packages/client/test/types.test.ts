import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, type ErrorFacts, isStowageError, StowageError } from '@stowage/client'

/* The compiler checks these: a type that is not expected fails `npm run check`. */

function checkErrors(error: unknown): void {
  if (isStowageError(error, 'storage_exceeded')) {
    const code: 'storage_exceeded' = error.code
    const missing: number = error.facts.needed - error.facts.available
    void [code, missing]
    // @ts-expect-error: this fact belongs to another code
    error.facts.upload_id.trim()
  } else if (isStowageError(error, 'replacement_in_progress')) {
    error.facts.upload_id.trim()
  } else if (isStowageError(error)) {
    const { code, facts }: { code: string; facts: Record<string, unknown> } = error
    void [code, facts]
    // @ts-expect-error: without a code, the facts are unknown
    error.facts.needed.toFixed()
  }
}

async function checkCalls(client: Client): Promise<void> {
  for await (const asset of client.assets({ with_products: true })) asset.products.length
  const { data } = await client.assets({ with_products: true, limit: 5 }).page()
  data[0]?.products.length
  const asset = await client.asset('', { with_products: true })
  asset.products.length
  const attached = await client.attach('', { skus: ['x'] })
  attached.products.length
  // @ts-expect-error: the products were not requested
  for await (const other of client.assets({ search: 'x' })) other.products.length
  for await (const product of client.products({ with_assets: true })) {
    product.assets.length + product.assets_total
  }
  const product = await client.product('', { with_assets: true })
  product.assets.length
  // @ts-expect-error: the assets were not requested
  for await (const other of client.products()) other.assets.length
  for await (const order of client.orders({ with_assets: true })) order.assets.length
  const order = await client.order('', { with_assets: true })
  order.assets.length
  const { assets } = await client.attachToOrder('', [''])
  assets.length
  // @ts-expect-error: the assets were not requested
  for await (const other of client.orders({ status: 'held' })) other.assets.length
  // @ts-expect-error: there is no such status
  client.orders({ status: 'paid' })
  // @ts-expect-error: there is no such field
  await client.createOrder({ max_download: 5 })
  // @ts-expect-error: there is no such filter
  client.assets({ colour: 'red' })
  // @ts-expect-error: there is no such option
  await client.upload(new Uint8Array(), { filename: 'a.pdf' })
}

test('isStowageError narrows the code and the facts, and with_products makes the products present', () => {
  assert.ok(checkCalls)
  const facts: ErrorFacts['storage_full'] = { needed: 5, available: 3 }
  const error: unknown = new StowageError('storage_full', 'Full', { facts })
  checkErrors(error)
  assert.ok(isStowageError(error, 'storage_full'))
  assert.equal(error.facts.needed - error.facts.available, 2)
})
