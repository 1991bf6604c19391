import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import { aCephServer, missingForCeph } from '@stowage/testing/engines/ceph'
import { openBucket } from '@stowage/testing/engines/s3-server'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/skip-unless-ci'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { testStorageContract } from '../storage.contract.ts'

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
