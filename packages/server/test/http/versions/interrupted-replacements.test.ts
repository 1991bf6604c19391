import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readObjects } from '@stowage/testing/engines/test-engines'
import { JOBS, runJobs, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import {
  API,
  complete,
  download,
  putParts,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import type { Upload } from '../../../src/domain/asset.ts'
import { partPlan } from '../../../src/domain/parts.ts'
import type { Context } from '../../../src/operations/context.ts'
import { numbersOf, startReplacement } from '../../support/versions.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SETTINGS = { STOWAGE_TRASH_FOR: '0', STOWAGE_CHUNK_SIZE: '10' }
const OLD = someBytes(25, 1)
const NEW = someBytes(38, 2)

async function aSentReplacement(service: TestService) {
  const { id } = await uploadFile(service.baseUrl, { bytes: OLD })
  const session = await startReplacement(service, id, { bytes: NEW })
  await putParts(session, NEW)
  const account = await service.context.database.findAccount('default')
  const data = service.context.database.of(account?.id ?? '')
  const upload = await data.findReplacement(id, session.upload_id)
  assert.ok(upload)
  return { id, session, upload, data }
}

function storeObject({ storage }: Context, { key, storageId, asset, chunkSize }: Upload) {
  return storage.completeUpload({ key, id: storageId }, partPlan(asset.bytes, chunkSize), [])
}

const KEPT = { keptForMs: 3_600_000 }

for (const isStored of [false, true]) {
  const when = isStored ? 'after the storage created the object' : 'before the storage was called'
  test(`if the completion of a replacement is interrupted ${when}, a job makes the replacement current`, async (t) => {
    const service = await aService(t, SETTINGS)
    const context = await takeOverJobs(service)
    const { id, session, upload, data } = await aSentReplacement(service)
    await data.beginCompletion(upload.asset.id, KEPT)
    if (isStored) await storeObject(context, upload)
    assert.deepEqual(await download(service.baseUrl, id), OLD)
    await JOBS.finishCompletions(context)
    assert.deepEqual(await download(service.baseUrl, id), NEW)
    assert.deepEqual(await numbersOf(service, id), ['2*', '1'])
    assert.equal((await complete(service.baseUrl, session)).body.data.version, 2)
    await assertUsageConsistent(service)
  })

  test(`deleting an asset leaves nothing, even if the completion of its replacement was interrupted ${when}`, async (t) => {
    const service = await aService(t, SETTINGS)
    const context = await takeOverJobs(service)
    const { id, upload, data } = await aSentReplacement(service)
    await data.beginCompletion(upload.asset.id, KEPT)
    if (isStored) await storeObject(context, upload)
    assert.equal((await service.call('DELETE', `${API}/assets/${id}`)).status, 202)
    await JOBS.finishCompletions(context)
    await runJobs(context)
    assert.deepEqual(await readObjects(service), [])
    assert.deepEqual(await Array.fromAsync(context.storage.listUploads()), [])
    const { stored, reserved } = await data.readSummary()
    assert.deepEqual([stored, reserved], [0, 0])
  })
}

test('a replacement whose object is stored becomes current when its upload is resumed', async (t) => {
  const service = await aService(t, SETTINGS)
  const context = await takeOverJobs(service)
  const { id, session, upload } = await aSentReplacement(service)
  await storeObject(context, upload)
  const path = `${API}/assets/${id}/upload?upload_id=${session.upload_id}`
  assert.equal((await service.call('GET', path)).body.status, 'ready')
  assert.deepEqual(await download(service.baseUrl, id), NEW)
})
