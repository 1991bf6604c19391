import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { newCounters, openActivity, openTransfers } from './transfers.ts'

const grant = {
  kind: 'part',
  upload: { key: 'key', id: 'id' },
  number: 1,
  length: 10,
  expiresAt: new Date(),
} as const

test('a newer transfer of a part is moved into place after all earlier ones, even if some were aborted', async () => {
  const transfers = openTransfers({
    reserve: 0,
    readFree: async () => 1000,
    activity: openActivity(newCounters()),
  })
  const complete = transfers.begin(grant)
  complete.markComplete()
  const aborted = transfers.begin(grant)
  const newest = transfers.begin(grant)
  await assert.rejects(aborted.aborted, { name: 'TransferAborted', reason: 'replaced' })
  aborted.close()
  let isNext = false
  void newest.earlierClosed?.then(() => {
    isNext = true
  })
  await nextTurn()
  assert.equal(isNext, false)
  complete.close()
  await nextTurn()
  assert.equal(isNext, true)
  newest.close()
  assert.equal(transfers.begin(grant).earlierClosed, undefined)
})

test('an upload is active until its transfers are closed, and stays active if a part could not be synced', async () => {
  const activity = openActivity(newCounters())
  const transfers = openTransfers({ reserve: 0, readFree: async () => 1000, activity })
  const upload = grant.upload
  const refused = transfers.begin(grant)
  assert.equal(activity.hasAny(upload), true)
  await assert.rejects(
    refused.moveIntoPlace(() => Promise.reject(new Error('the upload has ended'))),
  )
  refused.close()
  assert.equal(activity.hasAny(upload), false)
  const synced = transfers.begin(grant)
  await synced.moveIntoPlace(async () => {})
  synced.markSynced()
  synced.close()
  assert.equal(activity.hasAny(upload), false)
  const unsynced = transfers.begin(grant)
  await unsynced.moveIntoPlace(async () => {})
  unsynced.close()
  assert.equal(activity.hasAny(upload), true)
})

test('a transfer asks for the space that all transfers and the reserve need', async () => {
  const asked: number[] = []
  const transfers = openTransfers({
    reserve: 5,
    async readFree(needed) {
      asked.push(needed)
      return 25
    },
    activity: openActivity(newCounters()),
  })
  const first = transfers.begin(grant)
  assert.equal(await first.hasSpace(), true)
  const second = transfers.begin({ ...grant, number: 2 })
  assert.equal(await second.hasSpace(), false)
  first.addWritten(5)
  assert.equal(await second.hasSpace(), true)
  assert.deepEqual(asked, [15, 25, 20])
})
