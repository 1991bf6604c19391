import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anAccount,
  anUpload,
  aReadyAsset,
  type Contract,
  expireOverdue,
  KEEP,
  KEPT,
  OVERDUE,
  usageOf,
} from './builders.ts'

import { numbersOf, replace, startReplacement } from './replacement-builders.ts'

/** The contract for deleting replaced files, for their objects, and for replacements that do not become current. */
export function testReplacedFiles({ name, open }: Contract): void {
  test(name('deleting an asset frees all versions and cancels its replacement'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data, { size: 30 })
    const second = await replace(data, id, { size: 20 })
    const { id: third } = await startReplacement(data, id, { size: 10 })
    const { won, replacement } = await data.deleteAsset(id)
    assert.deepEqual([won, replacement?.key, replacement?.asset.status], [true, third, 'cancelled'])
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 0 })
    assert.equal((await data.findUpload(third))?.asset.status, 'cancelled')
    const removals = await database.listRemovals(10)
    assert.deepEqual(
      removals.map(({ kind, key }) => `${kind} ${key}`).sort(),
      [`object ${id}`, `object ${second}`, `upload ${third}`].sort(),
    )
    assert.equal(await data.listVersions(id), undefined)
    assert.equal(await database.forgetEndedAssets(new Date(Date.now() + 60_000), 10), 3)
  })

  test(
    name('a replacement whose asset is deleted during its completion is cancelled'),
    async (t) => {
      const { database, data } = await open(t)
      const id = await aReadyAsset(data, { size: 30 })
      const { id: row } = await startReplacement(data, id, { size: 20 })
      await data.beginCompletion(row, KEPT)
      await data.deleteAsset(id)
      assert.equal((await usageOf(data)).reserved, 20)
      assert.equal(await data.finishCompletion(row, KEEP), 'cancelled')
      assert.equal(await data.finishCompletion(row, KEEP), 'cancelled')
      assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 0 })
      const keys = (await database.listRemovals(10)).map(({ kind, key }) => `${kind} ${key}`)
      assert.deepEqual(keys.sort(), [`object ${id}`, `upload ${row}`].sort())
    },
  )

  test(name('an overdue replacement expires, and its asset stays as it is'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data, { size: 30 })
    const upload = anUpload({ size: 20, replaces: { assetId: id, keepsName: true } })
    await data.reserveUpload({ upload, ...OVERDUE })
    assert.equal(await expireOverdue(database), 1)
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 30, reserved: 0 })
    assert.deepEqual(await numbersOf(data, id), ['1*'])
  })

  test(name('the state of an object is that of its version'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const first = await aReadyAsset(data, { size: 1 })
    const second = await replace(data, first, { size: 2 })
    const stateOf = async (key: string) => (await database.readStates([key])).get(key)?.status
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['ready', 'ready'])
    const third = await replace(data, first, { size: 3 })
    const { id: fourth } = await startReplacement(data, first)
    const states = await database.readStates([first, second, third, fourth])
    assert.deepEqual(
      [first, second, third, fourth].map((key) => states.get(key)?.status),
      ['deleted', 'ready', 'ready', 'uploading'],
    )
    // The first version is no longer kept, but running downloads may still need its object.
    assert.equal(states.get(first)?.isSuperseded, true)
    assert.equal(states.get(second)?.isSuperseded, false)
    const other = await aReadyAsset(data, { size: 4 })
    const files = await database.listStoredFiles(undefined, 10)
    assert.deepEqual(
      files.map(({ key, version, isCurrent, bytes }) => [key, version, isCurrent, bytes]),
      [
        [second, 2, false, 2],
        [third, 3, true, 3],
        [other, 1, true, 4],
      ],
    )
    const [next] = await database.listStoredFiles(second, 1)
    assert.deepEqual([next?.key, next?.assetId], [third, first])
    await data.deleteAsset(first)
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['deleted', 'deleted'])
    for (const { id } of await database.listRemovals(10)) await database.finishRemoval(id)
    assert.equal((await database.readStates([first])).get(first)?.isSuperseded, false)
    assert.deepEqual((await database.listStoredFiles(undefined, 10)).length, 1)
  })

  test(
    name(
      'the objects of versions that are no longer kept are removed if an upload needs the space, the oldest first',
    ),
    async (t) => {
      const { database, data } = await open(t)
      const id = await aReadyAsset(data, { size: 20 })
      const second = await replace(data, id, { size: 30 }, 0)
      await replace(data, id, { size: 10 }, 0)
      const dueNow = async () => {
        const due = await database.claimDueRemovals(await database.readClock(), 10)
        return due.map(({ key }) => key)
      }
      const superseded = async () => (await database.compareUsage())[0]?.counted.superseded
      assert.deepEqual([await superseded(), await dueNow()], [50, []])
      // 10 stored and 50 superseded: 40 fit without any removal.
      const fits = anUpload({ size: 40 })
      assert.equal((await data.reserveUpload({ upload: fits, ...KEPT })).outcome, 'reserved')
      assert.deepEqual([await superseded(), await dueNow()], [50, []])
      assert.equal((await data.resizeUpload(fits.asset.id, 91)).outcome, 'storage_exceeded')
      assert.deepEqual([await superseded(), await dueNow()], [50, []])
      assert.equal((await data.resizeUpload(fits.asset.id, 60)).outcome, 'resized')
      assert.deepEqual([await superseded(), await dueNow()], [30, [id]])
      const last = anUpload({ size: 30 })
      assert.equal((await data.reserveUpload({ upload: last, ...KEPT })).outcome, 'reserved')
      assert.deepEqual([await superseded(), await dueNow()], [0, [second]])
      assert.deepEqual(await usageOf(data), { limit: 100, stored: 10, reserved: 90 })
    },
  )

  test(name('a superseded object is counted until its removal is finished'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data, { size: 20 })
    await replace(data, id, { size: 30 }, 0)
    const inAnHour = new Date(Date.now() + 3_600_000 + 60_000)
    const [removal, ...others] = await database.claimDueRemovals(inAnHour, 10)
    assert.deepEqual([removal?.key, others], [id, []])
    await Promise.all([1, 2, 3].map(() => database.finishRemoval(removal?.id ?? 0)))
    assert.equal((await database.compareUsage())[0]?.counted.superseded, 0)
    assert.deepEqual(await database.listRemovals(10), [])
  })

  test(name('an exported asset is imported with its versions'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const id = await aReadyAsset(data, { size: 1, filename: 'a.png', mime: 'image/png' })
    await replace(data, id, { size: 2 }, 9)
    await replace(data, id, { size: 4 }, 9)
    await data.restoreVersion(id, 1)
    await data.deleteVersion(id, 3)
    const [record] = await database.listRecords(undefined, 10)
    assert.ok(record)
    const target = database.of((await anAccount(database, 'target')).id)
    // A deployment can't have the same object keys twice.
    await data.deleteAsset(id)
    await database.forgetEndedAssets(new Date(Date.now() + 60_000), 10)
    await target.importRecords({ keys: [], assets: [record] })
    await target.importRecords({ keys: [], assets: [record] })
    const [again] = await database.listRecords(undefined, 10)
    const asset = { ...record.asset, accountId: again?.asset.accountId }
    assert.deepEqual(again, { ...record, asset })
    assert.deepEqual(await numbersOf(target, id), ['2', '1*'])
    assert.equal((await usageOf(target)).stored, 3)
    await replace(target, id, {}, 9)
    assert.deepEqual(await numbersOf(target, id), ['4*', '2', '1'])
  })

  test(name('racing replacements, restores and deletions leave exact counters'), async (t) => {
    const { data } = await open(t, { planStorage: 10_000 })
    const ids = await Promise.all([1, 2, 3].map((size) => aReadyAsset(data, { size })))
    await Promise.all(
      ids.flatMap((id) =>
        Array.from({ length: 8 }, async (_, index) => {
          const { id: row, reservation } = await startReplacement(data, id, { size: index })
          await data.restoreVersion(id, index)
          if (reservation.outcome === 'reserved') {
            await data.beginCompletion(row, KEPT)
            await data.finishCompletion(row, KEEP)
          }
          await data.deleteVersion(id, index)
          if (index === 5) await data.deleteAsset(id)
        }),
      ),
    )
    assert.deepEqual(await usageOf(data), { limit: 10_000, stored: 0, reserved: 0 })
  })
}
