import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import {
  aCephServer,
  collectGarbage,
  missingForCeph,
  shareParts,
} from '@stowage/testing/engines/ceph'
import { openBucket } from '@stowage/testing/engines/s3-server'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { DamagedObject } from '../../domain/errors.ts'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { testStorageContract } from '../storage.contract.ts'
import type { Storage, StorageUpload } from '../storage.ts'

/* Runs on postgres+ceph. */
/* Runs in its own process: it takes long, so it runs beside the others. */

const CHUNK = 100_000

const missing = await missingForCeph()
if (missing !== undefined) {
  test('Ceph', (t) => skipUnlessCi(t, missing))
} else {
  const gateway = await aCephServer()
  testStorageContract('ceph', async (t) => {
    const storage = await openBucket(gateway, 'some/prefix/')
    cleanUp(t, () => storage.close())
    return { storage, chunkSize: CHUNK, latePart: 'is refused' }
  })

  test('ceph: a completion that a policy forbids is rejected with the reason, and succeeds once it is allowed', async (t) => {
    const storage = await openBucket(gateway)
    cleanUp(t, () => storage.close())
    const key = randomUUID()
    const upload = {
      key,
      id: await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' }),
    }
    const plan = partPlan(5, CHUNK)
    const later = new Date(Date.now() + 60_000)
    const {
      urls: [url = ''],
    } = await storage.signParts(upload, partRanges(plan), later)
    assert.equal((await fetch(url, { method: 'PUT', body: 'bytes' })).status, 200)
    const bucket = new URL(storage.url).pathname.slice(1)
    await setPolicy(bucket, 'Deny')
    const refused = await storage.completeUpload(upload, plan, [])
    assert.equal(refused.outcome, 'rejected')
    assert.match(refused.outcome === 'rejected' ? refused.reason : '', /AccessDenied/)
    assert.equal((await storage.listParts(upload))?.length, 1)
    await setPolicy(bucket, 'Allow')
    assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
  })

  test('ceph: if a killed gateway left the upload of a stored file open, aborting it loses the file, and closing it keeps the file', async (t) => {
    const storage = await openBucket(gateway, 'some/prefix/')
    cleanUp(t, () => storage.close())
    const bytes = Buffer.alloc(2 * CHUNK + 5, 7)
    const [aborted, closed] = [await leaveOpen(storage, bytes), await leaveOpen(storage, bytes)]
    await storage.closeUpload(closed)
    await storage.abortUpload(aborted)
    for (const { key } of [closed, aborted]) {
      assert.deepEqual(await Array.fromAsync(storage.listUploads(key)), [])
    }
    await until('the file of the aborted upload is lost', async () => {
      await collectGarbage(gateway)
      return (await read(storage, aborted.key, bytes.length)) === undefined
    })
    const kept = await read(storage, closed.key, bytes.length)
    assert.ok(kept?.equals(bytes), 'the file of the closed upload is lost')
    assert.equal(await storage.findObject(`${closed.key}.copy`), undefined)
  })

  test('ceph: a URL signed with temporary credentials expires with them', async (t) => {
    const ending = new Date(Date.now() + 1_800_000)
    ending.setMilliseconds(0)
    process.env.AWS_CREDENTIAL_EXPIRATION = ending.toISOString()
    cleanUp(t, () => delete process.env.AWS_CREDENTIAL_EXPIRATION)
    const storage = await openBucket(gateway)
    cleanUp(t, () => storage.close())
    const upload = { key: randomUUID(), id: 'some' }
    const ranges = partRanges(partPlan(5, CHUNK))
    const inTwelveHours = new Date(Date.now() + 12 * 3_600_000)
    const parts = await storage.signParts(upload, ranges, inTwelveHours)
    const object = { key: upload.key, plan: partPlan(5, CHUNK), filename: 'a', mime: 'a/b' }
    const download = await storage.signDownload(object, inTwelveHours)
    assert.deepEqual([parts.expiresAt, download.expiresAt], [ending, ending])
    const life = Number(new URL(parts.urls[0] ?? '').searchParams.get('X-Amz-Expires'))
    assert.ok(life > 1700 && life <= 1800, `valid for ${life} s`)
    const inAMinute = new Date(Date.now() + 60_000)
    assert.deepEqual((await storage.signParts(upload, ranges, inAMinute)).expiresAt, inAMinute)
  })

  /** Stores an object that consists of the parts of an open upload, and returns the upload. */
  async function leaveOpen(storage: Storage, bytes: Buffer): Promise<StorageUpload> {
    const key = randomUUID()
    const anUpload = async () => ({
      key,
      id: await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' }),
    })
    const [open, other] = [await anUpload(), await anUpload()]
    const plan = partPlan(bytes.length, CHUNK)
    const ranges = partRanges(plan)
    const { urls } = await storage.signParts(open, ranges, new Date(Date.now() + 60_000))
    for (const [index, { start, end }] of ranges.entries()) {
      const body = new Uint8Array(bytes.subarray(start, end))
      assert.equal((await fetch(urls[index] ?? '', { method: 'PUT', body })).status, 200)
    }
    await shareParts(gateway, { from: open.id, to: other.id })
    assert.deepEqual(await storage.completeUpload(other, plan, []), { outcome: 'completed' })
    const listed = await Array.fromAsync(storage.listUploads(key))
    assert.deepEqual(
      listed.map(({ id }) => id),
      [open.id],
    )
    return open
  }

  /** Returns undefined if the storage has lost the bytes of the object. */
  async function read(storage: Storage, key: string, size: number): Promise<Buffer | undefined> {
    const plan = partPlan(size, size)
    try {
      return Buffer.concat(await Array.fromAsync(storage.readPart({ key, plan }, 1)))
    } catch (error) {
      if (error instanceof DamagedObject) return undefined
      throw error
    }
  }

  async function setPolicy(bucket: string, effect: 'Allow' | 'Deny'): Promise<void> {
    const { endpoint, region, credentials } = gateway
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
    const statement = {
      Effect: effect,
      Principal: '*',
      Action: 's3:PutObject',
      Resource: `arn:aws:s3:::${bucket}/*`,
    }
    const policy = { Version: '2012-10-17', Statement: [statement] }
    await client.send(
      new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify(policy) }),
    )
    client.destroy()
  }
}
