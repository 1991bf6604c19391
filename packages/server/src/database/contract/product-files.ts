import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aLink, anAccount, aProduct, type Contract, select } from './builders.ts'

/** The contract for the order of a product's files. */
export function testProductFiles({ name, open }: Contract): void {
  test(name('the order of the files of a product is stored, replaced and removed'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    await data.putProducts([aProduct(), aProduct({ variantId: 12 })])
    const [first = '', second = '', other = ''] = [
      await aLink(data),
      await aLink(data),
      await aLink(data),
    ]
    await data.attachAssets([first], select({ variantIds: [11] }))
    await data.attachAssets([second], select({ productIds: [1] }))
    assert.deepEqual(await data.readFileOrder(1), [])
    assert.deepEqual(await data.arrangeFiles(1, [second, first]), { outcome: 'done' })
    assert.deepEqual(await data.readFileOrder(1), [second, first])
    const { events } = await data.listEvents({ after: 0, limit: 100 })
    const event = events.at(-1)
    const { rows: variants } = await data.listProducts({ page: 1, perPage: 10, variantId: 11 })
    assert.equal(event?.type, 'product.arranged')
    assert.deepEqual(event?.data, {
      id: variants[0]?.id,
      productId: 1,
      name: aProduct().name,
      assetIds: [second, first],
      total: 2,
    })
    assert.deepEqual(await data.arrangeFiles(1, [first, other]), {
      outcome: 'assets_not_attached',
      unknown: [other],
    })
    assert.equal((await theirs.arrangeFiles(1, [first])).outcome, 'assets_not_attached')
    assert.deepEqual(await theirs.readFileOrder(1), [])
    assert.deepEqual(await data.readFileOrder(1), [second, first])
    // An asset that is detached or in the trash keeps its position. One that is removed has none.
    await data.detachAssets([first], select({ productIds: [1] }))
    await data.trashAssets([second])
    assert.deepEqual(await data.readFileOrder(1), [second, first])
    assert.deepEqual(await data.listFileOrders(0, 10), [
      { productId: 1, assetIds: [second, first] },
    ])
    assert.deepEqual(await data.listFileOrders(1, 10), [])
    await data.importFileOrder({ productId: 2, assetIds: [other, first] })
    await data.importFileOrder({ productId: 2, assetIds: [other, first] })
    await theirs.importFileOrder({ productId: 2, assetIds: [other] })
    assert.deepEqual(await data.readFileOrder(2), [other, first])
    assert.deepEqual(await theirs.readFileOrder(2), [])
    await data.arrangeFiles(2, [])
    assert.deepEqual(await data.readFileOrder(2), [])
  })
}
