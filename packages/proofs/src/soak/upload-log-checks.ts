import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Asset } from '@stowage/protocol'
import type { AssetStatus } from '@stowage/server/src/domain/asset'
import type { Context } from '@stowage/server/src/operations/context'
import { runJobs, withClockAhead, withoutRetention } from '@stowage/testing/service/jobs'
import type { TestService } from '@stowage/testing/service/service'
import { API, download } from '@stowage/testing/service/upload'
import type { UploadLog } from './uploading-client.ts'

const FINAL_STATUSES: (AssetStatus | undefined)[] = ['cancelled', 'expired', 'ready', 'deleted']

/**
 * Call this after the expiry of every upload has passed. Runs the jobs. Afterward each upload must be ready, cancelled,
 * expired or deleted, and no object may be waiting to be removed. The context must be that of `takeOverJobs`: the
 * service's own jobs would renew uploads that received a part recently.
 */
export async function settleAll(context: Context, uploadLog: UploadLog): Promise<void> {
  const { database } = context
  const later = withClockAhead(context, 1)
  // A completion that lacks parts is reopened as an upload, which expires in the next run.
  for (let run = 0; run < 3; run += 1) await runJobs(withoutRetention(later), { stuckMs: 0 })
  const states = await database.readStates([...uploadLog.files.keys()])
  assert.equal(states.size, uploadLog.files.size)
  for (const [id, { status }] of states) {
    assert.ok(FINAL_STATUSES.includes(status), `${id} is ${status}`)
  }
  assert.deepEqual(await database.listRemovals(10), [])
}

/** Every file that was confirmed as completed exists; none that was confirmed as cancelled or deleted does. */
export async function checkResponses(
  service: TestService,
  uploadLog: UploadLog,
  assets: Asset[],
): Promise<void> {
  const listed = new Set(assets.map(({ id }) => id))
  assert.equal(listed.size, assets.length)
  // A deletion that was not confirmed may have taken effect or not.
  const mustBeListed = uploadLog.completed.difference(uploadLog.deleting)
  assert.deepEqual([...mustBeListed.difference(listed)], [], 'these were confirmed as completed')
  for (const id of mustBeListed) {
    const { status, body } = await service.call('GET', `${API}/assets/${id}`)
    assert.deepEqual([status, body.data?.status], [200, 'ready'], id)
  }
  for (const id of uploadLog.cancelled) {
    const { status } = await service.call('GET', `${API}/assets/${id}`)
    assert.equal(status, 404, `${id} was confirmed as cancelled`)
  }
  const undeleted = uploadLog.deleted.intersection(listed)
  assert.deepEqual([...undeleted], [], 'these were confirmed as deleted')
}

/** Every file has the bytes that its client sent. */
export async function checkContents(
  service: TestService,
  uploadLog: UploadLog,
  assets: Asset[],
): Promise<void> {
  for (const asset of assets) {
    const bytes = await download(service.baseUrl, asset.id)
    assert.equal(bytes.length, asset.bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.equal(sha256, uploadLog.files.get(asset.id)?.sha256, asset.id)
  }
}

/** The usage counters match the totals of the assets. */
export async function checkUsage({ context }: TestService, assets: Asset[]): Promise<void> {
  const [usage, ...others] = await context.database.compareUsage()
  assert.deepEqual(others, [])
  const stored = assets.reduce((sum, asset) => sum + asset.bytes, 0)
  assert.partialDeepStrictEqual(usage?.actual, { stored, reserved: 0, assets: assets.length })
  assert.deepEqual(usage?.counted, usage?.actual)
}
