import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { partPlan, partRanges } from '@stowage/server/src/domain/parts'
import type { Context } from '@stowage/server/src/operations/context'

/** Replaces an object directly in the storage, on disk or S3. Only the digest shows that the object has changed. */
export async function changeObject(
  { context }: { context: Context },
  key: string,
  bytes: Buffer,
): Promise<void> {
  const { storage, settings } = context
  await storage.removeObject(key)
  const plan = partPlan(bytes.length, settings.chunkSize)
  const id = await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' })
  const later = new Date(Date.now() + 3_600_000)
  const { urls } = await storage.signParts({ key, id }, partRanges(plan), later)
  for (const [index, { start, end }] of partRanges(plan).entries()) {
    const body = new Uint8Array(bytes.subarray(start, end))
    assert.equal((await fetch(urls[index] ?? '', { method: 'PUT', body })).status, 200)
  }
  assert.equal((await storage.completeUpload({ key, id }, plan, [])).outcome, 'completed')
}
