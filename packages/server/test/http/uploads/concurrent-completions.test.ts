import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readObjects } from '@stowage/testing/engines/test-engines'
import { runJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import {
  API,
  cancel,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'
import type { Engines } from '../../../src/compose.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const bytes = someBytes(25)

/**
 * Two concurrent completions of one upload. The storage delays the first one until `release` is called, and
 * refuses the second one, which reopens the upload.
 */
async function twoCompletions(t: TestContext, heldAt: 'before' | 'after') {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = () => {
    arrived.resolve()
    return released.promise
  }
  let calls = 0
  const faults = { areAbortsIgnored: false }
  const wrap = ({ storage }: Engines): Pick<Engines, 'storage'> => ({
    storage: {
      ...storage,
      async completeUpload(...request) {
        calls += 1
        if (calls > 1) return { outcome: 'refused', parts: [1] }
        if (heldAt === 'before') await hold()
        const outcome = await storage.completeUpload(...request)
        if (heldAt === 'after') await hold()
        return outcome
      },
      async abortUpload(upload) {
        if (!faults.areAbortsIgnored) await storage.abortUpload(upload)
      },
    },
  })
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' }, undefined, { wrap })
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  const first = complete(service.baseUrl, session)
  await arrived.promise
  const second = await complete(service.baseUrl, session)
  assert.deepEqual([second.status, second.body.errors.parts.length], [422, 1])
  return { service, session, faults, first, release: released.resolve }
}

test('if one of two concurrent completions is refused and the other one then succeeds, the asset is ready', async (t) => {
  const { service, session, first, release } = await twoCompletions(t, 'after')
  const reopened = await service.call('GET', `${API}/assets/${session.id}`)
  assert.equal(reopened.body.data.status, 'uploading')
  release()
  const { status, body } = await first
  assert.deepEqual([status, body.data?.status], [200, 'ready'])
  await runJobs(service.context)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
  await assertUsageConsistent(service)
})

test('if a completion creates the object after its reopened upload was cancelled, the object is removed', async (t) => {
  const { service, session, faults, first, release } = await twoCompletions(t, 'before')
  // On S3, a concurrent abort and completion may both succeed: the object appears after the abort.
  const { context } = service
  faults.areAbortsIgnored = true
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(context)
  assert.deepEqual(await context.database.listRemovals(1), [])
  release()
  assert.equal((await first).status, 404)
  faults.areAbortsIgnored = false
  await runJobs(context)
  assert.deepEqual(await readObjects(service), [])
  await assertUsageConsistent(service)
})
