import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Product } from '../../domain/product.ts'
import { foldText, hasWords, searchWords } from '../../domain/search.ts'
import type { AccountData, ProductGroupQuery, ProductQuery } from '../account-data.ts'
import { aLink, anAccount, aProduct, type Contract } from './builders.ts'

/** The contract for products. */
export function testProducts({ name, open }: Contract): void {
  test(name('products are updated by product and variant ID, and keep our ID'), async (t) => {
    const { data } = await open(t)
    const first = aProduct({ tags: ['a', 'B', 'ü'] })
    assert.deepEqual(await data.putProducts([first]), [first])
    const changed = aProduct({ name: 'Renamed', sku: 'NEW', vendor: 'Other', tags: [] })
    assert.deepEqual(await data.putProducts([changed]), [{ ...changed, id: first.id }])
    assert.deepEqual(await data.findProduct(first.id), { ...changed, id: first.id })
    assert.equal((await data.listProducts({ page: 1, perPage: 5 })).total, 1)
  })

  test(name('a missing field keeps its stored value, and an empty one clears it'), async (t) => {
    const { data } = await open(t)
    const stored = aProduct({ tags: ['Loop'] })
    const { id, productId, variantId } = stored
    const other = aProduct({ variantId: 12 })
    await data.putProducts([stored])
    const renamed = { id: other.id, productId, variantId, name: 'Renamed' }
    const bare = { id: aProduct().id, productId, variantId: 13, name: 'Bare' }
    assert.deepEqual(await data.putProducts([renamed, other, bare]), [
      { ...stored, name: 'Renamed' },
      other,
      { ...bare, variantName: '', sku: '', vendor: '', tags: [] },
    ])
    const found = async (filter: Partial<ProductQuery>) =>
      (await data.listProducts({ page: 1, perPage: 5, ...filter })).rows.map((row) => row.id)
    assert.deepEqual(await found({ name: 'renamed wav' }), [id])
    assert.deepEqual(await found({ tag: 'loop' }), [id])
    assert.deepEqual(await found({ vendor: 'sounds', variantId }), [id])
    const changes = [{ variantName: '' }, { sku: '' }, { vendor: '' }, { tags: [] }]
    let expected = { ...stored, name: 'Renamed' }
    for (const change of changes) {
      expected = { ...expected, ...change }
      assert.deepEqual(await data.putProducts([{ ...renamed, ...change }]), [expected])
      assert.deepEqual(await data.findProduct(id), expected)
    }
    assert.deepEqual(await found({ name: 'wav', variantId }), [])
    assert.deepEqual(await found({ tag: 'loop' }), [])
    assert.deepEqual(await found({ vendor: 'sounds', variantId }), [])
  })

  test(name('of concurrent changes to different fields of products, none is lost'), async (t) => {
    const { data } = await open(t)
    const size = 150
    const put = (fields: { vendor: string } | { sku: string } | { tags: string[] }) =>
      data.putProducts(
        Array.from({ length: size }, (_, variantId) => ({
          ...{ id: aProduct().id, productId: 1, variantId, name: 'Pack' },
          ...fields,
        })),
      )
    await Promise.all([put({ vendor: 'Press' }), put({ sku: 'S' }), put({ tags: ['new'] })])
    const { rows } = await data.listProducts({ page: 1, perPage: size, tag: 'new' })
    assert.equal(rows.length, size)
    for (const { vendor, sku, tags } of rows) {
      assert.deepEqual({ vendor, sku, tags }, { vendor: 'Press', sku: 'S', tags: ['new'] })
    }
  })

  test(
    name('either all products are written or none, and they are returned in the given order'),
    async (t) => {
      const { data } = await open(t)
      const products = [5, 3, 4].map((variantId) => aProduct({ variantId }))
      assert.deepEqual(await data.putProducts(products), products)
      const broken = { ...aProduct({ variantId: 6 }), name: null as unknown as string }
      await assert.rejects(data.putProducts([aProduct({ variantId: 7 }), broken]))
      assert.equal((await data.listProducts({ page: 1, perPage: 5 })).total, 3)
    },
  )

  test(
    name('other requests are served during a large import, and see all of its products or none'),
    async (t) => {
      const { data } = await open(t)
      const tags = Array.from({ length: 25 }, (_, index) => `tag ${index}`)
      const products = Array.from({ length: 1000 }, (_, variantId) => aProduct({ variantId, tags }))
      let isOver = false
      const putting = data.putProducts(products).finally(() => {
        isOver = true
      })
      const writing = aLink(data)
      const started = process.cpuUsage()
      let longestTurn = 0
      for (let before = started; !isOver; before = process.cpuUsage()) {
        const { total } = await data.listProducts({ page: 1, perPage: 1, tag: 'tag 7' })
        assert.ok(total === 0 || total === 1000, `${total} are visible`)
        // Requests arrive in later turns of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
        longestTurn = Math.max(longestTurn, process.cpuUsage(before).user)
      }
      // As a share of the CPU time, because other processes use the machine too.
      const share = longestTurn / process.cpuUsage(started).user
      assert.ok(share < 0.45, `one turn took ${share} of the import`)
      assert.deepEqual(await putting, products)
      assert.ok(await data.findAsset(await writing))
      const broken = { ...aProduct({ variantId: 5000 }), name: null as unknown as string }
      await assert.rejects(data.putProducts([...products, broken]))
      assert.deepEqual(
        await Promise.all([data.putProducts(products), data.putProducts(products)]),
        [products, products],
      )
      assert.equal((await data.listProducts({ page: 1, perPage: 5 })).total, 1000)
    },
  )

  test(name('shop IDs up to 2^53 - 1 are stored exactly'), async (t) => {
    const { data } = await open(t)
    const product = aProduct({
      productId: Number.MAX_SAFE_INTEGER,
      variantId: Number.MAX_SAFE_INTEGER - 1,
    })
    await data.putProducts([product])
    assert.deepEqual(await data.findProduct(product.id), product)
  })

  test(name('products are listed newest first, with any filter'), async (t) => {
    const { data } = await open(t)
    const products = [
      aProduct({ productId: 1, variantId: 11, name: 'Drum kit', sku: 'D-1', vendor: 'Éclair' }),
      aProduct({ productId: 1, variantId: 12, name: 'Drum kit', variantName: 'MP3', sku: 'D-2' }),
      aProduct({
        productId: 2,
        variantId: 21,
        name: '弦楽器 100%',
        sku: '',
        tags: ['Loop', 'audio'],
      }),
    ]
    await data.putProducts(products)
    const found = async (filter: Partial<ProductQuery>) => {
      const { rows, total } = await data.listProducts({ page: 1, perPage: 10, ...filter })
      assert.equal(rows.length, total)
      return rows.map(({ id }) => products.findIndex((product) => product.id === id))
    }
    assert.deepEqual(await found({}), [2, 1, 0])
    assert.deepEqual(await found({ name: foldText('DRUM') }), [1, 0])
    assert.deepEqual(await found({ name: foldText('mp3') }), [1])
    assert.deepEqual(await found({ name: foldText('楽') }), [2])
    assert.deepEqual(await found({ name: '%' }), [2])
    assert.deepEqual(await found({ sku: 'D-2' }), [1])
    assert.deepEqual(await found({ productId: 1 }), [1, 0])
    assert.deepEqual(await found({ variantId: 21 }), [2])
    assert.deepEqual(await found({ vendor: foldText('ÉCLAIR') }), [0])
    assert.deepEqual(await found({ tag: foldText('LOOP') }), [2])
    assert.deepEqual(await found({ tag: 'loo' }), [])
    assert.deepEqual(await found({ tag: 'audio', productId: 1, name: 'kit' }), [1, 0])
    const second = await data.listProducts({ page: 2, perPage: 2 })
    assert.deepEqual(second.rows, products.slice(0, 1))
  })

  test(name('a changed product is found by its current name and tags only'), async (t) => {
    const { data } = await open(t)
    await data.putProducts([aProduct({ name: 'Before', tags: ['old'] })])
    await data.putProducts([aProduct({ name: 'Afterwards', tags: ['new'] })])
    const count = async (filter: Partial<ProductQuery>) =>
      (await data.listProducts({ page: 1, perPage: 10, ...filter })).total
    assert.deepEqual([await count({ name: 'before' }), await count({ tag: 'old' })], [0, 0])
    assert.deepEqual([await count({ name: 'afterwards' }), await count({ tag: 'new' })], [1, 1])
  })

  test(name('a deleted product is in no list, and can be deleted only once'), async (t) => {
    const { data } = await open(t)
    const product = aProduct()
    await data.putProducts([product])
    const outcomes = await Promise.all([1, 2].map(() => data.deleteProduct(product.id)))
    assert.deepEqual(outcomes.toSorted(), [false, true])
    assert.equal(await data.findProduct(product.id), undefined)
    for (const filter of [{}, { name: 'sample' }, { tag: 'audio' }, { sku: 'PACK-WAV' }]) {
      assert.equal((await data.listProducts({ page: 1, perPage: 5, ...filter })).total, 0)
    }
  })

  test(name('two accounts with the same shop IDs are separate'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    const [ours] = await data.putProducts([aProduct({ name: 'Ours' })])
    const [other] = await theirs.putProducts([aProduct({ name: 'Theirs' })])
    assert.notEqual(ours?.id, other?.id)
    assert.equal(await theirs.findProduct(ours?.id ?? ''), undefined)
    assert.equal(await theirs.deleteProduct(ours?.id ?? ''), false)
    for (const filter of [
      { productId: 1 },
      { tag: 'audio' },
      { sku: 'PACK-WAV' },
      { name: 'rs' },
    ]) {
      const { rows } = await theirs.listProducts({ page: 1, perPage: 5, ...filter })
      assert.ok(rows.every(({ name: found }) => found === 'Theirs'))
    }
  })
}

const PRODUCTS = [
  aProduct({ productId: 1, variantId: 11, name: 'Pack of dusty drums', variantName: 'WAV' }),
  aProduct({ productId: 1, variantId: 12, name: 'Pack of dusty drums', variantName: 'MP3' }),
  aProduct({ productId: 2, variantId: 21, name: 'Straße 100%_a', sku: 'ÄB-7', vendor: 'Éclair' }),
  aProduct({
    productId: 3,
    variantId: 31,
    name: '弦楽器 👩‍🚀',
    variantName: 'مرحبا',
    sku: '',
    vendor: '',
  }),
]

/** The contract for finding products by words, and for listing them with their variants. */
export function testProductSearch({ name, open }: Contract): void {
  test(
    name('every word is found in the name, variant, SKU or vendor, in any order and case'),
    async (t) => {
      const { data } = await open(t)
      await data.putProducts(PRODUCTS)
      const expected: [string, number[]][] = [
        ['dusty pack', [12, 11]],
        ['DRUM usty', [12, 11]],
        ['drums mp3', [12]],
        ['sounds dusty', [12, 11]],
        ['pack-wav', [12, 11]],
        ['dustypack', []],
        ['drumswav', []],
        ['dusty piano', []],
        ['STRASSE éclair', [21]],
        ['äb-7', [21]],
        ['ÄB', [21]],
        ['%', [21]],
        ['_', [21]],
        ['%_', [21]],
        ['弦', [31]],
        ['👩‍🚀', [31]],
        ['مرحبا 楽', [31]],
        ['a', [21, 12, 11]],
        ['" OR "', []],
      ]
      for (const [text, variants] of expected) {
        const query = { page: 1, perPage: 10, words: searchWords(text) }
        const { rows, total } = await data.listProducts(query)
        const found = rows.map(({ variantId }) => variantId)
        assert.deepEqual([found, total], [variants, variants.length], text)
      }
      const combined = { page: 1, perPage: 10, words: ['dusty'], name: 'mp3', sku: 'PACK-WAV' }
      assert.equal((await data.listProducts(combined)).total, 1)
    },
  )

  test(name('a changed product is found by its current texts only'), async (t) => {
    const { database, data } = await open(t)
    await data.putProducts([aProduct({ sku: 'OLD-1', vendor: 'Ancient' })])
    await data.putProducts([aProduct({ sku: 'NEW-2', vendor: 'Modern' })])
    const theirs = database.of((await anAccount(database, 'other')).id)
    await theirs.putProducts([aProduct({ sku: 'OLD-1' })])
    const count = async (text: string) =>
      (await data.listProducts({ page: 1, perPage: 10, words: searchWords(text) })).total
    assert.deepEqual([await count('old-1'), await count('ancient')], [0, 0])
    assert.deepEqual([await count('new-2'), await count('modern'), await count('ew')], [1, 1, 1])
  })

  test(name('each page of products with their variants equals that of a full scan'), async (t) => {
    const { data } = await open(t)
    // Products 1 to 9 with 4 or 5 variants each, added in no particular order.
    const products = Array.from({ length: 40 }, (_, index) =>
      aProduct({
        productId: 1 + ((index * 7) % 9),
        variantId: 100 - index,
        name: index % 9 === 3 ? 'piano' : 'drum',
        sku: `S${index}`,
        vendor: index % 2 === 0 ? 'Éclair' : 'Other',
        tags: index % 5 === 0 ? ['Loop'] : [],
      }),
    )
    await data.putProducts(products)
    const filters: Partial<ProductGroupQuery>[] = [
      {},
      { words: ['piano'] },
      { words: ['s1', 'ru'] },
      { vendor: 'éclair' },
      { tag: 'loop', name: 'drum' },
      { sku: 'S7' },
      { productId: 4 },
      { variantId: 99 },
      { words: ['nothing'] },
    ]
    const queries = fc.record({
      filter: fc.constantFrom(...filters),
      page: fc.integer({ min: 1, max: 5 }),
      perPage: fc.integer({ min: 1, max: 6 }),
      after: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
    })
    const property = fc.asyncProperty(queries, async ({ filter, after, ...page }) => {
      const query = { ...page, ...filter, ...(after !== undefined && { after: [after] }) }
      const { rows, total } = await data.listProductIds(query)
      assert.deepEqual({ rows, total }, scan(products, query))
      const ids = rows.map(({ productId }) => productId)
      const groups = await data.readProductGroups(ids, { variants: 3, attachments: 10 })
      assert.deepEqual(
        groups,
        ids.map((productId) => {
          const variants = variantsOf(products, productId)
          const first = variants.slice(0, 3)
          return { productId, variants: first, variantsTotal: variants.length, assetsTotal: 0 }
        }),
      )
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test(name('a product counts each ready asset of its variants once'), async (t) => {
    const { database, data } = await open(t)
    const products = Array.from({ length: 6 }, (_, variantId) =>
      aProduct({ productId: variantId < 4 ? 1 : 2, variantId }),
    )
    await data.putProducts(products)
    const [one, two, gone] = [await aLink(data), await aLink(data), await aLink(data)]
    await attach(data, one, { productIds: [1] })
    await attach(data, two, { variantIds: [0, 3, 5] })
    await attach(data, gone, { productIds: [1, 2] })
    await data.deleteAsset(gone)
    const read = (attachments: number, ofAsset?: string) =>
      data.readProductGroups([2, 1, 9], { variants: 2, attachments, ofAsset })
    const totals = (await read(6)).map(({ productId, assetsTotal }) => [productId, assetsTotal])
    assert.deepEqual(totals, [
      [2, 1],
      [1, 2],
    ])
    assert.equal((await read(5))[1]?.assetsTotal, null)
    assert.deepEqual(await data.listProductIds({ page: 1, perPage: 5, ofAsset: two }), {
      rows: [
        { productId: 2, matching: 1 },
        { productId: 1, matching: 2 },
      ],
      total: 2,
    })
    assert.deepEqual(await read(5, two), [
      { productId: 2, variants: [products[5]], variantsTotal: 2 },
      { productId: 1, variants: [products[0], products[3]], variantsTotal: 4 },
    ])
    const theirs = database.of((await anAccount(database, 'other')).id)
    const options = { variants: 2, attachments: 5 }
    assert.deepEqual(await theirs.readProductGroups([1, 2], options), [])
    assert.deepEqual(await theirs.readProductGroups([1, 2], { ...options, ofAsset: two }), [])
  })
}

async function attach(
  data: AccountData,
  asset: string,
  selection: { productIds?: number[]; variantIds?: number[] },
): Promise<void> {
  const all = { productIds: [], variantIds: [], ids: [], skus: [], ...selection }
  assert.deepEqual(await data.attachProducts(asset, all), { outcome: 'done' })
}

function variantsOf(products: Product[], productId: number): Product[] {
  const variants = products.filter((product) => product.productId === productId)
  return variants.toSorted((a, b) => a.variantId - b.variantId)
}

/** The expected products and total, from a scan of all variants. */
function scan(products: Product[], query: ProductGroupQuery) {
  const { words = [], name: part = '', vendor, tag, sku, productId, variantId } = query
  const matching = products.filter((product) => {
    const names = foldText(`${product.name} ${product.variantName}`)
    return (
      hasWords(foldText(`${names} ${product.sku} ${product.vendor}`), words) &&
      names.includes(part) &&
      (vendor === undefined || foldText(product.vendor) === vendor) &&
      (tag === undefined || product.tags.map(foldText).includes(tag)) &&
      (sku === undefined || product.sku === sku) &&
      (productId === undefined || product.productId === productId) &&
      (variantId === undefined || product.variantId === variantId)
    )
  })
  const groups = [...Map.groupBy(matching, (product) => product.productId)]
    .map(([id, variants]) => ({ productId: id, matching: variants.length }))
    .sort((a, b) => b.productId - a.productId)
  const { after, page, perPage } = query
  const rows =
    after === undefined
      ? groups.slice((page - 1) * perPage, page * perPage)
      : groups.filter((group) => group.productId < Number(after[0])).slice(0, perPage)
  return { rows, total: groups.length }
}
