import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runJobs, takeOverJobs, withClockAhead } from '@stowage/testing/service/jobs'
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
import { EngineUnavailable } from '../../../src/domain/errors.ts'
import { BATCH } from '../../../src/jobs/job.ts'
import { finishCompletions } from '../../../src/jobs/uploads.ts'
import { forAccount } from '../../../src/operations/context.ts'
import type { Storage } from '../../../src/storage/storage.ts'

/* Runs on sqlite+disk and postgres+disk. */

const bytes = someBytes(5)

/** A service whose storage returns the result of `outcomeOf`, or completes the upload if that is undefined. */
function aServiceWithOutcomes(t: TestContext, outcomeOf: (key: string) => Outcome) {
  return aService(t, {}, undefined, {
    wrap: ({ storage }) => ({
      storage: {
        ...storage,
        completeUpload: (upload, ...rest) =>
          outcomeOf(upload.key) ?? storage.completeUpload(upload, ...rest),
      },
    }),
  })
}

type Outcome = ReturnType<Storage['completeUpload']> | undefined

const rejected: Outcome = Promise.resolve({
  outcome: 'rejected',
  reason: 'EntityTooLarge: the object is too large',
})

test('a completion that the storage refuses permanently returns the reason, and the upload can be cancelled', async (t) => {
  const service = await aServiceWithOutcomes(t, () => rejected)
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refused = await complete(service.baseUrl, session)
    assert.deepEqual([refused.status, refused.body.code], [409, 'completion_refused'])
    assert.match(refused.body.message, /EntityTooLarge: the object is too large/)
  }
  const asset = await service.call('GET', `${API}/assets/${session.id}/upload`)
  assert.deepEqual([asset.body.status, asset.body.received.length], ['uploading', 1])
  assert.equal((await cancel(service.baseUrl, session)).status, 200)
  await runJobs(service.context)
  await assertUsageConsistent(service)
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
})

test('an upload can be deleted after a job has found that the storage refuses its interrupted completion', async (t) => {
  const service = await aServiceWithOutcomes(t, () => rejected)
  const session = await requestSession(service.baseUrl, { bytes })
  const account = await service.context.database.findAccount('default')
  const { data } = forAccount(service.context, account?.id ?? '')
  await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
  assert.equal((await service.call('DELETE', `${API}/assets/${session.id}`)).status, 409)
  await runJobs(service.context, { stuckMs: -1 })
  assert.equal((await service.call('DELETE', `${API}/assets/${session.id}`)).status, 202)
  await assertUsageConsistent(service)
})

test('completions that fail repeatedly do not prevent others from being finished', async (t) => {
  let good: string | undefined
  const failing = () =>
    Promise.reject(new EngineUnavailable('storage', new Error('the storage fails')))
  const service = await aServiceWithOutcomes(t, (key) => (key === good ? undefined : failing()))
  const own = await takeOverJobs(service)
  const account = await own.database.findAccount('default')
  const { data } = forAccount(own, account?.id ?? '')
  for (let index = 0; index < BATCH; index += 1) {
    const { id } = await requestSession(service.baseUrl, { bytes })
    await data.beginCompletion(id, { keptForMs: 3_600_000 })
  }
  const session = await requestSession(service.baseUrl, { bytes })
  good = session.id
  await putParts(session, bytes)
  await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
  const { signal } = new AbortController()
  for (const hours of [1, 1.1]) await finishCompletions(withClockAhead(own, hours), signal)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})
