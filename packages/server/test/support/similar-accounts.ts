import assert from 'node:assert/strict'
import type { Product, UploadSession } from '@stowage/protocol'
import {
  anAccount,
  type Call,
  finishUpload,
  sendUpload,
  type TestAccount,
} from '@stowage/testing/service/accounts'
import type { TestService } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'
import { hashKey } from '../../src/operations/authentication.ts'

/** An account with the same filenames, shop IDs and idempotency keys as another test account. */
export interface SimilarAccount extends TestAccount {
  bytes: Buffer
  /** A ready file that is attached to both variants of product 77. */
  file: UploadSession
  /** A ready file that is not attached to any product. */
  unattached: UploadSession
  /** An unfinished upload. */
  open: UploadSession
  /** A link asset that is attached to variant 781. */
  linkId: string
  products: Product[]
  /** Values that must never appear in a response to another account. */
  privateValues: string[]
}

/** `name` must occur nowhere else. A different `size` gives the account different file contents. */
export async function aSimilarAccount(
  service: TestService,
  { name, size }: { name: string; size: number },
): Promise<SimilarAccount> {
  const account = await anAccount(service, { name })
  const { call, keys } = account
  const bytes = someBytes(size, size)
  const send = (file: string, order: string) =>
    sendUpload(call, { name: file, bytes }, { 'Idempotency-Key': order })
  const file = await send('pack.zip', 'order-1')
  const unattached = await send('pack 2.zip', 'order-2')
  const open = await send('pack 3.zip', 'order-3')
  await finishUpload(call, file)
  await finishUpload(call, unattached)
  const link = {
    filename: 'pack link.zip',
    url: `https://${name}.example/pack.zip`,
    size: '10MB',
    path: 'course',
  }
  const linkId = (await create(call, 'POST', '/assets/store', link)).id
  const products: Product[] = await create(call, 'PUT', '/products', { products: productsOf(name) })
  await create(call, 'POST', `/assets/${file.session.id}/attach`, { product_ids: [77] })
  await create(call, 'POST', `/assets/${linkId}/attach`, { variant_ids: [781] })
  const sessions = [file, unattached, open].map(({ session }) => session)
  const secrets = Object.values(keys).map(({ secret }) => secret)
  return {
    ...account,
    bytes,
    file: file.session,
    unattached: unattached.session,
    open: open.session,
    linkId,
    products,
    privateValues: [
      account.id,
      name,
      linkId,
      ...sessions.flatMap(({ id, upload_id }) => [id, upload_id]),
      ...[file, unattached, open].flatMap(({ parts }) => parts.map(({ ETag }) => ETag)),
      ...products.map(({ id }) => id),
      ...Object.values(keys).map(({ id }) => id),
      ...secrets.flatMap((secret) => [secret, hashKey(secret), `…${secret.slice(-4)}`]),
    ],
  }
}

async function create(call: Call, method: string, path: string, body: object) {
  const response = await call(method, API + path, body)
  assert.ok(response.status < 300, response.text)
  return response.body.data
}

function productsOf(name: string) {
  const common = { name: `Pack of ${name}`, vendor: 'Sounds', tags: ['audio', 'sale'] }
  return [
    { ...common, product_id: 77, variant_id: 771, variant_name: 'WAV', sku: 'PACK-1' },
    { ...common, product_id: 77, variant_id: 772, variant_name: 'MP3', sku: 'PACK-2' },
    { ...common, product_id: 78, variant_id: 781, variant_name: 'WAV', sku: 'PACK-1' },
  ]
}

/** Fails when a response contains one of these values, unless the request contains it too. */
export function checkingForLeaks(call: Call, privateValues: string[]): Call {
  return async (...request) => {
    const response = await call(...request)
    const sent = JSON.stringify(request)
    const received = [response.text, ...response.headers.values()].join('\n')
    const leaked = privateValues.filter(
      (value) => received.includes(value) && !sent.includes(value),
    )
    assert.deepEqual(leaked, [], `${sent}: ${received}`)
    return response
  }
}

const ASSET_FILTERS = {
  filename: ['PACK'],
  sku: ['PACK-1'],
  product_id: ['77'],
  attached: ['true', 'false'],
  type: ['file', 'link'],
  path: ['course'],
}

const PRODUCT_FILTERS = {
  name: ['wav'],
  sku: ['PACK-1'],
  product_id: ['77'],
  variant_id: ['781'],
  vendor: ['sounds'],
  tag: ['SALE'],
}

const SORTS = ['created_at', '-created_at', 'filename', '-filename', 'bytes', '-bytes']

/** Lists of assets and products, with each combination of these filters, and in each sort order. */
export function listPaths(): string[] {
  const assets = combinations(ASSET_FILTERS).map(
    (query, index) =>
      `${API}/assets?with_products=true&sort=${SORTS[index % SORTS.length]}${query}`,
  )
  const products = combinations(PRODUCT_FILTERS).map(
    (query) => `${API}/products?with_assets=true${query}`,
  )
  const sorted = SORTS.map((sort) => `${API}/assets?limit=2&page=2&sort=${sort}`)
  return [...assets, ...sorted, ...products]
}

/** Other paths that the account can read, with its own IDs. */
export function ownPaths({ file, unattached, open, linkId, products }: SimilarAccount): string[] {
  const ids = [file.id, unattached.id, open.id, linkId]
  return [
    `${API}/account`,
    `${API}/keys`,
    `${API}/uploads`,
    `${API}/uploads?filename=e`,
    ...ids.map((id) => `${API}/assets/${id}?with_products=true`),
    ...ids.flatMap((id) => [`${API}/assets/${id}/upload`, `${API}/assets/${id}/download`]),
    ...products.map(({ id }) => `${API}/products/${id}?with_assets=true`),
  ]
}

/** Query strings for every combination of filters; each filter has one of its values or is left out. */
function combinations(filters: Record<string, string[]>): string[] {
  return Object.entries(filters).reduce<string[]>(
    (queries, [name, values]) =>
      queries.flatMap((query) => [
        query,
        ...values.map((value) => `${query}&${name}=${encodeURIComponent(value)}`),
      ]),
    [''],
  )
}
