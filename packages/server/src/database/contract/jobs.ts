import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import {
  type Contract,
  expireOverdue,
  inHours,
  KEPT,
  OVERDUE,
  reserve,
  usageOf,
} from './builders.ts'

/** The contract for background jobs, and for binding a storage. */
export function testJobs({ name, open }: Contract): void {
  test(name('the first bound storage stays bound until it is explicitly replaced'), async (t) => {
    const { database } = await open(t)
    const { id, storageId } = await database.readIdentity()
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.equal(storageId, undefined)
    const bound = await Promise.all(['a', 'b', 'c'].map((name) => database.bindStorage(name)))
    assert.equal(new Set(bound).size, 1)
    const unfinishedMove = undefined
    assert.deepEqual(await database.readIdentity(), { id, storageId: bound[0], unfinishedMove })
    await database.rebindStorage('d')
    assert.equal(await database.bindStorage('a'), 'd')
    assert.deepEqual(await database.readIdentity(), { id, storageId: 'd', unfinishedMove })
  })

  test(name('of concurrent calls that bind a secret key, one wins'), async (t) => {
    const { database } = await open(t)
    assert.equal(await database.readSecretKeyId(), undefined)
    const bound = await Promise.all(
      ['a', 'b', 'c'].map((id) => database.bindSecretKey(id, undefined)),
    )
    const [first = ''] = bound
    assert.deepEqual(bound, [first, first, first])
    assert.equal(await database.bindSecretKey('d', 'e'), first)
    assert.equal(await database.bindSecretKey('d', first), 'd')
    assert.equal(await database.readSecretKeyId(), 'd')
  })

  test(name('an unfinished move is recorded until it is finished'), async (t) => {
    const { database } = await open(t)
    for (const from of ['/a folder', undefined, '/b', '/c']) {
      await database.setUnfinishedMove(from)
      assert.equal((await database.readIdentity()).unfinishedMove, from)
    }
  })

  test(name('a removal stays queued until it is confirmed'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload } = await reserve(data, OVERDUE)
    await expireOverdue(database)
    const [removal] = await database.claimDueRemovals(inHours(0.01), 10)
    assert.ok(removal)
    const { id, dueAt, ...facts } = removal
    const expected = { kind: 'upload', storageId: upload.id, key: upload.asset.id, attempts: 0 }
    assert.deepEqual(facts, expected)
    await database.postponeRemoval(id, inHours(1))
    assert.deepEqual(await database.claimDueRemovals(inHours(0.5), 10), [])
    assert.equal((await database.claimDueRemovals(inHours(1), 10))[0]?.attempts, 1)
    await database.finishRemoval(id)
    assert.deepEqual(await database.claimDueRemovals(inHours(99), 10), [])
    assert.deepEqual(await database.listRemovals(10), [])
  })

  test(name('a claimed removal cannot be claimed again for a minute'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    await reserve(data, OVERDUE)
    await reserve(data, OVERDUE)
    await expireOverdue(database)
    // Later than now: the database records microseconds, so a time in the same millisecond may be earlier.
    const now = inHours(0.01)
    const claimed = await Promise.all([1, 2, 3].map(() => database.claimDueRemovals(now, 1)))
    assert.equal(new Set(claimed.flat().map(({ id }) => id)).size, 2)
    assert.equal((await database.listRemovals(10)).length, 2)
    assert.equal((await database.claimDueRemovals(inHours(0.1), 10)).length, 2)
  })

  test(
    name('removals and completions recorded by a clock that was far ahead are due immediately'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      await reserve(data, OVERDUE)
      await expireOverdue(database)
      const { upload } = await reserve(data)
      await data.beginCompletion(upload.asset.id, KEPT)
      const yearAgo = inHours(-365 * 24)
      assert.equal((await database.claimDueRemovals(yearAgo, 10)).length, 1)
      const times = { before: yearAgo, now: yearAgo }
      assert.equal((await database.claimStuckCompletions(times, 10)).length, 1)
      assert.equal((await database.claimStuckCompletions(times, 10)).length, 0)
    },
  )

  test(name('the expiry of uploads can be limited'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    // As if set by a clock that was years ahead.
    const { upload: late } = await reserve(data, { keptForMs: 10 * 365 * 24 * 3_600_000 })
    const { upload: early } = await reserve(data, { keptForMs: 60_000 })
    await database.limitExpiry(KEPT.keptForMs)
    const hoursLeft = async (id: string) =>
      (Number((await data.findUpload(id))?.expiresAt) - Date.now()) / 3_600_000
    assert.equal(Math.round(await hoursLeft(late.asset.id)), 12)
    assert.equal(Math.round(await hoursLeft(early.asset.id)), 0)
  })

  test(name('stuck completions are listed, and can be abandoned after they expire'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload: kept } = await reserve(data, { size: 5, ...OVERDUE })
    await data.beginCompletion(kept.asset.id, KEPT)
    await data.abandonCompletion(kept.asset.id, 0)
    assert.equal((await data.findUpload(kept.asset.id))?.status, 'completing')
    await data.reopenUpload(kept.asset.id)
    await data.cancelUpload(kept.asset.id)
    const { upload } = await reserve(data)
    await data.beginCompletion(upload.asset.id, OVERDUE)
    assert.deepEqual(await database.listStuckCompletions(inHours(-1), 10), [])
    const stuck = await database.listStuckCompletions(inHours(1), 10)
    assert.deepEqual(
      stuck.map(({ id }) => id),
      [upload.id],
    )
    await data.abandonCompletion(upload.asset.id, 3_600_000)
    assert.equal((await usageOf(data)).reserved, 60)
    await data.abandonCompletion(upload.asset.id, 0)
    assert.equal((await usageOf(data)).reserved, 0)
    assert.deepEqual(await database.listStuckCompletions(inHours(2), 10), [])
  })

  test(name('a claimed completion can be claimed again only after a growing pause'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const uploads = [await reserve(data), await reserve(data), await reserve(data)]
    const [first = '', ...others] = uploads.map(({ upload }) => upload.asset.id)
    for (const id of [first, ...others]) await data.beginCompletion(id, KEPT)
    const claim = async (hours: number, limit: number) => {
      const times = { before: inHours(hours), now: inHours(hours) }
      const claimed = await database.claimStuckCompletions(times, limit)
      return claimed.map(({ asset }) => asset.id).sort()
    }
    assert.deepEqual(await claim(-0.1, 10), [])
    // While one completion is claimed, the others are next.
    const [taken = ''] = await claim(0.4, 1)
    const left = [first, ...others].filter((id) => id !== taken).toSorted()
    assert.deepEqual(await claim(0.5, 10), left)
    assert.deepEqual(await claim(0.75, 10), [])
    assert.deepEqual(await claim(0.85, 10), [taken])
    assert.deepEqual(await claim(1.01, 10), left)
    // The pause never exceeds an hour.
    await claim(48, 10)
    assert.deepEqual(await claim(49.1, 10), [first, ...others].toSorted())
    // A completion that is started again is due immediately.
    await data.reopenUpload(first)
    await data.beginCompletion(first, KEPT)
    assert.deepEqual(await claim(0.01, 1), [first])
  })

  test(
    name('the states of known assets are returned, and unknown assets are left out'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const { upload: open1 } = await reserve(data)
      const { upload: completing } = await reserve(data)
      const { upload: cancelled } = await reserve(data)
      await data.beginCompletion(completing.asset.id, KEPT)
      await data.cancelUpload(cancelled.asset.id)
      const ids = [open1, completing, cancelled].map(({ asset }) => asset.id)
      await data.recordStorageId(open1.asset.id, { previous: open1.id, storageId: 'named' })
      const states = await database.readStates([...ids, newUuid()])
      assert.deepEqual(
        ids.map((id) => states.get(id)),
        [
          { status: 'uploading', isSuperseded: false, storageId: 'named' },
          { status: 'completing', isSuperseded: false, storageId: undefined },
          { status: 'cancelled', isSuperseded: false, storageId: undefined },
        ],
      )
      assert.equal(states.size, 3)
    },
  )

  test(name('ended uploads are deleted once they are old enough'), async (t) => {
    const { database, data } = await open(t)
    const { upload } = await reserve(data)
    await data.cancelUpload(upload.asset.id)
    assert.equal(await database.forgetEndedAssets(inHours(-1), 10), 0)
    assert.equal(await database.forgetEndedAssets(inHours(1), 10), 1)
    assert.equal(await data.findUpload(upload.asset.id), undefined)
  })
}
