import assert from 'node:assert/strict'
import { type PartPlan, partRanges } from '@stowage/server/src/domain/parts'
import type { Storage } from '@stowage/server/src/storage/storage'
import { v7 as newUuid } from 'uuid'
import { putPart } from '../service/upload.ts'

/**
 * Stores the object of an upload and leaves the upload open, as Ceph does if its gateway is killed after it has
 * stored the object and before it closes the upload. Works on every kind of storage: the object is created from another
 * upload of the same key.
 */
export async function leaveUploadOpen(
  storage: Storage,
  key: string,
  { bytes, plan }: { bytes: Buffer; plan: PartPlan },
): Promise<void> {
  const id = await storage.createUpload({ key, id: newUuid(), mime: 'text/plain' })
  const ranges = partRanges(plan)
  const { urls } = await storage.signParts({ key, id }, ranges, new Date(Date.now() + 3_600_000))
  for (const [index, { start, end }] of ranges.entries()) {
    const response = await putPart(urls[index] ?? '', bytes.subarray(start, end))
    assert.equal(response.status, 200)
  }
  const { outcome } = await storage.completeUpload({ key, id }, plan, [])
  assert.equal(outcome, 'completed')
}
