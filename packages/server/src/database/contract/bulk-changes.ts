import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { MAX_BULK_ATTACHMENTS, TRASH_BATCH } from '../trash-data.ts'
import { aLink, anAccount, aProduct, aReadyAsset, type Contract, NEWEST } from './builders.ts'

const PAGE = { page: 1, perPage: 10 }

/** The contract for changes of many assets. */
export function testBulkChanges({ name, open }: Contract): void {
  test(name('several assets are attached and detached together, or none'), async (t) => {
    const { data } = await open(t)
    const [product] = await data.putProducts([aProduct()])
    const ids = [await aReadyAsset(data), await aLink(data)]
    const all = { productIds: [1], variantIds: [], ids: [], skus: [] }
    const unknown = newUuid()
    assert.deepEqual(await data.attachAssets([...ids, unknown], all), {
      outcome: 'assets_not_found',
      unknown: [unknown],
    })
    const none = { ...all, productIds: [1, 2] }
    assert.deepEqual(await data.attachAssets(ids, none), {
      outcome: 'products_not_found',
      unknown: { ...all, productIds: [2] },
    })
    const total = async () => (await data.newestAssetsOf(product?.id ?? '', 10)).total
    assert.equal(await total(), 0)
    assert.deepEqual(await data.attachAssets(ids, all), { outcome: 'done' })
    assert.equal(await total(), 2)
    assert.deepEqual(await data.detachAssets(ids, all), { outcome: 'done' })
    assert.equal(await total(), 0)
  })

  test(name('the number of attachments is limited if several assets are attached'), async (t) => {
    const { data } = await open(t)
    const products = MAX_BULK_ATTACHMENTS / 50
    for (let start = 0; start < products; start += 1000) {
      const variants = Array.from({ length: 1000 }, (_, index) => start + index)
      await data.putProducts(variants.map((variantId) => aProduct({ variantId })))
    }
    const ids: string[] = []
    for (let count = 0; count < 51; count += 1) ids.push(await aLink(data))
    const all = { productIds: [1], variantIds: [], ids: [], skus: [] }
    assert.deepEqual(await data.attachAssets(ids, all), {
      outcome: 'too_many_attachments',
      count: 51 * products,
    })
    assert.equal((await data.listAssets({ ...PAGE, sort: NEWEST, attached: true })).total, 0)
    assert.deepEqual(await data.attachAssets(ids.slice(0, 1), all), { outcome: 'done' })
  })

  test(name('moving all assets to the trash continues after an interruption'), async (t) => {
    const { database, account, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    await aLink(other)
    for (let count = 0; count < TRASH_BATCH + 5; count += 1) await aLink(data)
    assert.deepEqual(await database.listTrashAll(), [])
    assert.equal(await data.continueTrashAll(), 0)

    await data.beginTrashAll()
    assert.equal(await data.continueTrashAll(), TRASH_BATCH)
    assert.deepEqual(await database.listTrashAll(), [account.id])
    const added = await aReadyAsset(data)
    assert.equal(await data.continueTrashAll(), 5)
    assert.equal(await data.continueTrashAll(), 0)
    assert.deepEqual(await database.listTrashAll(), [])
    const ready = await data.listAssets({ ...PAGE, sort: NEWEST })
    assert.deepEqual(
      ready.rows.map(({ id }) => id),
      [added],
    )
    assert.equal((await data.listTrash(PAGE)).total, TRASH_BATCH + 5)
    assert.equal((await other.readSummary()).assets, 1)

    await data.beginTrashAll()
    await Promise.all([data.continueTrashAll(), data.continueTrashAll()])
    assert.equal((await data.readSummary()).assets, 0)
    assert.deepEqual(await database.listTrashAll(), [])
    // No asset remains, so there is nothing to begin.
    await data.beginTrashAll()
    assert.deepEqual(await database.listTrashAll(), [])
  })
}
