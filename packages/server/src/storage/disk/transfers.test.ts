import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openTransfers } from './transfers.ts'

const grant = {
  kind: 'part',
  upload: { key: 'key', id: 'id' },
  number: 1,
  length: 10,
  expiresAt: new Date(),
} as const

test('a newer transfer of a part is moved into place after all earlier ones, even if some were aborted', async () => {
  const transfers = openTransfers({ reserve: 0, readFree: async () => 1000 })
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
