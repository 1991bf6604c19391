import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  GetBucketCorsCommand,
  type LifecycleRule,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
} from '@aws-sdk/client-s3'
import { aCephServer, missingForCeph } from '@stowage/testing/engines/ceph'
import { aBucket, credentialsOf, type S3Endpoint } from '@stowage/testing/engines/s3-server'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import type { Finding } from '../../../domain/finding.ts'
import { openClient, resolveLocation } from '../s3-client.ts'
import type { Examination } from './examination.ts'
import { examineLifecycle, ruleFor, writeRules } from './examine-lifecycle.ts'
import { examineS3 } from './examine-s3.ts'

/* Runs on postgres+ceph. */
/* Runs in its own process: it takes long, so it runs beside the others. */

const HOUR_MS = 3_600_000

function optionsOf({ endpoint, region }: S3Endpoint, bucket: string) {
  return {
    bucket,
    prefix: 'some/prefix/',
    endpoint,
    region,
    pathStyle: true,
    clock: () => new Date(),
    newId: () => 'probe',
    webOrigin: 'https://files.example.com',
    signedForMs: 12 * HOUR_MS,
    uploadsKeptForMs: 7 * 24 * HOUR_MS,
    fix: false,
  }
}

function setEnvironment(t: TestContext, values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name]
    process.env[name] = value
    t.after(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
}

const missing = await missingForCeph()
if (missing !== undefined) {
  test('doctor checks a bucket', (t) => skipUnlessCi(t, missing))
} else {
  const server = await aCephServer()
  Object.assign(process.env, credentialsOf(server))

  async function examine(change: Partial<Examination> = {}): Promise<Finding[]> {
    const bucket = change.bucket ?? (await aBucket(server))
    return Array.fromAsync(examineS3({ ...optionsOf(server, bucket), ...change }))
  }

  /** The problem at which the examination stopped. */
  async function firstProblem(change: Partial<Examination> = {}): Promise<Finding> {
    const finding = (await examine(change)).at(-1)
    assert.ok(finding)
    assert.equal(finding.status, 'error', JSON.stringify(finding))
    return finding
  }

  const statuses = (findings: Finding[]) => findings.map(({ status }) => status)

  test('a bucket without rules is reported, and fixed with --fix', async () => {
    const bucket = await aBucket(server)
    const before = await examine({ bucket })
    assert.deepEqual(statuses(before), ['ok', 'ok', 'ok', 'ok', 'error', 'ok'])
    assert.match(
      before[4]?.message ?? '',
      /pages of https:\/\/files\.example\.com cannot upload parts/,
    )
    assert.match(before[4]?.remedy ?? '', /put-bucket-cors .*"ExposeHeaders":\["ETag"/)
    const during = await examine({ bucket, fix: true })
    assert.deepEqual(statuses(during), ['ok', 'ok', 'ok', 'ok', 'fixed', 'ok'])
    const afterwards = await examine({ bucket })
    assert.deepEqual(new Set(statuses(afterwards)), new Set(['ok']))
  })

  test('the check leaves nothing in the bucket', async () => {
    const bucket = await aBucket(server)
    await examine({ bucket, fix: true })
    const client = openClient(optionsOf(server, bucket))
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    client.destroy()
    assert.deepEqual([Contents ?? [], Uploads ?? []], [[], []])
  })

  test('a wrong secret and an unknown key have different findings', async (t) => {
    setEnvironment(t, { AWS_SECRET_ACCESS_KEY: 'wrong' })
    assert.match(
      (await firstProblem()).message,
      /secret does not belong to the access key testaccesskey/,
    )
    setEnvironment(t, { AWS_ACCESS_KEY_ID: 'nobody' })
    assert.match((await firstProblem()).message, /does not know the access key nobody/)
  })

  test('a missing bucket is reported, with the command that creates it', async () => {
    const { message, remedy } = await firstProblem({ bucket: 'no-such-bucket' })
    assert.equal(message, 'the bucket no-such-bucket does not exist')
    assert.match(
      remedy ?? '',
      /^aws --endpoint-url http.* --region us-east-1 s3 mb s3:\/\/no-such-bucket$/,
    )
  })

  test('a clock that is one hour off is reported', async () => {
    const ahead = await firstProblem({ clock: () => new Date(Date.now() + HOUR_MS) })
    assert.match(
      ahead.message,
      /clock is 60 min ahead of the storage's: the storage refuses signed requests/,
    )
    const behind = await firstProblem({ clock: () => new Date(Date.now() - HOUR_MS) })
    assert.match(behind.message, /60 min behind/)
  })

  test('credentials that are valid for less than STOWAGE_SIGNED_FOR are reported', async (t) => {
    const expiration = new Date(Date.now() + HOUR_MS).toISOString()
    setEnvironment(t, { AWS_CREDENTIAL_EXPIRATION: expiration })
    const [, credentials] = await examine()
    assert.equal(credentials?.status, 'note')
    assert.match(credentials.message, /valid for 60 min.*STOWAGE_SIGNED_FOR \(12 h\)/)
  })

  test('storage that does not respond is reported', async () => {
    const { message } = await firstProblem({ endpoint: 'http://127.0.0.1:9' })
    assert.match(message, /no storage responds at http:\/\/127\.0\.0\.1:9/)
  })

  test('an unknown region is reported before any call, with the setting', async (t) => {
    setEnvironment(t, { AWS_CONFIG_FILE: '/nonexistent' })
    const [finding, ...others] = await examine({ region: undefined })
    assert.deepEqual([finding?.status, others], ['error', []])
    assert.match(
      finding?.message ?? '',
      /^the region of the bucket is unknown: set STOWAGE_S3_REGION/,
    )
  })

  test('existing rules of the bucket are kept', async () => {
    const bucket = await aBucket(server)
    const client = openClient(optionsOf(server, bucket))
    // It matches every origin, but does not expose the ETag.
    const rule = { AllowedOrigins: ['*'], AllowedMethods: ['GET', 'PUT'], AllowedHeaders: ['*'] }
    const CORSConfiguration = { CORSRules: [rule] }
    await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration }))
    await examine({ bucket, fix: true })
    assert.equal((await examine({ bucket, fix: true })).at(-2)?.status, 'ok')
    const { CORSRules = [] } = await client.send(new GetBucketCorsCommand({ Bucket: bucket }))
    client.destroy()
    assert.deepEqual(CORSRules.length, 2)
    assert.ok(CORSRules.some(({ AllowedMethods = [] }) => AllowedMethods.length === 2))
  })

  /** Checks the lifecycle rules of storage whose responses do not have the request IDs of Ceph. */
  async function examineOther(change: Partial<Examination>): Promise<Finding> {
    const options = { ...optionsOf(server, ''), ...change }
    const client = openClient(options)
    client.middlewareStack.add(
      (next) => async (step) => {
        const result = await next(step)
        const { headers } = result.response as { headers: Record<string, string> }
        headers['x-amz-request-id'] = '17A0E4D5C3B2F196'
        return result
      },
      { step: 'deserialize', priority: 'low' },
    )
    try {
      return await examineLifecycle({
        ...options,
        client,
        location: await resolveLocation(options),
      })
    } finally {
      client.destroy()
    }
  }

  test('the rule that --fix sets keeps uploads for longer than the service does', async () => {
    const change = { bucket: await aBucket(server), uploadsKeptForMs: 60 * 24 * HOUR_MS }
    const before = await examineOther(change)
    assert.equal(before.status, 'note')
    assert.match(before.remedy ?? '', /put-bucket-lifecycle-configuration .*some\/prefix\//)
    const set = await examineOther({ ...change, fix: true })
    assert.equal(set.message, 'the bucket now aborts incomplete uploads after 83 days')
    assert.equal((await examineOther(change)).status, 'ok')
  })

  test('on Ceph, a rule that aborts uploads is reported, and removed with --fix if doctor had set it', async () => {
    const bucket = await aBucket(server)
    const client = openClient(optionsOf(server, bucket))
    const ours = ruleFor('some/prefix/', 30)
    const another = { ...ruleFor('', 90), ID: 'tidy up' }
    await writeRules({ client, bucket }, { Rules: [ours, another] })
    const last = async (fix = false) => (await examine({ bucket, fix })).at(-1)
    const both = await last()
    assert.equal(both?.status, 'error')
    assert.match(both.message, /: stowage incomplete uploads some\/prefix\/, tidy up; on Ceph/)
    assert.match((await last(true))?.message ?? '', /abort incomplete uploads: tidy up; on Ceph/)
    await writeRules({ client, bucket }, { Rules: [ours] })
    client.destroy()
    assert.equal((await last())?.remedy, 'stowage doctor --fix')
    assert.equal((await last(true))?.status, 'fixed')
    assert.equal((await last())?.status, 'ok')
  })

  test('a lifecycle rule that would remove files is reported', async () => {
    const bucket = await aBucket(server)
    const client = openClient(optionsOf(server, bucket))
    const rule: LifecycleRule = {
      ID: 'tidy up',
      Status: 'Enabled',
      Filter: { Prefix: '' },
      Expiration: { Days: 1 },
    }
    await writeRules({ client, bucket }, { Rules: [rule] })
    client.destroy()
    const last = (await examine({ bucket })).at(-1)
    assert.equal(last?.status, 'error')
    assert.match(last.message, /the lifecycle rule tidy up of the bucket removes objects/)
  })
}
