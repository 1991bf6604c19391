import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeStorageUnavailable } from '@stowage/testing/engines/test-engines'
import { NEVER, withClockAhead } from '@stowage/testing/service/jobs'
import { download, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { EngineUnavailable, UnreadableObject } from '../../../src/domain/errors.ts'
import { recheckDamagedFiles, scrubFiles } from '../../../src/jobs/checksums.ts'
import type { Context } from '../../../src/operations/context.ts'
import { aServiceWithoutJobs, readAsset, tryDownload } from '../../support/integrity.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const BYTES = someBytes(2500)
const DAY_MS = 86_400_000
/** After this many hours, all files are due for the scrub again. */
const SCRUB_HOURS = 25

/** A context whose storage fails to read these objects, and the keys that were read. */
function withReadFailure(own: Context, failing: string[], error: Error) {
  const reads: string[] = []
  const { storage } = own
  const context: Context = {
    ...own,
    settings: { ...own.settings, scrubEveryMs: DAY_MS },
    storage: {
      ...storage,
      async *readPart(object, number, options) {
        if (number === 1) reads.push(object.key)
        if (failing.includes(object.key)) throw error
        yield* storage.readPart(object, number, options)
      },
    },
  }
  return { context, reads }
}

test('a file that could not be read is read again after an hour, and other files do not wait for it', async (t) => {
  const { service, own, computeChecksums } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  const other = await uploadFile(service.baseUrl, { bytes: BYTES })
  await computeChecksums()
  const { context, reads } = withReadFailure(own, [id], new UnreadableObject('a read error', id))
  await scrubFiles(withClockAhead(context, SCRUB_HOURS), NEVER)
  assert.deepEqual(reads.splice(0).sort(), [id, other.id].sort())
  assert.equal((await tryDownload(service, id)).body.code, 'damaged')
  // The file is read again after an hour, and not earlier. Other files are not due.
  const recheck = async (hours: number) => {
    const at = withClockAhead(context, SCRUB_HOURS + hours)
    // The job also runs if the scrub and checksums are disabled.
    const settings = { ...at.settings, checksums: false, scrubEveryMs: 0 }
    await recheckDamagedFiles({ ...at, settings }, NEVER)
    return reads.splice(0)
  }
  assert.deepEqual(await recheck(0.9), [])
  assert.deepEqual(await recheck(1.1), [id])
  assert.deepEqual(await recheck(2), [])
  assert.equal((await readAsset(service, id)).damaged, true)
  // The disk is repaired.
  const repaired = withClockAhead({ ...context, storage: own.storage }, SCRUB_HOURS + 2.2)
  await recheckDamagedFiles(repaired, NEVER)
  assert.equal((await readAsset(service, id)).damaged, false)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
  assert.deepEqual(await recheck(24), [])
})

test('a file that cannot be read because too many files are open is not damaged, and is read again after an hour', async (t) => {
  const { service, own, computeChecksums } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  const other = await uploadFile(service.baseUrl, { bytes: BYTES })
  await computeChecksums()
  const outage = new EngineUnavailable('storage', new Error('too many open files'))
  const { context, reads } = withReadFailure(own, [id], outage)
  const scrub = async (hours: number) => {
    await scrubFiles(withClockAhead(context, SCRUB_HOURS + hours), NEVER)
    return reads.splice(0)
  }
  assert.deepEqual((await scrub(0)).sort(), [id, other.id].sort())
  assert.deepEqual(await scrub(0.9), [])
  assert.deepEqual(await scrub(1.1), [id])
  assert.equal((await readAsset(service, id)).damaged, false)
})

test('while the storage is unavailable, the scrub stops at the first file, and no file becomes damaged', async (t) => {
  const { service, own, computeChecksums } = await aServiceWithoutJobs(t)
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) {
    ids.push((await uploadFile(service.baseUrl, { bytes: BYTES })).id)
  }
  await computeChecksums()
  const outage = new EngineUnavailable('storage', new Error('the storage is down'))
  const { context, reads } = withReadFailure(own, ids, outage)
  const restoreStorage = await makeStorageUnavailable(service)
  await assert.rejects(
    scrubFiles(withClockAhead(context, SCRUB_HOURS), NEVER),
    ({ cause }) => cause !== outage.cause,
  )
  assert.equal(reads.length, 1)
  await restoreStorage()
  // The claim on the first file has ended.
  const again = withReadFailure(own, [], outage)
  await scrubFiles(withClockAhead(again.context, SCRUB_HOURS + 0.1), NEVER)
  assert.deepEqual(again.reads.sort(), ids.sort())
  for (const id of ids) assert.equal((await readAsset(service, id)).damaged, false)
})
