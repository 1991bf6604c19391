import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { ProductSelection } from '../../domain/product.ts'
import { MAX_DETACHED_WITH_PRODUCT } from '../bulk-data.ts'
import {
  aLink,
  anAccount,
  aProduct,
  aReadyAsset,
  type Contract,
  change,
  expireOverdue,
  inHours,
  KEEP,
  KEPT,
  NEWEST,
  OVERDUE,
  reserve,
  usageOf,
} from './builders.ts'

const PAGE = { page: 1, perPage: 10, sort: NEWEST }

function select(selection: Partial<ProductSelection>): ProductSelection {
  return { productIds: [], variantIds: [], ids: [], skus: [], ...selection }
}

/** The contract for attaching assets to products, and for changing and deleting assets. */
export function testAttachmentsAndDeletion({ name, open }: Contract): void {
  test(
    name(
      'a product ID selects all of its variants, a SKU all products that have it, and attaching is repeatable',
    ),
    async (t) => {
      const { data } = await open(t)
      const products = await data.putProducts([
        aProduct({ productId: 1, variantId: 11 }),
        aProduct({ productId: 1, variantId: 12 }),
        aProduct({ productId: 2, variantId: 21 }),
        aProduct({ productId: 3, variantId: 31 }),
        aProduct({ productId: 4, variantId: 41, sku: 'Set' }),
        aProduct({ productId: 5, variantId: 51, sku: 'Set' }),
      ])
      await data.putProducts([aProduct({ productId: 6, variantId: 61, sku: 'SET' })])
      const asset = await aReadyAsset(data)
      const third = products[3]?.id ?? ''
      const all = select({ productIds: [1], variantIds: [21, 12], ids: [third], skus: ['Set'] })
      assert.deepEqual(await data.attachProducts(asset, all), { outcome: 'done' })
      assert.deepEqual(await data.attachProducts(asset, all), { outcome: 'done' })
      const attached = await data.productsOfAssets([asset], 100_000)
      assert.deepEqual(attached?.get(asset), products)
      assert.equal((await data.assetsOfProducts([third], 100_000))?.get(third)?.[0]?.id, asset)
    },
  )

  test(
    name('attached rows are read in slices, and deletions in between skip no row'),
    async (t) => {
      const { data } = await open(t)
      const products = await data.putProducts(
        Array.from({ length: 7 }, (_, index) => aProduct({ variantId: index })),
      )
      const ids = products.map(({ id }) => id)
      const assets = [await aReadyAsset(data), await aReadyAsset(data), await aReadyAsset(data)]
      const selection = { ids, productIds: [], variantIds: [], skus: [] }
      for (const asset of assets) await data.attachProducts(asset, selection)
      await reserve(data, { size: 1 })
      const [first = ''] = assets
      assert.equal(await data.productsOfAssets(assets, 20), undefined)
      const all = await data.productsOfAssets(assets, 21)
      assert.deepEqual(
        assets.map((asset) => all?.get(asset)),
        [products, products, products],
      )
      const one = await data.productsOfAsset(first, { after: undefined, limit: 3 })
      assert.deepEqual(one.products, products.slice(0, 3))
      await data.deleteProduct(ids[2] ?? '')
      const two = await data.productsOfAsset(first, { after: one.next, limit: 4 })
      assert.deepEqual(two.products, products.slice(3))
      const none = await data.productsOfAsset(first, { after: two.next, limit: 4 })
      assert.deepEqual(none, { products: [], next: undefined })

      const [product = ''] = ids
      const newestFirst = assets.toReversed()
      assert.equal(await data.assetsOfProducts(ids, 17), undefined)
      const attached = await data.assetsOfProducts([product], 3)
      assert.deepEqual(
        attached?.get(product)?.map(({ id }) => id),
        newestFirst,
      )
      const newest = await data.newestAssetsOf(product, 2)
      assert.deepEqual(
        newest.assets.map(({ id }) => id),
        newestFirst.slice(0, 2),
      )
      assert.equal(newest.total, 3)
      assert.deepEqual(await data.newestAssetsOf(ids[2] ?? '', 2), { assets: [], total: 0 })
      const page = { page: 2, perPage: 2 }
      const ofAsset = await data.listProducts({ ...page, ofAsset: first })
      assert.deepEqual([ofAsset.rows.map(({ id }) => id), ofAsset.total], [[ids[4], ids[3]], 6])
      const ofProduct = await data.listAssets({ ...page, sort: NEWEST, ofProduct: product })
      assert.deepEqual([ofProduct.rows.map(({ id }) => id), ofProduct.total], [[first], 3])
    },
  )

  test(
    name('a product with many assets is deleted in batches, which any call can continue'),
    async (t) => {
      const { database, account, data } = await open(t)
      const [product, other] = await data.putProducts([aProduct(), aProduct({ variantId: 12 })])
      assert.ok(product && other)
      const link = await aLink(data)
      const [record] = await database.listRecords(undefined, 1)
      assert.ok(record)
      const ids = Array.from({ length: MAX_DETACHED_WITH_PRODUCT + 300 }, () => newUuid())
      const assets = ids.map((id) => ({ ...record, asset: { ...record.asset, id } }))
      await data.importRecords({ keys: [], assets })
      await data.attachAssets(ids, select({ ids: [product.id] }))
      await data.attachAssets([link, ids[0] ?? ''], select({ ids: [other.id] }))
      const { lastId } = await data.listEvents({ after: 0, limit: 1 })
      const by = { type: 'key', id: newUuid(), name: 'Shop' } as const
      const first = await database.of(account.id, by).continueProductDeletion(product.id)
      assert.equal(first, 'detached')
      assert.deepEqual(await database.listUnfinishedProductDeletions(), [
        { account: account.id, id: product.id },
      ])
      const some = await data.listAssets({ ...PAGE, ofProduct: product.id })
      assert.ok(some.total > MAX_DETACHED_WITH_PRODUCT && some.total < ids.length)
      assert.equal(await data.deleteProduct(product.id), true)
      assert.deepEqual(await database.listUnfinishedProductDeletions(), [])
      assert.equal(await data.deleteProduct(product.id), false)
      const attached = await data.listAssets({ ...PAGE, attached: true })
      assert.equal(attached.total, 2)
      const { events } = await data.listEvents({ after: lastId, limit: 10 })
      assert.deepEqual(
        events.map(({ type, actor }) => [type, actor.name]),
        [['product.deleted', 'Shop']],
      )
    },
  )

  test(
    name('if any ID is unknown, nothing changes and the unknown IDs are returned'),
    async (t) => {
      const { data } = await open(t)
      await data.putProducts([aProduct({ productId: 1, variantId: 11 })])
      const asset = await aReadyAsset(data)
      const unknownId = newUuid()
      const selection = select({
        productIds: [1, 9],
        variantIds: [11, 8],
        ids: [unknownId],
        skus: ['no'],
      })
      const unknown = { productIds: [9], variantIds: [8], ids: [unknownId], skus: ['no'] }
      for (const call of [data.attachProducts, data.detachProducts]) {
        assert.deepEqual(await call(asset, selection), { outcome: 'products_not_found', unknown })
      }
      assert.equal((await data.productsOfAssets([asset], 100_000))?.size, 0)
      assert.equal((await data.listAssets({ ...PAGE, attached: true })).total, 0)
      assert.deepEqual(await data.attachProducts(newUuid(), selection), {
        outcome: 'asset_not_found',
      })
    },
  )

  test(name('detaching removes the selected products and keeps the others'), async (t) => {
    const { data } = await open(t)
    await data.putProducts([11, 12, 13].map((variantId) => aProduct({ variantId })))
    const asset = await aReadyAsset(data)
    await data.attachProducts(asset, select({ variantIds: [11, 12] }))
    await data.detachProducts(asset, select({ variantIds: [11, 13] }))
    const left = (await data.productsOfAssets([asset], 100_000))?.get(asset)
    assert.deepEqual(
      left?.map(({ variantId }) => variantId),
      [12],
    )
    assert.equal((await data.listAssets({ ...PAGE, attached: true })).total, 1)
    await data.detachProducts(asset, select({ productIds: [1] }))
    assert.equal((await data.listAssets({ ...PAGE, attached: false })).total, 1)
  })

  test(name('another account’s assets and products are treated as unknown'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    const [product] = await theirs.putProducts([aProduct()])
    const ours = await aReadyAsset(data)
    const id = product?.id ?? ''
    const unknown = select({ ids: [id] })
    assert.deepEqual(await data.attachProducts(ours, unknown), {
      outcome: 'products_not_found',
      unknown,
    })
    assert.deepEqual(await theirs.attachProducts(ours, unknown), { outcome: 'asset_not_found' })
    assert.equal((await data.assetsOfProducts([id], 100_000))?.size, 0)
    assert.equal(await theirs.changeAsset(ours, { filename: 'stolen' }), undefined)
    assert.deepEqual(await theirs.deleteAsset(ours), { won: false, status: undefined })
    assert.deepEqual(await theirs.cancelUpload(ours), { won: false, status: undefined })
    assert.deepEqual(await theirs.beginCompletion(ours, KEPT), {
      won: false,
      status: undefined,
    })
  })

  test(
    name('deleting a product keeps its assets, and those with no other product become unattached'),
    async (t) => {
      const { data } = await open(t)
      const [one, two] = await data.putProducts(
        [11, 12].map((variantId) => aProduct({ variantId })),
      )
      const both = await aReadyAsset(data)
      const single = await aReadyAsset(data)
      await data.attachProducts(both, select({ variantIds: [11, 12] }))
      await data.attachProducts(single, select({ variantIds: [11] }))
      await data.deleteProduct(one?.id ?? '')
      const attached = await data.listAssets({ ...PAGE, attached: true })
      assert.deepEqual(
        attached.rows.map(({ id }) => id),
        [both],
      )
      assert.deepEqual((await data.productsOfAssets([both, single], 100_000))?.get(both), [two])
    },
  )

  test(
    name('deleting and detaching products concurrently leaves no asset marked as attached'),
    async (t) => {
      const { data } = await open(t)
      for (let round = 0; round < 10; round += 1) {
        const variantIds = [11, 12, 13]
        const products = await data.putProducts(
          variantIds.map((variantId) => aProduct({ variantId })),
        )
        const asset = await aReadyAsset(data)
        await data.attachProducts(asset, select({ variantIds }))
        const [first, second] = products.map(({ id }) => id)
        await Promise.all([
          data.deleteProduct(first ?? ''),
          data.deleteProduct(second ?? ''),
          data.detachProducts(asset, select({ variantIds: [13] })),
        ])
        assert.equal((await data.listAssets({ ...PAGE, attached: true })).total, 0)
      }
    },
  )

  test(
    name('a delete that loses against a completion returns the status that prevented it'),
    async (t) => {
      const { data } = await open(t)
      for (let round = 0; round < 50; round += 1) {
        const { asset } = (await reserve(data, { size: 0 })).upload
        await data.beginCompletion(asset.id, KEPT)
        const [, ...deletes] = await Promise.all([
          data.finishCompletion(asset.id, KEEP),
          ...Array.from({ length: 3 }, () => data.deleteAsset(asset.id)),
        ])
        const losers = deletes.filter(({ won }) => !won).map(({ status }) => status)
        assert.ok(!losers.includes('ready'), `round ${round}: ${losers}`)
      }
    },
  )

  test(name('a link is listed, but uses no storage of the plan'), async (t) => {
    const { data } = await open(t)
    const id = await aLink(data, { filename: 'Elsewhere.zip', bytes: 1_000_000 })
    const { rows } = await data.listAssets({ ...PAGE, name: 'elsewhere' })
    assert.deepEqual(
      rows.map((asset) => [asset.id, asset.kind, asset.url]),
      [[id, 'link', 'https://example.com/x']],
    )
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 0 })
    assert.deepEqual(await data.deleteAsset(id), { won: true, status: 'deleted' })
  })

  test(name('a renamed asset is found by its new name only'), async (t) => {
    const { data } = await open(t)
    const ready = await aReadyAsset(data, { filename: 'before.zip' })
    const { upload } = await reserve(data, { filename: 'before.zip' })
    for (const id of [ready, upload.asset.id]) {
      assert.equal((await change(data, id, { filename: 'After.zip' }))?.filename, 'After.zip')
    }
    await data.beginCompletion(upload.asset.id, KEPT)
    await data.finishCompletion(upload.asset.id, KEEP)
    assert.equal((await data.listAssets({ ...PAGE, name: 'before' })).total, 0)
    assert.equal((await data.listAssets({ ...PAGE, name: 'after' })).total, 2)
    const link = await aLink(data)
    const changed = await change(data, link, { url: 'https://example.org', bytes: 7 })
    assert.deepEqual(
      [changed?.url, changed?.bytes, changed?.filename],
      ['https://example.org', 7, 'a link'],
    )
  })

  test(
    name('of concurrent deletes one wins, frees the bytes and queues the object for removal'),
    async (t) => {
      const { database, data } = await open(t)
      await data.putProducts([aProduct()])
      const id = await aReadyAsset(data, { size: 60, filename: 'doomed.zip' })
      await data.attachProducts(id, select({ productIds: [1] }))
      const outcomes = await Promise.all([1, 2, 3].map(() => data.deleteAsset(id)))
      assert.equal(outcomes.filter(({ won }) => won).length, 1)
      assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 0 })
      assert.equal((await data.listAssets({ ...PAGE, name: 'doomed' })).total, 0)
      assert.equal((await data.listAssets(PAGE)).total, 0)
      assert.equal((await data.productsOfAssets([id], 100_000))?.size, 0)
      const selection = select({ productIds: [1] })
      assert.deepEqual(await data.attachProducts(id, selection), { outcome: 'asset_not_found' })
      const [removal] = await database.listRemovals(5)
      assert.deepEqual([removal?.kind, removal?.key], ['object', id])
      assert.equal(await database.forgetEndedAssets(inHours(1), 10), 1)
    },
  )

  test(name('an upload that is cancelled or expires is detached from its products'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const [product] = await data.putProducts([aProduct()])
    const { upload: cancelled } = await reserve(data)
    const { upload: expired } = await reserve(data, OVERDUE)
    for (const { asset } of [cancelled, expired]) {
      await data.attachProducts(asset.id, select({ productIds: [1] }))
    }
    const id = product?.id ?? ''
    assert.equal((await data.assetsOfProducts([id], 100_000))?.size, 0)
    await data.cancelUpload(cancelled.asset.id)
    await expireOverdue(database)
    assert.equal(
      (await data.productsOfAssets([cancelled.asset.id, expired.asset.id], 100_000))?.size,
      0,
    )
  })
}
