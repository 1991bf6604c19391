import assert from 'node:assert/strict'
import type { Asset, Order, OrderRequest } from '@stowage/protocol'
import type { TestService } from '@stowage/testing/service/service'
import { attach, putProduct } from '@stowage/testing/service/shop'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'

export const ORDERS = `${API}/orders`

/** A service with a product that has a file. */
export interface SoldFile {
  file: Asset
  bytes: Buffer
}

export async function aSoldFile(service: TestService, name = 'pack.zip'): Promise<SoldFile> {
  await putProduct(service, { variant_id: 11, name: 'Sample pack' })
  const bytes = someBytes(2500)
  const file = await uploadFile(service.baseUrl, { name, bytes })
  assert.equal((await attach(service, file.id, { product_ids: [1] })).status, 201)
  return { file, bytes }
}

/** Creates an order of product 1, unless it has other lines or assets. */
export async function anOrder(
  { call }: Pick<TestService, 'call'>,
  request: OrderRequest = {},
): Promise<Order> {
  const lines = request.assets === undefined ? [{ product_id: 1 }] : []
  const response = await call('POST', ORDERS, { lines, ...request })
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body.data
}

export function urlOf({ url }: Order): string {
  assert.ok(url)
  return url
}

/** Presses the button of a file. */
export function press(order: Order, assetId: string): Promise<Response> {
  return fetch(`${urlOf(order)}/${assetId}`, { method: 'POST', redirect: 'manual' })
}

/** How often the page says that the file was downloaded. */
export async function downloadedOf(
  { call }: Pick<TestService, 'call'>,
  order: Order,
): Promise<number> {
  const token = urlOf(order).split('/').at(-1)
  const { status, body } = await call('GET', `/api/v2/customer-account-orders?id=${token}`)
  assert.equal(status, 200, JSON.stringify(body))
  const [first] = [
    ...body.order.lines.flatMap((line: { assets: object[] }) => line.assets),
    ...body.order.assets,
  ]
  return first.limits.downloaded
}
