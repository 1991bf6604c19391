import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { Key } from '../../domain/key.ts'
import type { AssetRecord } from '../account-data.ts'
import {
  after,
  aLink,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  KEPT,
  NOON,
  reserve,
  usageOf,
} from './builders.ts'

/** The contract for moving data between deployments. */
export function testRecords({ name, open }: Contract): void {
  test(name('ready assets are exported in batches by ascending ID, with products'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const [one, two] = await data.putProducts([
      aProduct(),
      aProduct({ id: newUuid(), variantId: 12 }),
    ])
    assert.ok(one && two)
    const file = await aReadyAsset(data, { size: 7 })
    await reserve(data)
    const link = await aLink(data)
    await data.attachProducts(file, {
      ids: [two.id, one.id],
      productIds: [],
      variantIds: [],
      skus: [],
    })
    const [first, ...none] = await database.listRecords(undefined, 1)
    assert.deepEqual(none, [])
    assert.equal(first?.asset.id, file)
    assert.deepEqual(first.productIds, [one.id, two.id].sort())
    assert.equal(first.upload?.chunkSize, 100)
    const [second, ...others] = await database.listRecords(file, 10)
    assert.deepEqual([second?.asset.id, second?.upload, others], [link, undefined, []])
    assert.deepEqual(await database.listRecords(link, 10), [])
  })

  test(name('an import keeps all data, and importing it again changes nothing'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 10 })
    const [product] = await data.putProducts([aProduct()])
    assert.ok(product)
    const file = aRecord({ accountId: account.id, productIds: [product.id] })
    const link: AssetRecord = {
      ...aRecord({ accountId: account.id }),
      upload: undefined,
      idempotency: undefined,
      key: undefined,
    }
    link.asset = { ...link.asset, kind: 'link', url: 'https://example.com/x' }
    const key = aKey(account.id)
    const imported = { keys: [key], assets: [file, link] }
    await data.importRecords(imported)
    await data.importRecords(imported)
    assert.deepEqual(await database.listRecords(undefined, 10), [file, link])
    assert.deepEqual(await data.listKeys(), [key])
    // More than the plan allows, as an import ignores the plan.
    assert.deepEqual(await usageOf(data), { limit: 10, stored: 60, reserved: 0 })
    assert.deepEqual((await data.productsOfAssets([file.asset.id], 100_000))?.get(file.asset.id), [
      product,
    ])
    const found = await data.listAssets({
      page: 1,
      perPage: 10,
      sort: { by: 'created_at', descending: false },
      name: 'été',
      attached: true,
    })
    assert.deepEqual(
      found.rows.map(({ id }) => id),
      [file.asset.id],
    )
    const again = await data.reserveUpload({
      upload: anUpload({ accountId: account.id }),
      ...KEPT,
      idempotency: { key: 'k', digest: 'd' },
    })
    assert.equal(again.outcome, 'repeated')
  })

  test(name('an import does not change existing assets'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 1000 })
    const record = aRecord({ accountId: account.id })
    await data.importRecords({ keys: [], assets: [record] })
    const other = { ...record, asset: { ...record.asset, filename: 'other', bytes: 99 } }
    await data.importRecords({ keys: [], assets: [other] })
    assert.deepEqual(await database.listRecords(undefined, 10), [record])
  })

  test(name('a later import can revoke a key, but not restore it'), async (t) => {
    const { account, data } = await open(t)
    const key = aKey(account.id)
    for (const revokedAt of [null, after(2), null]) {
      await data.importRecords({ keys: [{ ...key, revokedAt }], assets: [] })
    }
    assert.deepEqual((await data.listKeys())[0]?.revokedAt, after(2))
  })

  test(name('an imported asset can have any number of products'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 1000 })
    const products = Array.from({ length: 1000 }, (_, index) =>
      aProduct({ id: newUuid(), variantId: index }),
    )
    const put = await data.putProducts(products)
    const productIds = put.map(({ id }) => id).sort()
    const assets = Array.from({ length: 40 }, () => ({
      ...aRecord({ accountId: account.id, productIds }),
      idempotency: undefined,
    }))
    await data.importRecords({ keys: [], assets })
    const records = await database.listRecords(undefined, 100)
    assert.equal(records.length, 40)
    for (const record of records) assert.deepEqual(record.productIds, productIds)
  })

  test(name('either everything is imported or nothing'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 1000 })
    const first = aRecord({ accountId: account.id })
    // Both have the same idempotency key.
    const second = aRecord({ accountId: account.id })
    await assert.rejects(data.importRecords({ keys: [aKey(account.id)], assets: [first, second] }))
    assert.deepEqual(await database.listRecords(undefined, 10), [])
    assert.deepEqual(await data.listKeys(), [])
  })

  test(name('an asset that is attached to an unknown product is not imported'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 1000 })
    const record = aRecord({ accountId: account.id, productIds: [newUuid()] })
    await assert.rejects(data.importRecords({ keys: [], assets: [record] }))
    assert.deepEqual(await database.listRecords(undefined, 10), [])
  })
}

function aRecord(facts: { accountId: string; productIds?: string[] }): AssetRecord {
  const { asset, id, chunkSize, expiresAt } = anUpload({ ...facts, filename: 'Été.zip' })
  return {
    asset: { ...asset, status: 'ready' },
    upload: { id, chunkSize, expiresAt },
    idempotency: { key: 'k', digest: 'd' },
    changedAt: after(1),
    productIds: facts.productIds ?? [],
    key: asset.id,
    versionCreatedAt: NOON,
    lastVersion: 1,
    versions: [],
  }
}

function aKey(accountId: string): Key {
  return {
    id: newUuid(),
    accountId,
    name: 'shop',
    scope: 'write',
    hash: newUuid(),
    hint: 'wxyz',
    createdAt: NOON,
    expiresAt: after(24),
    lastUsedAt: after(1),
    revokedAt: after(2),
  }
}
