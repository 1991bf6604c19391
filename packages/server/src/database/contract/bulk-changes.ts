import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { AccountData, AssetQuery } from '../account-data.ts'
import { MAX_BULK_ATTACHMENTS, TRASH_BATCH, type TrashQuery } from '../trash-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  KEEP,
  KEPT,
  NEWEST,
  replace,
  reserve,
} from './builders.ts'

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
    const changed = ids.map((assetId) => ({ assetId, productIds: [product?.id] }))
    assert.deepEqual(await data.attachAssets(ids, all), { outcome: 'done', changed })
    assert.equal(await total(), 2)
    assert.deepEqual(await data.attachAssets(ids, all), { outcome: 'done', changed: [] })
    assert.deepEqual(await data.detachAssets(ids, all), { outcome: 'done', changed })
    assert.equal(await total(), 0)
  })

  test(name('a bulk change returns exactly what it has changed'), async (t) => {
    const { data } = await open(t)
    const [one, two] = await data.putProducts([aProduct(), aProduct({ variantId: 12 })])
    const ids = [await aLink(data), await aLink(data), await aLink(data)]
    const [first = '', second = '', third = ''] = ids
    const all = { productIds: [1], variantIds: [], ids: [], skus: [] }
    await data.attachAssets([first], all)
    await data.attachAssets([second], { ...all, productIds: [], variantIds: [12] })
    const sorted = async (change: typeof data.attachAssets) => {
      const result = await change(ids, all)
      assert.equal(result.outcome, 'done')
      return (
        result.outcome === 'done' &&
        result.changed.toSorted((a, b) => (a.assetId < b.assetId ? -1 : 1))
      )
    }
    assert.deepEqual(await sorted(data.attachAssets), [
      { assetId: second, productIds: [one?.id] },
      { assetId: third, productIds: [one?.id, two?.id] },
    ])
    await data.detachAssets([third], all)
    assert.deepEqual(await sorted(data.detachAssets), [
      { assetId: first, productIds: [one?.id, two?.id] },
      { assetId: second, productIds: [one?.id, two?.id] },
    ])
    await data.trashAssets([second])
    const deleted = await data.trashAssets(ids)
    assert.ok(deleted.outcome === 'done')
    assert.deepEqual(deleted.changed.toSorted(), [first, third].sort())
    await data.restoreAssets([first])
    const restored = await data.restoreAssets(ids)
    assert.ok(restored.outcome === 'restored')
    assert.deepEqual(restored.changed.toSorted(), [second, third].sort())
  })

  test(name('all matches of a filter are selected, at most as many as the limit'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    await aLink(theirs, { filename: 'drum' })
    await data.putProducts([aProduct({ sku: 'S' })])
    const ids: string[] = []
    for (let index = 0; index < 12; index += 1) {
      const filename = index % 2 === 0 ? `drum ${index}` : `bass ${index}`
      const facts = {
        filename,
        path: index < 6 ? 'kits/old' : null,
        tags: index < 3 ? ['new'] : [],
      }
      ids.push(index % 3 === 0 ? await aReadyAsset(data, facts) : await aLink(data, facts))
    }
    await data.attachAssets(ids.slice(0, 4), { productIds: [1], variantIds: [], ids: [], skus: [] })
    await data.trashAssets(ids.slice(10))
    const filters: Partial<AssetQuery>[] = [
      {},
      { words: ['drum'] },
      { name: 'bass', kind: 'link' },
      { attached: false },
      { sku: 'S', words: ['drum'] },
      { productId: 1 },
      { words: ['nothing'] },
      { folder: 'kits/', words: ['drum'] },
      { folder: 'kits/', isDirect: true },
      { tag: 'new' },
    ]
    for (const filter of filters) {
      const listed = await data.listAssets({ page: 1, perPage: 50, sort: NEWEST, ...filter })
      const expected = listed.rows.map(({ id }) => id)
      assert.deepEqual(
        await data.selectAssets({ page: 1, perPage: 1, sort: NEWEST, ...filter }, 50),
        expected,
      )
      const some = await data.selectAssets({ page: 1, perPage: 1, sort: NEWEST, ...filter }, 3)
      assert.deepEqual(some, expected.slice(0, 3))
    }
    const inTrash = async (filter: Partial<TrashQuery>, limit = 5) =>
      (await data.selectTrash({ page: 1, perPage: 1, ...filter }, limit)).toSorted()
    assert.deepEqual(await inTrash({}), ids.slice(10))
    assert.deepEqual(await inTrash({ words: ['drum'] }), [ids[10]])
    assert.deepEqual(await inTrash({ name: 'bass' }), [ids[11]])
    assert.equal((await inTrash({}, 1)).length, 1)
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
    assert.equal((await data.attachAssets(ids.slice(0, 1), all)).outcome, 'done')
  })

  test(name('moving all assets to the trash continues after an interruption'), async (t) => {
    const { database, account, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    await aLink(other)
    for (let count = 0; count < TRASH_BATCH + 5; count += 1) await aLink(data)
    assert.deepEqual(await database.listTrashAll(), [])
    assert.equal(await data.continueTrashAll(), 0)

    await data.beginTrashAll()
    assert.equal(await moveBatch(data), TRASH_BATCH)
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

  test(
    name(
      'moving all assets to the trash leaves assets that become ready or are restored afterward',
    ),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const ready = async () => {
        const { rows } = await data.listAssets({ ...PAGE, sort: NEWEST })
        return rows.map(({ id }) => id).sort()
      }
      const early = anUpload()
      const { upload } = await reserve(data)
      const inTrash = await aReadyAsset(data)
      const [deletedBefore, restoredBefore] = [await aLink(data), await aLink(data)]
      await data.trashAssets([inTrash, deletedBefore, restoredBefore])
      await data.restoreAssets([restoredBefore])
      const replaced = await aReadyAsset(data)
      const [deletedAfter, purged] = [await aLink(data), await aLink(data)]
      for (let count = 0; count < TRASH_BATCH + 5; count += 1) await aLink(data)
      await data.beginTrashAll()

      await complete(data, upload.asset.id)
      // The ID was created first, for example by an instance whose clock is behind.
      await data.addLink({
        ...early.asset,
        status: 'ready',
        kind: 'link',
        url: 'https://example.com/x',
      })
      await data.trashAssets([deletedAfter])
      await data.deleteAssets([purged])
      await data.restoreAssets([inTrash, deletedAfter])
      await replace(data, replaced)
      const kept = [upload.asset.id, early.asset.id, inTrash, deletedAfter].sort()
      while ((await data.continueTrashAll()) > 0);
      assert.deepEqual(await ready(), kept)
      assert.deepEqual(await database.listTrashAll(), [])

      // They were left only by that call.
      await data.beginTrashAll()
      while ((await data.continueTrashAll()) > 0);
      assert.deepEqual(await ready(), [])
    },
  )

  test(
    name('a second call to move all assets to the trash also covers those that the first leaves'),
    async (t) => {
      const { data } = await open(t, { planStorage: 1000 })
      const { upload } = await reserve(data)
      const restored = await aLink(data)
      for (let count = 0; count < 2 * TRASH_BATCH; count += 1) await aLink(data)
      await data.beginTrashAll()
      await complete(data, upload.asset.id)
      await data.continueTrashAll()
      await data.restoreAssets([restored])

      await data.beginTrashAll()
      const { upload: later } = await reserve(data)
      await complete(data, later.asset.id)
      const added = await aLink(data)
      while ((await data.continueTrashAll()) > 0);
      const { rows } = await data.listAssets({ ...PAGE, sort: NEWEST })
      assert.deepEqual(
        rows.map(({ id }) => id),
        [added, later.asset.id],
      )
    },
  )

  test(
    name('assets that are completed or restored while all others are moved to the trash stay'),
    async (t) => {
      const { data } = await open(t, { planStorage: 10_000 })
      const uploads: string[] = []
      for (let count = 0; count < 30; count += 1) {
        uploads.push((await reserve(data, { size: 1 })).upload.asset.id)
      }
      const links: string[] = []
      for (let count = 0; count < TRASH_BATCH * 2; count += 1) links.push(await aLink(data))
      const restored = links.filter((_, index) => index % 15 === 0)
      await data.beginTrashAll()
      const continueAll = async () => {
        while ((await data.continueTrashAll()) > 0);
      }
      await Promise.all([
        continueAll(),
        continueAll(),
        ...uploads.map((id) => complete(data, id)),
        ...restored.map(async (id) => {
          await data.trashAssets([id])
          await data.restoreAssets([id])
        }),
      ])
      const { rows } = await data.listAssets({ page: 1, perPage: 1000, sort: NEWEST })
      assert.deepEqual(rows.map(({ id }) => id).sort(), [...uploads, ...restored].sort())
    },
  )

  test(
    name('a call to move all assets to the trash has one position among concurrent completions'),
    async (t) => {
      const { data } = await open(t, { planStorage: 10_000 })
      const uploads: string[] = []
      for (let count = 0; count < 40; count += 1) {
        uploads.unshift((await reserve(data, { size: 1 })).upload.asset.id)
      }
      // One after another, the most recent first, so that the highest ID is known before the others are ready.
      const completing = (async () => {
        for (const id of uploads) await complete(data, id)
      })()
      for (const id of uploads.slice(0, 10)) await data.findAsset(id)
      await data.beginTrashAll()
      await completing
      while ((await data.continueTrashAll()) > 0);
      const states = await Promise.all(uploads.map((id) => data.findAsset(id)))
      const deleted = states.filter((asset) => asset?.status === 'deleted').length
      assert.deepEqual(
        states.map((asset) => asset?.status),
        uploads.map((_, index) => (index < deleted ? 'deleted' : 'ready')),
      )
    },
  )

  test(
    name('an unfinished move of all assets to the trash is exported and imported'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const other = (await anAccount(database, 'other', 1000)).id
      const restored = await aLink(data)
      for (let count = 0; count < TRASH_BATCH + 2; count += 1) await aLink(data)
      const [covered, deletedAfter] = [await aLink(data), await aLink(data)]
      assert.equal(await data.findTrashAll(), undefined)
      await data.beginTrashAll()
      await moveBatch(data)
      await data.restoreAssets([restored])
      await data.trashAssets([deletedAfter])
      await data.restoreAssets([deletedAfter])
      await aLink(data)
      const records = await database.listRecords(undefined, 1000)
      const ready = records.filter(({ trashedAt }) => trashedAt === undefined)
      assert.deepEqual(
        ready.map(({ isBeingDeleted = false }) => isBeingDeleted),
        [false, true, true, true, true, false, false],
      )

      // The copy of each asset has another ID, because both accounts are in the same database.
      const deletion = await data.findTrashAll()
      assert.ok(deletion)
      const copies = ready.map((record) => {
        const id = record.asset.id.slice(0, -1) + (record.asset.id.endsWith('f') ? 'e' : 'f')
        return { ...record, asset: { ...record.asset, id, accountId: other } }
      })
      const idOf = (id: string) =>
        copies[ready.findIndex(({ asset }) => asset.id === id)]?.asset.id ?? ''
      const target = database.of(other)
      for (let run = 0; run < 2; run += 1) {
        await target.importTrashAll({ ...deletion, until: idOf(deletion.until) })
        await target.importRecords({ keys: [], assets: copies })
      }
      while ((await target.continueTrashAll()) > 0);
      assert.equal((await target.findAsset(idOf(covered)))?.status, 'deleted')
      const { rows } = await target.listAssets({ ...PAGE, sort: NEWEST })
      assert.deepEqual(
        new Set(rows.map(({ id }) => id)),
        new Set(copies.filter((one) => !one.isBeingDeleted).map(({ asset }) => asset.id)),
      )
      while ((await data.continueTrashAll()) > 0);
    },
  )
}

/** Moves `TRASH_BATCH` assets. An engine may move fewer in one transaction. */
async function moveBatch(data: AccountData): Promise<number> {
  let moved = 0
  while (moved < TRASH_BATCH) {
    const count = await data.continueTrashAll()
    assert.ok(count > 0 && count <= TRASH_BATCH)
    moved += count
  }
  return moved
}

async function complete(data: AccountData, id: string): Promise<void> {
  await data.beginCompletion(id, KEPT)
  assert.equal(await data.finishCompletion(id, KEEP), 'ready')
}
