import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Upload } from '../../domain/asset.ts'
import type { StoredPart } from '../../storage/storage.ts'
import type { AccountContext } from '../context.ts'
import { createReceivedReader } from './uploads.ts'

const PARTS: StoredPart[] = [{ number: 1, etag: '', size: 5, receivedAt: new Date(0) }]

function someUploads(count: number): Upload[] {
  return Array.from({ length: count }, (_, index) => ({
    status: 'uploading',
    id: `upload ${index}`,
    storageId: `upload ${index}`,
    chunkSize: 10,
    startedBy: null,
    tokenId: null,
    expiresAt: new Date(0),
    replaces: null,
    key: `${index}`,
    asset: { id: `${index}`, bytes: 5 } as Upload['asset'],
  }))
}

/** Storage whose calls the test resolves one by one, except for the first ones, which it resolves itself. */
function aSlowStorage({ resolved = 0 } = {}) {
  const pending: { id: string; settle: (parts: StoredPart[] | Error) => void }[] = []
  const warnings: string[] = []
  const listParts = ({ id }: { id: string }) =>
    new Promise<StoredPart[]>((resolve, reject) => {
      const settle = (parts: StoredPart[] | Error) =>
        parts instanceof Error ? reject(parts) : resolve(parts)
      pending.push({ id, settle })
      if (pending.length <= resolved) settle(PARTS)
    })
  const context = {
    storage: { listParts },
    warn: (message: string) => warnings.push(message),
  } as unknown as AccountContext
  return { context, pending, warnings }
}

test('the number of concurrent calls to the storage is limited across all requests', async () => {
  const { context, pending } = aSlowStorage()
  const read = createReceivedReader({ concurrent: 3, perRequest: 2, timeLimitMs: 60_000 })
  const reading = Promise.all([read(context, someUploads(5)), read(context, someUploads(5))])
  let max = 0
  for (let resolved = 0; resolved < 10; resolved += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    max = Math.max(max, pending.length)
    pending.shift()?.settle(PARTS)
  }
  for (const received of await reading) {
    assert.deepEqual([...received.keys()], ['0', '1', '2', '3', '4'])
    assert.deepEqual(received.get('4'), { parts: 1, bytes: 5 })
  }
  assert.equal(max, 3)
})

test('uploads are omitted if the storage does not respond in time', async () => {
  const { context, pending } = aSlowStorage({ resolved: 1 })
  const read = createReceivedReader({ concurrent: 2, perRequest: 2, timeLimitMs: 20 })
  const received = await read(context, someUploads(5))
  assert.deepEqual([...received.keys()], ['0'])
  // The calls that hang keep their slots: a later request does not add to them.
  assert.equal(pending.length, 3)
  assert.deepEqual([...(await read(context, someUploads(5))).keys()], [])
  assert.equal(pending.length, 3)
  for (const { settle } of pending) settle(PARTS)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(received.size, 1)
})

test('after a failure of the storage, no further upload is read', async () => {
  const { context, pending, warnings } = aSlowStorage()
  const read = createReceivedReader({ perRequest: 1 })
  const reading = read(context, someUploads(5))
  await new Promise((resolve) => setImmediate(resolve))
  pending[0]?.settle(PARTS)
  await new Promise((resolve) => setImmediate(resolve))
  pending[1]?.settle(new Error('the storage is down'))
  assert.deepEqual([...(await reading).keys()], ['0'])
  assert.equal(pending.length, 2)
  assert.deepEqual(warnings, ['could not read the parts of unfinished uploads'])
})
