import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountData } from '../account-data.ts'
import {
  aLink,
  anAccount,
  aReadyAsset,
  type Contract,
  KEEP,
  KEPT,
  NEWEST,
  NOON,
  usageOf,
} from './builders.ts'

import { numbersOf, replace, startReplacement } from './replacement-builders.ts'

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
    assert.equal((await data.findReplacement(id, uploadId))?.asset.status, 'ready')
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
