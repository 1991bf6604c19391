import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { after, type Contract, expireOverdue, NOON, OVERDUE, reserve, usageOf } from './builders.ts'

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
    const [removal] = await database.takeDueRemovals(NOON, 10)
    assert.ok(removal)
    assert.deepEqual(
      { ...removal, id: 0, dueAt: NOON },
      {
        id: 0,
        kind: 'upload',
        storageId: upload.id,
        key: upload.asset.id,
        attempts: 0,
        dueAt: NOON,
      },
    )
    await database.postponeRemoval(removal.id, after(1))
    assert.deepEqual(await database.takeDueRemovals(after(0.5), 10), [])
    assert.equal((await database.takeDueRemovals(after(1), 10))[0]?.attempts, 1)
    await database.finishRemoval(removal.id)
    assert.deepEqual(await database.takeDueRemovals(after(99), 10), [])
    assert.deepEqual(await database.listRemovals(10), [])
  })

  test(name('a removal that was taken is given to nobody else for a minute'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    await reserve(data, OVERDUE)
    await reserve(data, OVERDUE)
    await expireOverdue(database)
    const taken = await Promise.all([1, 2, 3].map(() => database.takeDueRemovals(NOON, 1)))
    assert.equal(new Set(taken.flat().map(({ id }) => id)).size, 2)
    assert.equal((await database.listRemovals(10)).length, 2)
    assert.equal((await database.takeDueRemovals(after(0.1), 10)).length, 2)
  })

  test(name('completions left behind are listed, and end once their time is up'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload: kept } = await reserve(data, { size: 5 })
    await data.beginCompletion(kept.asset.id, NOON)
    await data.abandonCompletion(kept.asset.id, after(1))
    assert.equal((await data.findUpload(kept.asset.id))?.asset.status, 'completing')
    await data.reopenUpload(kept.asset.id, NOON)
    await data.cancelUpload(kept.asset.id, NOON)
    const { upload } = await reserve(data, OVERDUE)
    await data.beginCompletion(upload.asset.id, NOON)
    assert.deepEqual(await database.listStuckCompletions(NOON, 10), [])
    const stuck = await database.listStuckCompletions(after(1), 10)
    assert.deepEqual(
      stuck.map(({ id }) => id),
      [upload.id],
    )
    await data.abandonCompletion(upload.asset.id, after(1))
    assert.equal((await usageOf(data)).reserved, 0)
    assert.deepEqual(await database.listStuckCompletions(after(2), 10), [])
  })

  test(
    name('a completion that was taken up is due again only after a growing pause'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const uploads = [await reserve(data), await reserve(data), await reserve(data)]
      const [first, ...others] = uploads.map(({ upload }) => upload.asset.id)
      await data.beginCompletion(first ?? '', NOON)
      for (const id of others) await data.beginCompletion(id, after(0.1))
      const take = async (hours: number, limit: number) => {
        const times = { before: after(hours), now: after(hours) }
        const taken = await database.takeStuckCompletions(times, limit)
        return taken.map(({ asset }) => asset.id).sort()
      }
      assert.deepEqual(await take(0, 10), [])
      // However often the first one fails, the others come next.
      assert.deepEqual(await take(0.5, 1), [first])
      assert.deepEqual(await take(0.5, 10), others.toSorted())
      assert.deepEqual(await take(0.85, 10), [])
      assert.deepEqual(await take(0.95, 10), others.toSorted())
      assert.deepEqual(await take(1.01, 10), [first])
      // Never longer than an hour.
      await take(48, 10)
      assert.deepEqual(
        await take(49.1, 10),
        uploads.map(({ upload }) => upload.asset.id).toSorted(),
      )
      // Begun again, it is due at once.
      await data.reopenUpload(first ?? '', after(50))
      await data.beginCompletion(first ?? '', after(50))
      assert.deepEqual(await take(50.01, 1), [first])
    },
  )

  test(name('it tells the status of the assets that have a row'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload: open1 } = await reserve(data)
    const { upload: completing } = await reserve(data)
    const { upload: cancelled } = await reserve(data)
    await data.beginCompletion(completing.asset.id, NOON)
    await data.cancelUpload(cancelled.asset.id, NOON)
    const ids = [open1, completing, cancelled].map(({ asset }) => asset.id)
    const statuses = await database.readStatuses([...ids, newUuid()])
    assert.deepEqual(
      ids.map((id) => statuses.get(id)),
      ['uploading', 'completing', 'cancelled'],
    )
    assert.equal(statuses.size, 3)
  })

  test(name('ended uploads are forgotten after a while'), async (t) => {
    const { database, data } = await open(t)
    const { upload } = await reserve(data)
    await data.cancelUpload(upload.asset.id, NOON)
    assert.equal(await database.forgetEndedAssets(NOON, 10), 0)
    assert.equal(await database.forgetEndedAssets(after(1), 10), 1)
    assert.equal(await data.findUpload(upload.asset.id), undefined)
  })
}
