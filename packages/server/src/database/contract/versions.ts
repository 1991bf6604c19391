import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountData } from '../account-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aReadyAsset,
  type Contract,
  expireOverdue,
  KEEP,
  KEPT,
  NEWEST,
  NOON,
  numbersOf,
  OVERDUE,
  replace,
  startReplacement,
  usageOf,
} from './builders.ts'

/** The contract for replacing files, and for their versions. */
export function testVersions({ name, open }: Contract): void {
  test(name('a completed replacement becomes the current version of its asset'), async (t) => {
    const { database, account, data } = await open(t)
    const id = await aReadyAsset(data, { size: 60, filename: 'old.zip' })
    const { id: row, uploadId } = await startReplacement(data, id, { size: 20, mime: 'image/png' })
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 60, reserved: 20 })
    const before = await data.findAsset(id)
    assert.deepEqual([before?.status, before?.bytes, before?.version], ['ready', 60, 1])
    assert.equal((await data.listAssets({ page: 1, perPage: 10, sort: NEWEST })).total, 1)

    await data.beginCompletion(row, KEPT)
    const finished = await Promise.all([1, 2, 3].map(() => data.finishCompletion(row, KEEP)))
    assert.deepEqual(finished, ['ready', 'ready', 'ready'])
    const after = await data.findAsset(id)
    assert.partialDeepStrictEqual(after, {
      id,
      accountId: account.id,
      status: 'ready',
      filename: 'old.zip',
      bytes: 20,
      mime: 'image/png',
      version: 2,
      createdAt: NOON,
    })
    assert.ok((after?.updatedAt.getTime() ?? 0) > Date.now() - 60_000)
    const upload = await data.findUpload(id)
    assert.deepEqual([upload?.key, upload?.replaces], [row, null])
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 80, reserved: 0 })
    const byType = await data.readUsage()
    assert.deepEqual(byType, [
      { type: 'archive', bytes: 60, assets: 0 },
      { type: 'image', bytes: 20, assets: 1 },
    ])
    assert.equal((await data.findReplacement(id, uploadId))?.status, 'ready')
    assert.equal((await data.cancelUpload(row)).status, 'ready')
    assert.deepEqual(await database.listRemovals(10), [])
    assert.equal((await data.listUploads({ page: 1, perPage: 10 })).total, 0)
  })

  test(name('the row of a replacement is not an asset'), async (t) => {
    const { data } = await open(t)
    const id = await aReadyAsset(data)
    const { id: row } = await startReplacement(data, id)
    assert.equal(await data.findAsset(row), undefined)
    assert.equal(await data.changeAsset(row, { filename: 'x' }), undefined)
    const none = { ids: [], productIds: [], variantIds: [], skus: [] }
    assert.equal((await data.attachProducts(row, none)).outcome, 'asset_not_found')
    assert.deepEqual(await data.deleteAsset(row), { won: false, status: undefined })
    assert.equal((await startReplacement(data, row)).reservation.outcome, 'not_replaceable')
    assert.equal((await data.findUpload(row))?.replaces?.assetId, id)
  })

  test(
    name('a replacement may rename its asset, which is then found by the new name'),
    async (t) => {
      const { data } = await open(t)
      const id = await aReadyAsset(data, { filename: 'first.zip' })
      await replace(data, id, { filename: 'second.zip', keepsName: false })
      const find = (part: string) =>
        data.listAssets({ page: 1, perPage: 9, sort: NEWEST, name: part })
      assert.deepEqual([(await find('first')).total, (await find('second')).total], [0, 1])
      await data.changeAsset(id, { filename: 'renamed.zip' })
      await replace(data, id, { filename: 'ignored.zip' })
      assert.equal((await data.findAsset(id))?.filename, 'renamed.zip')
    },
  )

  test(name('of concurrent replacements of one asset exactly one is reserved'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const id = await aReadyAsset(data, { size: 10 })
    const started = await Promise.all(Array.from({ length: 6 }, () => startReplacement(data, id)))
    const [first] = started.filter(({ reservation }) => reservation.outcome === 'reserved')
    assert.ok(first)
    const refused = started.filter((one) => one !== first).map(({ reservation }) => reservation)
    const expected = { outcome: 'replacement_in_progress', uploadId: first.uploadId }
    assert.deepEqual(
      refused,
      Array.from({ length: 5 }, () => expected),
    )
    await data.beginCompletion(first.id, KEPT)
    assert.deepEqual((await startReplacement(data, id)).reservation, expected)
    await data.reopenUpload(first.id)
    await data.cancelUpload(first.id)
    assert.equal((await startReplacement(data, id)).reservation.outcome, 'reserved')
    assert.equal((await usageOf(data)).reserved, 10)
  })

  test(name('only a ready file of the account can be replaced, within the plan'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    const id = await aReadyAsset(data, { size: 60 })
    const outcomeOf = async (owner: AccountData, asset: string, size = 1) =>
      (await startReplacement(owner, asset, { size })).reservation
    assert.deepEqual(await outcomeOf(theirs, id), { outcome: 'not_replaceable', asset: undefined })
    const link = { outcome: 'not_replaceable', asset: { kind: 'link', status: 'ready' } }
    assert.deepEqual(await outcomeOf(data, await aLink(data)), link)
    assert.equal((await outcomeOf(data, id, 41)).outcome, 'storage_exceeded')
    await data.deleteAsset(id)
    const deleted = { outcome: 'not_replaceable', asset: { kind: 'file', status: 'deleted' } }
    assert.deepEqual(await outcomeOf(data, id), deleted)
  })

  test(name('the versions that were replaced longest ago are removed first'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const id = await aReadyAsset(data, { size: 1 })
    const second = await replace(data, id, { size: 2 }, 2)
    await replace(data, id, { size: 4 }, 2)
    assert.deepEqual(await numbersOf(data, id), ['3*', '2', '1'])
    // This replaces version 3 with version 1, so version 2 is the one that was replaced longest ago.
    assert.equal((await data.restoreVersion(id, 1)).outcome, 'restored')
    await replace(data, id, { size: 8 }, 2)
    assert.deepEqual(await numbersOf(data, id), ['4*', '3', '1'])
    assert.equal((await usageOf(data)).stored, 8 + 4 + 1)
    const [removal, ...others] = await database.listRemovals(10)
    assert.deepEqual([removal?.kind, removal?.key, others], ['object', second, []])
    // A download that began earlier may continue for an hour.
    const dueInMs = (removal?.dueAt.getTime() ?? 0) - Date.now()
    assert.ok(dueInMs > 3_500_000 && dueInMs <= 3_600_000, `${dueInMs}`)
    assert.deepEqual(await database.claimDueRemovals(new Date(), 10), [])
    await replace(data, id, { size: 16 }, 0)
    assert.deepEqual(await numbersOf(data, id), ['5*'])
    assert.equal((await usageOf(data)).stored, 16)
  })

  test(name('restoring makes an older version current, and can be repeated'), async (t) => {
    const { data } = await open(t)
    const id = await aReadyAsset(data, { size: 3, filename: 'one.pdf', mime: 'application/pdf' })
    const second = await replace(data, id, { size: 5, filename: 'two.png', keepsName: false })
    const restored = await data.restoreVersion(id, 1)
    const expected = { version: 1, bytes: 3, filename: 'one.pdf', mime: 'application/pdf' }
    assert.partialDeepStrictEqual(restored, { outcome: 'restored', asset: expected })
    assert.equal((await data.restoreVersion(id, 1)).outcome, 'current')
    assert.equal((await data.findUpload(id))?.key, id)
    const versions = await data.listVersions(id)
    assert.deepEqual(
      versions?.map(({ version, isCurrent, key, bytes }) => ({ version, isCurrent, key, bytes })),
      [
        { version: 2, isCurrent: false, key: second, bytes: 5 },
        { version: 1, isCurrent: true, key: id, bytes: 3 },
      ],
    )
    assert.equal((await usageOf(data)).stored, 8)
    // Numbers are never used again, even after a version was removed.
    assert.equal(await data.deleteVersion(id, 2), 'deleted')
    await replace(data, id)
    assert.deepEqual(await numbersOf(data, id), ['3*', '1'])
    assert.equal((await data.restoreVersion(id, 2)).outcome, 'version_not_found')
    assert.equal((await data.restoreVersion(second, 1)).outcome, 'asset_not_found')
  })

  test(name('deleting an older version frees its bytes; the current one stays'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    const id = await aReadyAsset(data, { size: 60 })
    await replace(data, id, { size: 10 })
    assert.equal(await theirs.deleteVersion(id, 1), 'asset_not_found')
    assert.equal(await theirs.listVersions(id), undefined)
    assert.equal((await theirs.restoreVersion(id, 1)).outcome, 'asset_not_found')
    assert.equal(await data.deleteVersion(id, 2), 'current')
    const outcomes = await Promise.all([1, 2, 3].map(() => data.deleteVersion(id, 1)))
    assert.deepEqual(outcomes.toSorted(), ['deleted', 'version_not_found', 'version_not_found'])
    assert.equal((await usageOf(data)).stored, 10)
    const removals = await database.listRemovals(10)
    assert.deepEqual(
      removals.map(({ kind, key }) => [kind, key]),
      [['object', id]],
    )
  })
}

/** The contract for deleting replaced files, for their objects, and for replacements that do not become current. */
export function testReplacedFiles({ name, open }: Contract): void {
  test(name('deleting an asset frees all versions and cancels its replacement'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data, { size: 30 })
    const second = await replace(data, id, { size: 20 })
    const { id: third } = await startReplacement(data, id, { size: 10 })
    const { won, replacement } = await data.deleteAsset(id)
    assert.deepEqual([won, replacement?.key, replacement?.status], [true, third, 'cancelled'])
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 0 })
    assert.equal((await data.findUpload(third))?.status, 'cancelled')
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
