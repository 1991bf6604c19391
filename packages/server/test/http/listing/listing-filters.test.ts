import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Asset, Product, ProductWithAssets } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import { attach, putProducts, storeLink } from '@stowage/testing/service/shop'
import {
  API,
  callUrl,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import fc from 'fast-check'

/* Runs on sqlite+disk and postgres+disk. */

const LARGEST = Number.MAX_SAFE_INTEGER

/** An asset in the table below, which lists the oldest first. */
interface Row {
  filename: string
  bytes: number
  type: 'file' | 'link'
  /** The variants that the asset is attached to. */
  variants: number[]
}

const ROWS: Row[] = [
  { filename: 'pack b.zip', bytes: 30, type: 'file', variants: [11] },
  { filename: 'Pack A.zip', bytes: 10, type: 'file', variants: [11, 12] },
  { filename: 'PACK C', bytes: 30, type: 'link', variants: [12, 21] },
  { filename: 'other.zip', bytes: 20, type: 'file', variants: [LARGEST] },
  { filename: 'pack a.zip', bytes: 40, type: 'link', variants: [] },
  { filename: 'alone 100%.zip', bytes: 0, type: 'file', variants: [] },
]

const PRODUCTS = [
  { product_id: 1, variant_id: 11, name: 'Drum kit', variant_name: 'WAV', sku: 'D-WAV' },
  { product_id: 1, variant_id: 12, name: 'Drum kit', variant_name: 'MP3', sku: 'D-MP3' },
  { product_id: 2, variant_id: 21, name: '弦楽器 100%', sku: 'D-WAV', vendor: 'ÉCLAIR' },
  { product_id: LARGEST, variant_id: LARGEST, name: 'Last', sku: 'ä b&c', tags: ['Loop', 'ÄTHER'] },
]

async function aFullShop(t: TestContext): Promise<{ service: TestService; products: Product[] }> {
  const service = await aService(t)
  const products = await putProducts(service, PRODUCTS)
  for (const [index, { filename, bytes, type, variants }] of ROWS.entries()) {
    const { id } =
      type === 'link'
        ? await storeLink(service, { filename, size: bytes })
        : await uploadFile(service.baseUrl, { name: filename, bytes: someBytes(bytes, index) })
    if (variants.length > 0) await attach(service, id, { variant_ids: variants })
  }
  // This asset is never listed, because it is not ready.
  const open = await requestSession(service.baseUrl, { name: 'pack open', bytes: someBytes(5) })
  await attach(service, open.id, { product_ids: [1] })
  return { service, products }
}

const byName = (one: Row, other: Row) => {
  const [a, b] = [one.filename.toLowerCase(), other.filename.toLowerCase()]
  return a < b ? -1 : Number(a > b)
}
const byBytes = (one: Row, other: Row) => one.bytes - other.bytes

/** Equal rows are in the order of creation, so that descending is the exact reverse. */
const SORTS: Record<string, Row[]> = {
  created_at: ROWS,
  filename: ROWS.toSorted(byName),
  bytes: ROWS.toSorted(byBytes),
}

interface Filter {
  query: string
  matches: (row: Row) => boolean
}

const hasVariant = (row: Row, variants: number[]) =>
  row.variants.some((id) => variants.includes(id))

/** The text that a search covers: the filename, and the names, SKUs and vendors of the products. Rows have no path. */
function textOf(row: Row): string {
  const products = PRODUCTS.filter(({ variant_id }) => row.variants.includes(variant_id))
  const texts = products.flatMap(({ name, variant_name, sku, vendor }) => [
    name,
    variant_name,
    sku,
    vendor,
  ])
  return [row.filename, ...texts].join(' ').toLowerCase()
}

const hasAll = (row: Row, ...words: string[]) => words.every((word) => textOf(row).includes(word))

const FILTERS: Record<string, Filter[]> = {
  search: [
    { query: 'search=zip+PACK', matches: (row) => hasAll(row, 'zip', 'pack') },
    { query: 'search=drum+a.zip', matches: (row) => hasAll(row, 'drum', 'a.zip') },
    { query: 'search=mp3%20%C3%A9clair', matches: (row) => hasAll(row, 'mp3', 'éclair') },
    { query: 'search=%C3%84+b%26C', matches: (row) => hasAll(row, 'ä', 'b&c') },
    { query: 'search=100%25', matches: (row) => hasAll(row, '100%') },
  ],
  filename: [
    { query: 'filename=pack', matches: (row) => /pack/i.test(row.filename) },
    { query: 'filename=A', matches: (row) => /a/i.test(row.filename) },
    { query: 'filename=100%25', matches: (row) => row.filename.includes('100%') },
  ],
  type: [
    { query: 'type=file', matches: (row) => row.type === 'file' },
    { query: 'type=link', matches: (row) => row.type === 'link' },
  ],
  attached: [
    { query: 'attached=true', matches: (row) => row.variants.length > 0 },
    { query: 'attached=0', matches: (row) => row.variants.length === 0 },
  ],
  sku: [
    { query: 'sku=D-WAV', matches: (row) => hasVariant(row, [11, 21]) },
    { query: 'sku=d-wav', matches: () => false },
    { query: 'sku=%C3%A4+b%26c', matches: (row) => hasVariant(row, [LARGEST]) },
  ],
  product_id: [
    { query: 'product_id=1', matches: (row) => hasVariant(row, [11, 12]) },
    { query: `product_id=${LARGEST}`, matches: (row) => hasVariant(row, [LARGEST]) },
    { query: 'product_id=0', matches: () => false },
  ],
}

/** Usually chooses no filter, so that most combinations match some rows. */
const maybe = (filters: Filter[] = []) =>
  fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 3 },
    { arbitrary: fc.constantFrom(...filters), weight: 1 },
  )

const combination = fc.record({
  filters: fc.tuple(
    maybe(FILTERS.search),
    maybe(FILTERS.filename),
    maybe(FILTERS.type),
    maybe(FILTERS.attached),
    maybe(FILTERS.sku),
    maybe(FILTERS.product_id),
  ),
  sort: fc.constantFrom(undefined, ...Object.keys(SORTS)),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 4 }),
  withProducts: fc.boolean(),
})

test('assets can be listed with any combination of filters and sort order, and the page links contain them', async (t) => {
  const { service } = await aFullShop(t)
  await fc.assert(
    fc.asyncProperty(combination, async ({ filters, sort, descending, limit, withProducts }) => {
      const chosen = filters.filter((filter) => filter !== undefined)
      const parameters = [
        `limit=${limit}`,
        ...chosen.map(({ query }) => query),
        ...(sort === undefined ? [] : [`sort=${descending ? '-' : ''}${sort}`]),
        ...(withProducts ? ['with_products=true'] : []),
      ]
      const sorted = SORTS[sort ?? 'created_at'] ?? []
      const ordered = sort === undefined || descending ? sorted.toReversed() : sorted
      const expected = ordered.filter((row) => chosen.every(({ matches }) => matches(row)))
      const request = { listing: 'assets', parameters, total: expected.length }
      const seen = await readPages<Asset>(service, request)
      assert.deepEqual(
        seen.map(({ filename, bytes, is_link }) => ({ filename, bytes, is_link })),
        expected.map(({ filename, bytes, type }) => ({
          filename,
          bytes,
          is_link: type === 'link',
        })),
      )
      const variants = seen.map(({ products }) => products?.map(({ variant_id }) => variant_id))
      assert.deepEqual(
        variants,
        expected.map((row) => (withProducts ? row.variants : undefined)),
      )
    }),
    { numRuns: 200 },
  )
})

/** Follows `links.next` through all pages, and checks that every link contains the whole query. */
async function readPages<Item>(
  { baseUrl }: TestService,
  { listing, parameters, total }: { listing: string; parameters: string[]; total: number },
): Promise<Item[]> {
  const path = `${baseUrl}${API}/${listing}`
  const requested = new URLSearchParams(parameters.join('&'))
  const urlOfPage = (page: number) => {
    const query = new URLSearchParams(requested)
    query.set('page', `${page}`)
    return `${path}?${query}`
  }
  const rows: Item[] = []
  let page = 1
  let next: string | null = `${path}?${parameters.join('&')}`
  while (next !== null) {
    const { status, body } = await callUrl(next)
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body.data)
    const last = Math.max(1, Math.ceil(total / Number(requested.get('limit'))))
    assert.deepEqual([body.meta.total, body.meta.last_page, body.meta.path], [total, last, path])
    assert.deepEqual(body.links, {
      first: urlOfPage(1),
      last: urlOfPage(last),
      prev: page === 1 ? null : urlOfPage(page - 1),
      next: page === last ? null : urlOfPage(page + 1),
    })
    next = body.links.next
    page += 1
  }
  return rows
}

test('products are listed newest first with any combination of filters, and the page links contain them', async (t) => {
  const { service, products } = await aFullShop(t)
  const table: [query: string, found: number[]][] = [
    ['', [3, 2, 1, 0]],
    ['name=DRUM', [1, 0]],
    ['name=mp3', [1]],
    ['name=%E6%A5%BD', [2]],
    ['name=100%25', [2]],
    ['name=%25', [2]],
    ['name=_', []],
    ['name=', [3, 2, 1, 0]],
    ['sku=D-WAV', [2, 0]],
    ['sku=d-wav', []],
    ['sku=D-', []],
    ['sku=%C3%A4+b%26c', [3]],
    ['product_id=1', [1, 0]],
    [`product_id=${LARGEST}`, [3]],
    ['product_id=0', []],
    ['variant_id=12', [1]],
    [`variant_id=${LARGEST}`, [3]],
    ['vendor=sOUNDS', [3, 1, 0]],
    ['vendor=%C3%A9clair', [2]],
    ['vendor=Sound', []],
    ['tag=LOOP', [3]],
    ['tag=%C3%A4ther', [3]],
    ['tag=audio', [2, 1, 0]],
    ['tag=loo', []],
    ['tag=audio&name=drum&sku=D-MP3&product_id=1&variant_id=12&vendor=sounds', [1]],
    ['tag=audio&name=drum&sku=D-MP3&product_id=1&variant_id=11&vendor=sounds', []],
  ]
  for (const [query, found] of table) {
    for (const limit of [1, 3, 1000]) {
      const parameters = [`limit=${limit}`, ...(query === '' ? [] : [query])]
      const request = { listing: 'products', parameters, total: found.length }
      const seen = await readPages<Product>(service, request)
      assert.deepEqual(
        seen,
        found.map((index) => products[index]),
        query,
      )
    }
  }
})

test('with_assets=true adds the ready assets of each product, newest first', async (t) => {
  const { service, products } = await aFullShop(t)
  const assets: Asset[] = (await service.call('GET', `${API}/assets?limit=10`)).body.data
  const parameters = ['limit=3', 'with_assets=true']
  const request = { listing: 'products', parameters, total: products.length }
  const seen = await readPages<ProductWithAssets>(service, request)
  const expected = products.toReversed().map((product) => {
    const names = ROWS.filter((row) => row.variants.includes(product.variant_id))
    const attached = assets.filter(({ filename }) => names.some((row) => row.filename === filename))
    return { ...product, assets: attached, assets_total: attached.length }
  })
  assert.deepEqual(seen, expected)
})
