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

/** What every database promises the jobs. */
export function testJobs({ name, open }: Contract): void {
  test(
    name('one storage is bound, whoever else binds another, until it is bound anew'),
    async (t) => {
      const { database } = await open(t)
      const { id, storageId } = await database.readIdentity()
      assert.match(id, /^[0-9a-f]{32}$/)
      assert.equal(storageId, undefined)
      const bound = await Promise.all(['a', 'b', 'c'].map((name) => database.bindStorage(name)))
      assert.equal(new Set(bound).size, 1)
      assert.deepEqual(await database.readIdentity(), { id, storageId: bound[0] })
      await database.rebindStorage('d')
      assert.equal(await database.bindStorage('a'), 'd')
      assert.deepEqual(await database.readIdentity(), { id, storageId: 'd' })
    },
  )

  test(name('what the storage must let go of stays due until it is confirmed'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload } = await reserve(data, OVERDUE)
    await expireOverdue(database)
    const [removal] = await database.claimDueRemovals(inHours(0), 10)
    assert.ok(removal)
    const { id, dueAt, ...facts } = removal
    const noted = { kind: 'upload', storageId: upload.id, key: upload.asset.id, attempts: 0 }
    assert.deepEqual(facts, noted)
    await database.postponeRemoval(id, inHours(1))
    assert.deepEqual(await database.claimDueRemovals(inHours(0.5), 10), [])
    assert.equal((await database.claimDueRemovals(inHours(1), 10))[0]?.attempts, 1)
    await database.finishRemoval(id)
    assert.deepEqual(await database.claimDueRemovals(inHours(99), 10), [])
    assert.deepEqual(await database.listRemovals(10), [])
  })

  test(name('a removal that was taken is given to nobody else for a minute'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    await reserve(data, OVERDUE)
    await reserve(data, OVERDUE)
    await expireOverdue(database)
    const now = inHours(0)
    const taken = await Promise.all([1, 2, 3].map(() => database.claimDueRemovals(now, 1)))
    assert.equal(new Set(taken.flat().map(({ id }) => id)).size, 2)
    assert.equal((await database.listRemovals(10)).length, 2)
    assert.equal((await database.claimDueRemovals(inHours(0.1), 10)).length, 2)
  })

  test(name('what was noted when the clock was far ahead is due at once'), async (t) => {
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
  })

  test(name('no upload ends later than it is kept for'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    // As by a clock that was years ahead.
    const { upload: late } = await reserve(data, { keptForMs: 10 * 365 * 24 * 3_600_000 })
    const { upload: early } = await reserve(data, { keptForMs: 60_000 })
    await database.limitExpiry(KEPT.keptForMs)
    const hoursLeft = async (id: string) =>
      (Number((await data.findUpload(id))?.expiresAt) - Date.now()) / 3_600_000
    assert.equal(Math.round(await hoursLeft(late.asset.id)), 12)
    assert.equal(Math.round(await hoursLeft(early.asset.id)), 0)
  })

  test(name('completions left behind are listed, and end once their time is up'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload: kept } = await reserve(data, { size: 5, ...OVERDUE })
    await data.beginCompletion(kept.asset.id, KEPT)
    await data.abandonCompletion(kept.asset.id, 0)
    assert.equal((await data.findUpload(kept.asset.id))?.asset.status, 'completing')
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

  test(
    name('a completion that was taken up is due again only after a growing pause'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const uploads = [await reserve(data), await reserve(data), await reserve(data)]
      const [first = '', ...others] = uploads.map(({ upload }) => upload.asset.id)
      for (const id of [first, ...others]) await data.beginCompletion(id, KEPT)
      const take = async (hours: number, limit: number) => {
        const times = { before: inHours(hours), now: inHours(hours) }
        const taken = await database.claimStuckCompletions(times, limit)
        return taken.map(({ asset }) => asset.id).sort()
      }
      assert.deepEqual(await take(-0.1, 10), [])
      // However often the first one fails, the others come next.
      const [taken = ''] = await take(0.4, 1)
      const left = [first, ...others].filter((id) => id !== taken).toSorted()
      assert.deepEqual(await take(0.5, 10), left)
      assert.deepEqual(await take(0.75, 10), [])
      assert.deepEqual(await take(0.85, 10), [taken])
      assert.deepEqual(await take(1.01, 10), left)
      // Never longer than an hour.
      await take(48, 10)
      assert.deepEqual(await take(49.1, 10), [first, ...others].toSorted())
      // Begun again, it is due at once.
      await data.reopenUpload(first)
      await data.beginCompletion(first, KEPT)
      assert.deepEqual(await take(0.01, 1), [first])
    },
  )

  test(name('it tells the state of the assets that have a row'), async (t) => {
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
        { status: 'uploading', storageId: 'named' },
        { status: 'completing', storageId: undefined },
        { status: 'cancelled', storageId: undefined },
      ],
    )
    assert.equal(states.size, 3)
  })

  test(name('ended uploads are forgotten after a while'), async (t) => {
    const { database, data } = await open(t)
    const { upload } = await reserve(data)
    await data.cancelUpload(upload.asset.id)
    assert.equal(await database.forgetEndedAssets(inHours(-1), 10), 0)
    assert.equal(await database.forgetEndedAssets(inHours(1), 10), 1)
    assert.equal(await data.findUpload(upload.asset.id), undefined)
  })
}
