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
import { hashKey } from '../../src/operations/keys/hash-key.ts'

/** An account in which everything that people choose is the same as in its twin. */
export interface Twin extends TestAccount {
  bytes: Buffer
  /** A ready file, linked to both variants of product 77. */
  file: UploadSession
  /** Ready, and linked to nothing. */
  loose: UploadSession
  /** An upload that is not finished. */
  open: UploadSession
  /** A link, linked to variant 781. */
  linkId: string
  products: Product[]
  /** What must never show in an answer to somebody else. */
  traits: string[]
}

/** `name` is a word that occurs nowhere else; `size` differs, so that the files do. */
export async function aTwin(
  service: TestService,
  { name, size }: { name: string; size: number },
): Promise<Twin> {
  const account = await anAccount(service, { name })
  const { call, keys } = account
  const bytes = someBytes(size, size)
  const send = (file: string, order: string) =>
    sendUpload(call, { name: file, bytes }, { 'Idempotency-Key': order })
  const file = await send('pack.zip', 'order-1')
  const loose = await send('pack 2.zip', 'order-2')
  const open = await send('pack 3.zip', 'order-3')
  await finishUpload(call, file)
  await finishUpload(call, loose)
  const link = { filename: 'pack link.zip', url: `https://${name}.example/pack.zip`, size: '10MB' }
  const linkId = (await made(call, 'POST', '/assets/store', link)).id
  const products: Product[] = await made(call, 'PUT', '/products', { products: productsOf(name) })
  await made(call, 'POST', `/assets/${file.session.id}/attach`, { product_ids: [77] })
  await made(call, 'POST', `/assets/${linkId}/attach`, { variant_ids: [781] })
  const sessions = [file, loose, open].map(({ session }) => session)
  const secrets = Object.values(keys).map(({ secret }) => secret)
  return {
    ...account,
    bytes,
    file: file.session,
    loose: loose.session,
    open: open.session,
    linkId,
    products,
    traits: [
      account.id,
      name,
      linkId,
      ...sessions.flatMap(({ id, upload_id }) => [id, upload_id]),
      ...[file, loose, open].flatMap(({ parts }) => parts.map(({ ETag }) => ETag)),
      ...products.map(({ id }) => id),
      ...Object.values(keys).map(({ id }) => id),
      ...secrets.flatMap((secret) => [secret, hashKey(secret), `…${secret.slice(-4)}`]),
    ],
  }
}

async function made(call: Call, method: string, path: string, body: object) {
  const answer = await call(method, API + path, body)
  assert.ok(answer.status < 300, answer.text)
  return answer.body.data
}

function productsOf(name: string) {
  const common = { name: `Pack of ${name}`, vendor: 'Sounds', tags: ['audio', 'sale'] }
  return [
    { ...common, product_id: 77, variant_id: 771, variant_name: 'WAV', sku: 'PACK-1' },
    { ...common, product_id: 77, variant_id: 772, variant_name: 'MP3', sku: 'PACK-2' },
    { ...common, product_id: 78, variant_id: 781, variant_name: 'WAV', sku: 'PACK-1' },
  ]
}

/** Fails as soon as an answer shows one of these, unless the caller said it first. */
export function withoutTraits(call: Call, traits: string[]): Call {
  return async (...request) => {
    const answer = await call(...request)
    const said = JSON.stringify(request)
    const heard = [answer.text, ...answer.headers.values()].join('\n')
    const leaked = traits.filter((trait) => heard.includes(trait) && !said.includes(trait))
    assert.deepEqual(leaked, [], `${said}: ${heard}`)
    return answer
  }
}

const ASSET_FILTERS = {
  filename: ['PACK'],
  sku: ['PACK-1'],
  product_id: ['77'],
  linked: ['true', 'false'],
  type: ['file', 'link'],
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

/** Every list that an account can ask for: all filters, alone and together, and all sorts. */
export function listQuestions(): string[] {
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

/** Everything else that a twin can read, by its own ids. */
export function ownQuestions({ file, loose, open, linkId, products }: Twin): string[] {
  const ids = [file.id, loose.id, open.id, linkId]
  return [
    `${API}/account`,
    `${API}/keys`,
    ...ids.map((id) => `${API}/assets/${id}?with_products=true`),
    ...ids.flatMap((id) => [`${API}/assets/${id}/upload`, `${API}/assets/${id}/download`]),
    ...products.map(({ id }) => `${API}/products/${id}?with_assets=true`),
  ]
}

/** Each filter with each of its values or left out, as query strings. */
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
