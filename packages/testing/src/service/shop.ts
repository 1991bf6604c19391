import assert from 'node:assert/strict'
import type { Asset, Product } from '@stowage/protocol'
import type { JsonResponse, TestService } from './service.ts'
import { API } from './upload.ts'

/** A product as it is sent to the service, which assigns the `id`. */
interface ProductToPut extends Partial<Omit<Product, 'id'>> {
  variant_id: number
}

export function aProductToPut(facts: ProductToPut): Omit<Product, 'id'> {
  return {
    product_id: 1,
    name: 'Sample pack',
    variant_name: `Variant ${facts.variant_id}`,
    sku: `SKU-${facts.variant_id}`,
    vendor: 'Sounds',
    tags: ['audio'],
    ...facts,
  }
}

/** `count` products with one variant each. The shop's IDs start at `first`. */
export function productsFrom(first: number, count: number): ProductToPut[] {
  return Array.from({ length: count }, (_, index) => ({
    product_id: first + index,
    variant_id: first + index,
  }))
}

/** Stores the products and returns them. Fails unless the service accepts them. */
export async function putProducts(
  { call }: TestService,
  products: ProductToPut[],
): Promise<Product[]> {
  const body = { products: products.map(aProductToPut) }
  const response = await call('PUT', `${API}/products`, body)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

/** Stores one variant, of product 1 by default. */
export async function putProduct(service: TestService, facts: ProductToPut): Promise<Product> {
  const [product] = await putProducts(service, [facts])
  assert.ok(product)
  return product
}

interface LinkToStore {
  filename?: string
  url?: string
  size?: number | string
  path?: string
}

/** Stores a link and returns it. Fails unless the service accepts it. */
export async function storeLink({ call }: TestService, link: LinkToStore = {}): Promise<Asset> {
  const body = { filename: 'link.zip', url: 'https://example.com/link.zip', ...link }
  const response = await call('POST', `${API}/assets/store`, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body.data
}

/** Stores `count` links with the same name, many times as fast as by single requests. */
export async function storeManyLinks(
  service: TestService,
  count: number,
  details: LinkToStore = {},
): Promise<void> {
  const { context } = service
  const link = await storeLink(service, details)
  const [account] = await context.database.listAccounts()
  const record = (await context.database.listRecords(undefined, 1000)).find(
    ({ asset }) => asset.id === link.id,
  )
  assert.ok(record && account)
  const data = context.database.of(account.id)
  for (let stored = 1; stored < count; stored += 3000) {
    const length = Math.min(3000, count - stored)
    const copy = () => ({ ...record, asset: { ...record.asset, id: context.newId() } })
    await data.importRecords({ keys: [], assets: Array.from({ length }, copy) })
  }
}

interface References {
  product_ids?: number[]
  variant_ids?: number[]
  products?: string[]
}

export function attach(
  { call }: TestService,
  id: string,
  references: References,
): Promise<JsonResponse> {
  return call('POST', `${API}/assets/${id}/attach`, references)
}

export function detach(
  { call }: TestService,
  id: string,
  references: References,
): Promise<JsonResponse> {
  return call('POST', `${API}/assets/${id}/detach`, references)
}

/** The products that the asset is attached to. */
export async function productsOf({ call }: TestService, id: string): Promise<Product[]> {
  const response = await call('GET', `${API}/assets/${id}?with_products=true`)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data.products
}

/** The filenames on a page of assets, in order. */
export async function namesOf({ call }: TestService, query: string): Promise<string[]> {
  const response = await call('GET', `${API}/assets?${query}`)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data.map(({ filename }: Asset) => filename)
}

/** Fails unless the usage counters of every account match its rows. */
export async function assertUsageConsistent({
  context,
}: Pick<TestService, 'context'>): Promise<void> {
  for (const { counted, actual } of await context.database.compareUsage()) {
    assert.deepEqual(counted, actual)
  }
}
