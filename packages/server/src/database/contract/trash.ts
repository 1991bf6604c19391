import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { trashCursorText } from '../../domain/paging.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { TRASH_BATCH, type TrashQuery } from '../trash-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  inHours,
  KEEP,
  KEPT,
  NEWEST,
  numbersOf,
  replace,
  reserve,
  startReplacement,
} from './builders.ts'

const HOUR_MS = 3_600_000
const PAGE = { page: 1, perPage: 10 }

async function sumsOf(data: AccountData) {
  const { stored, reserved, trash, assets } = await data.readSummary()
  return { stored, reserved, trash, assets }
}

async function trashedIds(data: AccountData): Promise<string[]> {
  return (await data.listTrash(PAGE)).rows.map(({ id }) => id)
}

/** The contract for the trash. */
export function testTrash({ name, open }: Contract): void {
  test(name('an asset in the trash keeps its versions, products and objects'), async (t) => {
    const { database, data } = await open(t)
    const [product, gone] = await data.putProducts([
      aProduct({ variantId: 1 }),
      aProduct({ variantId: 2 }),
    ])
    const id = await aReadyAsset(data, { size: 30, filename: 'a b.zip', path: 'x/y' })
    const second = await replace(data, id, { size: 20 })
    await data.attachProducts(id, { productIds: [1], variantIds: [], ids: [], skus: [] })
    const before = await data.findAsset(id)
    const { id: third } = await startReplacement(data, id, { size: 10 })

    const trashed = await data.trashAssets([id])
    assert.equal(trashed.outcome, 'done')
    assert.deepEqual(trashed.outcome === 'done' && trashed.replacements.map(({ key }) => key), [
      third,
    ])
    assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 0, trash: 50, assets: 0 })
    assert.equal((await data.findAsset(id))?.status, 'deleted')
    assert.equal(await data.listVersions(id), undefined)
    assert.equal((await data.listAssets({ ...PAGE, sort: NEWEST })).total, 0)
    assert.deepEqual(await data.readUsage(), [])
    assert.equal((await data.newestAssetsOf(product?.id ?? '', 10)).total, 0)
    const states = await database.readStates([id, second])
    assert.deepEqual([states.get(id)?.status, states.get(second)?.status], ['ready', 'ready'])
    const files = await database.listStoredFiles(undefined, 10)
    assert.deepEqual(
      files.map(({ key }) => key),
      [id, second],
    )
    assert.deepEqual(
      (await database.listRemovals(10)).map(({ key }) => key),
      [third],
    )
    // Only the cancelled replacement and the completed one are forgotten.
    assert.equal(await database.forgetEndedAssets(inHours(1), 10), 2)
    const { rows, total } = await data.listTrash({ ...PAGE, name: 'a b' })
    assert.deepEqual([rows.length, total, rows[0]?.id, rows[0]?.path], [1, 1, id, 'x/y'])
    assert.equal((await data.listTrash({ ...PAGE, name: 'c' })).total, 0)

    await data.deleteProduct(gone?.id ?? '')
    const restored = await data.restoreAssets([id])
    assert.deepEqual(restored, { outcome: 'restored', assets: [before], changed: [id] })
    assert.deepEqual(await data.restoreAssets([id]), { ...restored, changed: [] })
    assert.deepEqual(await sumsOf(data), { stored: 50, reserved: 0, trash: 0, assets: 1 })
    assert.deepEqual(await numbersOf(data, id), ['2*', '1'])
    assert.deepEqual((await data.productsOfAssets([id], 10))?.get(id), [product])
    const found = { ...PAGE, sort: NEWEST, name: 'a b', attached: true, folder: 'x/' }
    assert.equal((await data.listAssets(found)).total, 1)
    assert.deepEqual(await trashedIds(data), [])
  })

  test(name('trashing and restoring several assets changes all of them or none'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const ofOther = await aReadyAsset(other, { size: 5 })
    const file = await aReadyAsset(data, { size: 5 })
    const link = await aLink(data)
    const unknown = newUuid()
    const { upload } = await reserve(data, { size: 1 })
    const missing = [unknown, ofOther, upload.asset.id]
    const refused = { outcome: 'assets_not_found', unknown: missing }
    assert.deepEqual(await data.trashAssets([file, ...missing, link]), refused)
    assert.deepEqual(await data.deleteAssets([file, ...missing, link]), refused)
    assert.deepEqual(await sumsOf(data), { stored: 5, reserved: 1, trash: 0, assets: 2 })
    assert.equal((await data.trashAssets([link])).outcome, 'done')
    assert.equal((await data.trashAssets([file, link])).outcome, 'done')
    assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 1, trash: 5, assets: 0 })
    assert.deepEqual(await data.restoreAssets([link, ...missing, file]), refused)
    assert.equal((await data.restoreAssets([link, file])).outcome, 'restored')
    assert.deepEqual(await sumsOf(data), { stored: 5, reserved: 1, trash: 0, assets: 2 })
    assert.equal((await data.deleteAssets([link, file])).outcome, 'done')
    assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 1, trash: 0, assets: 0 })
    assert.deepEqual(await data.restoreAssets([file]), {
      outcome: 'assets_not_found',
      unknown: [file],
    })
    assert.deepEqual(
      (await database.listRemovals(10)).map(({ key }) => key),
      [file],
    )
  })

  test(name('deleting an asset in the trash removes all of its objects'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data, { size: 30 })
    const second = await replace(data, id, { size: 20 })
    await data.trashAssets([id])
    assert.equal((await data.deleteAsset(id)).won, true)
    assert.deepEqual(await data.deleteAsset(id), { won: false, status: 'deleted' })
    assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 0, trash: 0, assets: 0 })
    const keys = (await database.listRemovals(10)).map(({ key }) => key)
    assert.deepEqual(keys.sort(), [id, second].sort())
    assert.equal((await database.readStates([id])).get(id)?.status, 'deleted')
    assert.deepEqual(await trashedIds(data), [])
  })

  test(
    name(
      'the oldest trash is removed if an upload needs the space, but not for an upload that never fits',
    ),
    async (t) => {
      const { database, data } = await open(t)
      const ids: string[] = []
      for (const size of [20, 30, 40]) ids.push(await aReadyAsset(data, { size }))
      const [first = '', second = '', third = ''] = ids
      const link = await aLink(data)
      for (const id of [link, first, second, third]) {
        await data.trashAssets([id])
        // Waits, so that the next asset has a later deletion time.
        const now = await database.readClock()
        while ((await database.readClock()).getTime() <= now.getTime() + 1);
      }
      const exceeded = await data.reserveUpload({ upload: anUpload({ size: 101 }), ...KEPT })
      assert.equal(exceeded.outcome, 'storage_exceeded')
      assert.deepEqual(await trashedIds(data), [third, second, first, link])
      const { upload, outcome } = await reserve(data, { size: 10 })
      assert.equal(outcome, 'reserved')
      assert.deepEqual(await trashedIds(data), [third, second, first, link])
      assert.equal((await data.resizeUpload(upload.asset.id, 11)).outcome, 'resized')
      assert.deepEqual(await trashedIds(data), [third, second, link])
      assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 11, trash: 70, assets: 0 })
      assert.equal((await reserve(data, { size: 89 })).outcome, 'reserved')
      assert.deepEqual(await trashedIds(data), [link])
      assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 100, trash: 0, assets: 0 })
      assert.deepEqual(
        (await database.listRemovals(10)).map(({ key }) => key),
        [first, second, third],
      )
    },
  )

  test(name('several transactions remove trash if an upload needs the space'), async (t) => {
    const { data } = await open(t, { planStorage: TRASH_BATCH + 50 })
    const ids: string[] = []
    for (let count = 0; count < TRASH_BATCH + 50; count += 1) {
      ids.push(await aReadyAsset(data, { size: 1 }))
    }
    assert.equal((await data.trashAssets(ids)).outcome, 'done')
    assert.equal((await reserve(data, { size: TRASH_BATCH + 40 })).outcome, 'reserved')
    assert.equal((await sumsOf(data)).trash, 10)
  })

  test(name('concurrent uploads and restores never exceed the plan'), async (t) => {
    const { data } = await open(t)
    const ids: string[] = []
    for (let count = 0; count < 10; count += 1) ids.push(await aReadyAsset(data, { size: 10 }))
    await data.trashAssets(ids)
    await Promise.all([
      ...ids.map((id) => data.restoreAssets([id])),
      ...ids.map(() => reserve(data, { size: 10 })),
      ...ids.map((id) => data.deleteAsset(id)),
    ])
    const { stored, reserved, trash } = await sumsOf(data)
    assert.ok(stored + reserved + trash <= 100, `${stored} + ${reserved} + ${trash}`)
  })

  test(name('assets are not restored into a plan that has become too small'), async (t) => {
    const { database, account, data } = await open(t)
    const id = await aReadyAsset(data, { size: 60 })
    await data.trashAssets([id])
    await database.changePlan(account.id, { name: 'small', storage: 50 })
    assert.deepEqual(await data.restoreAssets([id]), {
      outcome: 'storage_exceeded',
      usage: { limit: 50, stored: 0, reserved: 0 },
      needed: 60,
    })
    assert.deepEqual(await trashedIds(data), [id])
  })

  test(name('old trash of all accounts is removed, and the trash can be emptied'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    for (const each of [data, other]) {
      await aReadyAsset(each, { size: 5 })
      await aLink(each)
      await each.beginTrashAll()
      await each.continueTrashAll()
    }
    assert.equal(await database.removeOldTrash(HOUR_MS), 0)
    assert.equal(await data.emptyTrash(inHours(-1)), 0)
    assert.equal(await data.emptyTrash(inHours(1)), 2)
    assert.deepEqual([(await sumsOf(data)).trash, (await sumsOf(other)).trash], [0, 5])
    assert.equal(await database.removeOldTrash(-HOUR_MS), 2)
    assert.equal(await database.removeOldTrash(-HOUR_MS), 0)
    assert.equal((await sumsOf(other)).trash, 0)
    assert.equal(await database.forgetEndedAssets(inHours(1), 10), 4)
  })

  test(name('a late completion of an asset in the trash returns ready'), async (t) => {
    const { data } = await open(t)
    const id = await aReadyAsset(data)
    await data.trashAssets([id])
    assert.equal(await data.finishCompletion(id, KEEP), 'ready')
    assert.deepEqual(await trashedIds(data), [id])
    await data.deleteAsset(id)
    assert.equal(await data.finishCompletion(id, KEEP), 'deleted')
  })

  test(
    name('the oldest files in the trash are removed until enough bytes are freed'),
    async (t) => {
      const { database, data } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      await other.trashAssets([await aReadyAsset(other, { size: 9 })])
      const ids: string[] = []
      for (const size of [5, 7, 20]) ids.push(await aReadyAsset(data, { size }))
      const [first = '', second = '', third = ''] = ids
      await replace(data, second, { size: 1 })
      const link = await aLink(data)
      for (const id of [link, ...ids]) {
        await data.trashAssets([id])
        const now = (await database.readClock()).getTime()
        while ((await database.readClock()).getTime() <= now + 1);
      }
      await data.restoreAssets([third])
      await data.trashAssets([third])
      assert.equal(await data.removeOldestTrash(1), 5)
      assert.deepEqual((await trashedIds(data)).sort(), [link, second, third].sort())
      // The older version of the second file counts, too.
      assert.equal(await data.removeOldestTrash(9), 28)
      assert.equal(await data.removeOldestTrash(1), 0)
      assert.deepEqual(await trashedIds(data), [link])
      assert.equal((await data.restoreAssets([first])).outcome, 'assets_not_found')
      assert.deepEqual([(await sumsOf(data)).trash, (await sumsOf(other)).trash], [0, 9])
      const keys = (await database.listRemovals(10)).map(({ key }) => key)
      assert.equal(keys.length, 4)
    },
  )

  test(name('an exported asset in the trash is imported into the trash'), async (t) => {
    const { database, data } = await open(t)
    const [product] = await data.putProducts([aProduct()])
    const id = await aReadyAsset(data, { size: 30 })
    await replace(data, id, { size: 20 })
    await data.attachProducts(id, { productIds: [1], variantIds: [], ids: [], skus: [] })
    await data.trashAssets([id])
    const [record] = await database.listRecords(undefined, 10)
    assert.deepEqual(record?.productIds, [product?.id])
    const trashedAt = (await data.listTrash(PAGE)).rows[0]?.trashedAt
    assert.deepEqual(record?.trashedAt, trashedAt)
    await data.deleteAsset(id)
    await database.forgetEndedAssets(inHours(1), 10)
    await data.importRecords({ keys: [], assets: record ? [record] : [] })
    assert.deepEqual(await sumsOf(data), { stored: 0, reserved: 0, trash: 50, assets: 0 })
    assert.deepEqual(await database.listRecords(undefined, 10), [record])
    assert.equal((await data.restoreAssets([id])).outcome, 'restored')
    assert.deepEqual((await data.productsOfAssets([id], 10))?.get(id), [product])
  })
}

/** Moves the first three assets to the trash one after another, and the others at the same time. */
async function trashOneByOne(database: Database, data: AccountData, ids: string[]): Promise<void> {
  for (const id of ids.slice(0, 3)) {
    await data.trashAssets([id])
    const now = (await database.readClock()).getTime()
    while ((await database.readClock()).getTime() <= now + 1);
  }
  await data.trashAssets(ids.slice(3))
}

/** The contract for the list of the trash. */
export function testTrashList({ name, open }: Contract): void {
  test(name('the trash is listed by page and by cursor, latest deletion first'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    await other.trashAssets([await aLink(other)])
    await aLink(data)
    const ids: string[] = []
    for (let count = 0; count < 7; count += 1) ids.push(await aLink(data))
    await trashOneByOne(database, data, ids)
    const newestFirst = [...ids.slice(3).sort().reverse(), ...ids.slice(0, 3).reverse()]
    const read = async (query: Partial<TrashQuery>) => {
      const { rows, total } = await data.listTrash({ ...PAGE, ...query })
      assert.equal(total, 7)
      return rows
    }
    for (const page of [1, 2, 3, 4, 5]) {
      const rows = await read({ page, perPage: 2 })
      assert.deepEqual(
        rows.map(({ id }) => id),
        newestFirst.slice((page - 1) * 2, page * 2),
      )
    }
    const seen: string[] = []
    let after: TrashQuery['after']
    for (;;) {
      const rows = await read({ perPage: 2, ...(after && { after }) })
      const last = rows.at(-1)
      if (last === undefined) break
      seen.push(...rows.map(({ id }) => id))
      after = { id: last.id, value: last.trashedAt.getTime() }
      assert.equal(trashCursorText(last), `${after.id}.${after.value}`)
    }
    assert.deepEqual(seen, newestFirst)
  })

  test(name('the trash is filtered by name, words, kind and folder'), async (t) => {
    const { data } = await open(t)
    const file = await aReadyAsset(data, { filename: 'Straße 1.zip', path: 'course/week 1' })
    const link = await aLink(data, { filename: 'course 50%', path: null })
    const beside = await aLink(data, { filename: 'notes', path: 'course 2' })
    await data.trashAssets([file, link, beside])
    const find = async (query: Partial<TrashQuery>) => {
      const { rows, total } = await data.listTrash({ ...PAGE, ...query })
      assert.equal(total, rows.length)
      return rows.map(({ id }) => id).sort()
    }
    assert.deepEqual(await find({ name: '50%' }), [link])
    assert.deepEqual(await find({ name: '0_' }), [])
    assert.deepEqual(await find({ words: ['course'] }), [file, link, beside].sort())
    assert.deepEqual(await find({ words: ['week', 'strasse'] }), [file])
    assert.deepEqual(await find({ words: ['week', 'notes'] }), [])
    assert.deepEqual(await find({ kind: 'file' }), [file])
    assert.deepEqual(await find({ kind: 'link' }), [link, beside].sort())
    assert.deepEqual(await find({ folder: 'course/' }), [file])
    assert.deepEqual(await find({ folder: 'course/', kind: 'link' }), [])
  })

  test(
    name(
      'for assets deleted while the clock was ahead, the time in the trash starts at the next removal',
    ),
    async (t) => {
      const { database, data } = await open(t)
      const id = await aLink(data)
      await data.trashAssets([id])
      const [record] = await database.listRecords(undefined, 10)
      assert.ok(record)
      await data.deleteAsset(id)
      await database.forgetEndedAssets(inHours(1), 10)
      const ahead = { ...record, trashedAt: inHours(10_000) }
      await data.importRecords({ keys: [], assets: [ahead] })
      assert.equal(await database.removeOldTrash(HOUR_MS), 0)
      const [listed] = (await data.listTrash(PAGE)).rows
      assert.ok(listed && listed.trashedAt <= inHours(0.1), `${listed?.trashedAt}`)
      assert.equal(await database.removeOldTrash(-HOUR_MS), 1)
    },
  )
}
